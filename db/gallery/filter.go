// Package gallery defines how the team finds, organises and shares videos: filters,
// tags, collections, links, and which video was made from which.
package gallery

import (
	"time"

	"dailies/db"
	"dailies/db/review"
)

// A Filter selects tasks for the gallery, newest first, without those in the
// bin. An empty field does not restrict the selection; a field with several values
// selects the tasks that have one of them.
type Filter struct {
	Viewer int64  // user ID: selects their own tasks in every state, and what the team may see
	Query  string // words of the prompt; the beginning of each suffices

	Makers      []int64 // user IDs
	Scenes      []string
	Models      []string
	Ratios      []string   // aspect ratios, as in Options
	States      []db.State // Success if empty; all if AnyState is among them
	Starred     bool
	Answers     []review.Answer // what guests decided about them, or review.Waiting; see Now
	Tags        []string        // names
	Collections []int64         // IDs
	Cast        []int64         // IDs of cast members
	From        time.Time       // created at this time or later
	Until       time.Time       // created before this time

	Now time.Time // which links work then; it is needed only for review.Waiting

	Before  int64 // only tasks with a smaller ID; 0 for the newest
	Through int64 // all tasks down to this ID, up to a bound, instead of Limit; 0 if not used
	Limit   int
}

// AnyState in a filter selects tasks in every state.
const AnyState db.State = "all"

// The largest numbers of tasks that are counted exactly. To count those with a word
// takes several times as long.
const (
	MostCounted      = 10_000
	MostCountedWords = 1_000
)

// MostCounted returns the largest number of matching tasks that is counted exactly.
// More are counted as one more than that.
func (f Filter) MostCounted() int {
	if f.Query != "" {
		return MostCountedWords
	}
	return MostCounted
}

// DaysOf returns the days in the time zone on which the tasks were created: each
// day once, in the order of the tasks, and limited to the filter's From and Until.
func (f Filter) DaysOf(tasks []db.Task, zone *time.Location) (days []Span) {
	known := map[int64]bool{}
	for _, t := range tasks {
		if known[db.DayOf(t.CreatedAt, zone)] {
			continue
		}
		known[db.DayOf(t.CreatedAt, zone)] = true
		year, month, day := t.CreatedAt.In(zone).Date()
		span := Span{From: time.Date(year, month, day, 0, 0, 0, 0, zone), Until: time.Date(year, month, day+1, 0, 0, 0, 0, zone)}
		if f.From.After(span.From) {
			span.From = f.From
		}
		if !f.Until.IsZero() && f.Until.Before(span.Until) {
			span.Until = f.Until
		}
		days = append(days, span)
	}
	return days
}

// A Listing is the first page of the tasks that match a filter.
type Listing struct {
	Tasks []db.Task
	Total int    // on all pages; more than the filter's MostCounted is one more than that
	Days  []Span // see Filter.DaysOf
	Many  []int  // how many tasks match on each of the days, on all pages
}

// A Place says where a task stands in a list. Previous and Next are the IDs of its
// newer and its older neighbour, 0 at an end. Position counts from 1; it is 0 if
// the task is not in the list. Position and Total are at most one more than the
// filter's MostCounted, which means "more than that".
type Place struct {
	Previous, Next  int64
	Position, Total int
}

// Also holds the people and the tags whose names contain words of a query.
type Also struct {
	People []Named
	Tags   []Named
}

// Named is a person or a tag with such a name.
type Named struct {
	ID     int64
	Name   string
	Videos int    // with this maker or tag; more than MostCountedWords is one more than that
	Rest   string // the words of the query that its name does not contain
}

// A Facet is a property by which the gallery can be filtered. Its value is the name
// of the field in the gallery's form.
type Facet string

const (
	ByMaker   Facet = "who"
	ByScene   Facet = "scene"
	ByModel   Facet = "model"
	ByRatio   Facet = "ratio"
	ByTag     Facet = "tag"
	ByCast    Facet = "cast"
	ByState   Facet = "status"
	ByDate    Facet = "date"
	ByStarred Facet = "starred"
	ByVerdict Facet = "verdict"
)

// A Span is a period of time, [From, Until). A zero time means no limit on that
// side.
type Span struct{ From, Until time.Time }
