package create

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Latest holds the viewer's running and newest videos: one on the stage, and
// all in the filmstrip below it.
type Latest struct {
	Cards []part.Card
	Scene videoapi.Scene // of the form beside it
	Take  int64          // the id of the video on the stage; 0 for the newest
	// Watched says that the video on the stage ran when the page asked last, so
	// that it plays by itself when it is ready.
	Watched bool
}

// Live reports whether the list should refresh itself.
func (l Latest) Live() bool { return slices.ContainsFunc(l.Cards, part.Card.Live) }

// A shot holds the takes of one press, in the order in which they were asked
// for.
type shot []part.Card

// shots groups the cards by press, the newest first.
func (l Latest) shots() []shot {
	cards := slices.SortedFunc(slices.Values(l.Cards), func(a, b part.Card) int { return int(b.Task.ID - a.Task.ID) })
	var shots []shot
	for _, c := range cards {
		if last := len(shots) - 1; last >= 0 && c.Task.Batch != "" && shots[last][0].Task.Batch == c.Task.Batch {
			shots[last] = append(shot{c}, shots[last]...)
		} else {
			shots = append(shots, shot{c})
		}
	}
	return shots
}

// shown returns the card on the stage: the chosen one, else the first take of
// the newest press that is ready, or that runs. ok is false where there is none.
func (l Latest) shown() (on part.Card, ok bool) {
	for _, c := range l.Cards {
		if c.Task.ID == l.Take {
			return c, true
		}
	}
	shots := l.shots()
	if len(shots) == 0 {
		return part.Card{}, false
	}
	for _, wanted := range []func(part.Card) bool{
		func(c part.Card) bool { return c.Task.State == db.Success },
		func(c part.Card) bool { return c.Task.State.Running() },
	} {
		if i := slices.IndexFunc(shots[0], wanted); i >= 0 {
			return shots[0][i], true
		}
	}
	return shots[0][0], true
}

// refresh returns the address at which the part asks for itself. It names the
// video on the stage, so that another one does not take its place.
func (l Latest) refresh() string {
	v := url.Values{"scene": {string(l.Scene)}}
	if c, ok := l.shown(); ok {
		v.Set("take", strconv.FormatInt(c.Task.ID, 10))
		if c.Task.State.Running() {
			v.Set("watched", "1")
		}
	}
	return "/tasks/latest?" + v.Encode()
}

// takePath returns the address of the page with the video on the stage.
func (l Latest) takePath(c part.Card) string {
	return part.ScenePath(l.Scene) + "?take=" + strconv.FormatInt(c.Task.ID, 10)
}

// partPath returns the address of this part with the video on the stage.
func (l Latest) partPath(c part.Card) string {
	return "/tasks/latest?" + url.Values{"scene": {string(l.Scene)}, "take": {strconv.FormatInt(c.Task.ID, 10)}}.Encode()
}

// running counts the running tasks.
func (l Latest) running() int {
	n := 0
	for _, c := range l.Cards {
		if c.Task.State.Running() {
			n++
		}
	}
	return n
}

// count says below the takes of a press how many there are; empty for one.
func (s shot) count() string {
	if len(s) == 1 {
		return ""
	}
	ready := 0
	for _, c := range s {
		if c.Task.State == db.Success {
			ready++
		}
	}
	return fmt.Sprintf("· %d takes, %d ready", len(s), ready)
}

// take says which take of its press the card is; empty for the only one.
func (l Latest) take(c part.Card) string {
	for _, s := range l.shots() {
		i := slices.IndexFunc(s, func(other part.Card) bool { return other.Task.ID == c.Task.ID })
		if i >= 0 && len(s) > 1 {
			return fmt.Sprintf("Take %d of %d", i+1, len(s))
		}
	}
	return ""
}

// together returns the ids of the finished videos of the card's press, for a
// comparison; none where there are too few.
func (l Latest) together(c part.Card) []int64 {
	for _, other := range l.Cards {
		if c.Task.Batch != "" && other.Task.Batch == c.Task.Batch && len(other.Together) > 1 {
			return other.Together
		}
	}
	return nil
}

// facts lists in one line what the video is.
func (l Latest) facts(c part.Card) string {
	facts := []string{l.take(c), c.ModelName}
	text := c.Task.Options.Text()
	for _, o := range part.Options {
		if value := text[o.Name]; value != "" && !o.Rare && o.Name != lastOption {
			facts = append(facts, o.Words(value))
		}
	}
	facts = append(facts, c.Cost())
	if c.Task.Keeping == db.Kept {
		facts = append(facts, "Saved")
	}
	return strings.Join(slices.DeleteFunc(facts, func(fact string) bool { return fact == "" }), " · ")
}

// hideable reports whether the viewer can take the video off the page.
func hideable(c part.Card) bool {
	s := c.Task.State
	return c.Mine && !c.LookOnly && (s == db.Failed || s == db.Canceled || s == db.Rejected)
}

// takeName names the link of a take for those who do not see it.
func takeName(c part.Card) string {
	if c.FileMissing() {
		return "No file: " + c.Title()
	}
	return part.StateName(c.Task.State) + ": " + c.Title()
}
