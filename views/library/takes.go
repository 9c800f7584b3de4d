package library

import (
	"fmt"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/review"
	"dailies/views/part"
)

// Takes holds the takes of a video that the viewer may see.
type Takes struct {
	Cards     []part.Card // the oldest first; none if the video is a take of no other
	Standings map[int64]review.Standing
	Links     []gallery.Share // on which guests see other takes, but not this one, and could
	With      string          // what was typed as the video of which it is a take
	Error     string          // why that is not possible; empty if nothing is wrong
}

// The sentences about a video that cannot be put into a stack.
const (
	NoSuchVideo = "Paste the link of another video."
	SameVideo   = "That’s this video. Paste the link of another one."
)

// Number returns the number of the take, from 1, or 0 if the task is none.
func (t Takes) Number(id int64) int {
	for i, c := range t.Cards {
		if c.Task.ID == id {
			return i + 1
		}
	}
	return 0
}

// showing is the label of the button that shows the task on the link.
func (t Takes) showing(s gallery.Share, id int64) string {
	if len(t.Links) > 1 && s.Title != "" {
		return fmt.Sprintf("Show take %d on “%s”", t.Number(id), naming.Isolated(s.Title))
	}
	return fmt.Sprintf("Show take %d to the client", t.Number(id))
}

// several reports whether there is a stack.
func (t Takes) several() bool { return len(t.Cards) > 1 }

// place says which take the task is; empty if it is a take of no other.
func (t Takes) place(id int64) string {
	if n := t.Number(id); n > 0 && t.several() {
		return fmt.Sprintf("take %d of %d", n, len(t.Cards))
	}
	return ""
}

// name says, for screen readers, which take it is, and how it stands.
func (t Takes) name(i int) string {
	c := t.Cards[i]
	if c.Task.State != db.Success {
		return format.Facts(TakeName(i+1), part.StateName(c.Task.State))
	}
	return format.Facts(TakeName(i+1), part.Standing(t.Standings[c.Task.ID]))
}

// TakeName names a take by its number.
func TakeName(n int) string { return fmt.Sprintf("Take %d", n) }

// standing returns the class of the mark that says what guests decided; empty without one.
func (t Takes) standing(i int) string {
	switch t.Standings[t.Cards[i].Task.ID].Answer() {
	case review.Approved:
		return "good"
	case review.Changes:
		return "run"
	}
	return ""
}

// compared returns the IDs of the takes to compare with the task: the finished ones, at most
// four, itself among them.
func (t Takes) compared(id int64) []int64 {
	return Compared(t.ready(), id)
}

func (t Takes) ready() (ids []int64) {
	for _, c := range t.Cards {
		if c.Task.Playable() {
			ids = append(ids, c.Task.ID)
		}
	}
	return ids
}

// mostCompared is how many videos the comparison shows.
const mostCompared = 4

// Compared returns those of the takes that are compared with the one with the ID: the newest
// ones, at most four, in their order. It returns none if there is nothing to compare.
func Compared(ready []int64, id int64) (ids []int64) {
	left := mostCompared - 1
	for i := len(ready) - 1; i >= 0; i-- {
		if ready[i] == id || left > 0 {
			ids = append([]int64{ready[i]}, ids...)
			if ready[i] != id {
				left--
			}
		}
	}
	if len(ids) < 2 || len(ids) > mostCompared {
		return nil
	}
	return ids
}
