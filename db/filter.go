package db

import "time"

// A TaskFilter chooses tasks for the gallery, newest first. What is in the bin
// is not among them. An empty field does not narrow them down; of a field with
// several values, each of its tasks has one.
type TaskFilter struct {
	Viewer int64  // sees their own in every state, and what the team may see
	Query  string // words of the prompt, each may be only begun

	Makers      []int64 // ids of users
	Scenes      []string
	Models      []string
	Ratios      []string // as db.Options has them
	States      []State  // Success if empty; all if AnyState is among them
	Starred     bool
	Tags        []string  // their names
	Collections []int64   // their ids
	From        time.Time // asked for at this time or later
	Until       time.Time // asked for before this time

	Before  int64 // only tasks with a smaller id; 0 for the newest
	Through int64 // not beyond this id, whatever the Limit; 0 for no such end
	Limit   int
}

// AnyState in a filter does not look at the state.
const AnyState State = "all"

// MostCounted is up to how many tasks a list is counted exactly. A longer one
// counts as one more.
const MostCounted = 10_000

// DaysOf returns the days in the time zone on which the tasks were asked for, in
// the order of the tasks, each once and cut to the time that the filter leaves.
func (f TaskFilter) DaysOf(tasks []Task, zone *time.Location) (days []Span) {
	known := map[int64]bool{}
	for _, t := range tasks {
		if known[DayOf(t.CreatedAt, zone)] {
			continue
		}
		known[DayOf(t.CreatedAt, zone)] = true
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

// A Place says where a task stands in a list. Previous and Next are the ids of
// its neighbours, the newer and the older one, 0 at an end. Position counts from
// 1; it is 0 for a task that is not in the list. Like Total it is at most
// MostCounted + 1, which means that there are more.
type Place struct {
	Previous, Next  int64
	Position, Total int
}

// A Facet is a property by which the gallery can be filtered. Its text is the
// name of the field in the gallery's form.
type Facet string

const (
	ByMaker   Facet = "who"
	ByScene   Facet = "scene"
	ByModel   Facet = "model"
	ByRatio   Facet = "ratio"
	ByTag     Facet = "tag"
	ByState   Facet = "status"
	ByDate    Facet = "date"
	ByStarred Facet = "starred"
)

// A Span is a stretch of time, [From, Until). A zero time is no end.
type Span struct{ From, Until time.Time }
