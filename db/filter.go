package db

import "time"

// A TaskFilter chooses tasks for the gallery, newest first. An empty field
// chooses nothing.
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
	Bin        bool      // what is in the bin, and nothing else: of the other choices only Query and the times matter
	AllBins    bool      // with Bin: everybody's that is not private, for admins

	Before  int64 // only tasks with a smaller id; 0 for the newest
	Through int64 // not beyond this id, whatever the Limit; 0 for no such end
	Limit   int
}

// AnyState in a filter does not look at the state.
const AnyState State = "all"

// MayShow reports whether the viewer may be shown the task in the list that is
// asked for: the rule of VisibleTo, and for admins the team's deleted videos.
// Whether the task fits the other choices does not matter.
func (f TaskFilter) MayShow(t Task) bool {
	if t.DeletedAt.IsZero() == f.Bin {
		return false
	}
	if f.Bin && f.AllBins && t.UserID != f.Viewer {
		return t.State == Success && !t.Private && t.PurgedAt.IsZero()
	}
	return t.VisibleTo(f.Viewer)
}

// Mine reports whether only the viewer's own are asked for.
func (f TaskFilter) Mine() bool { return f.Maker != 0 && f.Maker == f.Viewer }

// Facets are how many tasks each choice would give, all the other choices of a
// filter staying as they are. A choice that is missing would give none.
type Facets struct {
	Total   int // that fit the whole filter
	Makers  map[int64]int
	Scenes  map[string]int
	Models  map[string]int
	Ratios  map[string]int
	States  map[State]int // and under AnyState all of them
	Starred int
	Tags    map[string]int // by TagKey
	Dates   []int          // of the spans that were asked for, in their order
}

// A Span is a stretch of time, [From, Until). A zero time is no end.
type Span struct{ From, Until time.Time }
