package db

import "time"

// A TaskFilter chooses tasks for the gallery, newest first. What is in the bin
// is not among them. An empty field chooses nothing.
type TaskFilter struct {
	Viewer int64  // sees their own in every state, and what the team may see
	Query  string // words of the prompt, each may be only begun

	Maker      int64 // only this person's
	Scene      string
	Model      string
	Ratio      string // as db.Options has it
	State      State  // Success if empty; AnyState for all
	Starred    bool
	Tag        string    // its name
	Collection int64     // its id
	From       time.Time // asked for at this time or later
	Until      time.Time // asked for before this time

	Before  int64 // only tasks with a smaller id; 0 for the newest
	Through int64 // not beyond this id, whatever the Limit; 0 for no such end
	Limit   int
}

// AnyState in a filter does not look at the state.
const AnyState State = "all"

// MostCounted is up to how many tasks a list is counted exactly. A longer one
// counts as one more.
const MostCounted = 10_000

// Mine reports whether only the viewer's own are asked for.
func (f TaskFilter) Mine() bool { return f.Maker != 0 && f.Maker == f.Viewer }

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
