package create

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/format"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Latest holds the viewer's running and newest videos. One of them is on the stage,
// that is, shown large; all are in the filmstrip below it. A video in the filmstrip is
// called a take.
type Latest struct {
	Cards []part.Card
	Scene videoapi.Scene // the scene of the form beside it
	Take  int64          // ID of the video on the stage; 0 for the newest
	// Watched says that the video on the stage was still running at the last refresh,
	// so that it plays by itself when it is ready.
	Watched bool
	// Behind is the ID of the thumbnail of the last finished video, if that is not in Cards
	// because too many are running; else 0.
	Behind int64
	// Seen says in the address for refreshing what the list shows; empty if every response
	// should be complete.
	Seen string
	Now  time.Time
}

// Until returns the first time after Now at which the list looks different although
// nothing in the database has changed, or the zero time; see part.Until.
func (l Latest) Until() time.Time {
	var turns []time.Time
	for _, c := range l.Cards {
		turns = append(turns, part.Until(c))
	}
	if on, ok := l.shown(); ok && !on.Task.State.Running() { // it says how long ago
		turns = append(turns, part.AgoUntil(on.Task.CreatedAt, on.Now), part.AgoUntil(on.Task.DecidedAt, on.Now))
	}
	for _, s := range l.shots() {
		turns = append(turns, s.until(l.Now))
	}
	return part.Earliest(l.Now, turns...)
}

// Prices reports whether the list shows what a final version is likely to cost.
func (l Latest) Prices() bool {
	on, ok := l.shown()
	return ok && on.Final != nil
}

// Live reports whether the list should refresh itself.
func (l Latest) Live() bool { return slices.ContainsFunc(l.Cards, part.Card.Live) }

// shots groups the cards by order, newest first.
func (l Latest) shots() []shot {
	order := make([]int, len(l.Cards)) // cards are large, so that sorting them takes longer
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(l.Cards[b].Task.ID, l.Cards[a].Task.ID) })
	var shots []shot
	for _, i := range order {
		c := &l.Cards[i]
		if last := len(shots) - 1; last >= 0 && c.Task.Batch != "" && shots[last][0].Task.Batch == c.Task.Batch {
			shots[last] = append(shot{c}, shots[last]...)
		} else {
			shots = append(shots, shot{c})
		}
	}
	return shots
}

// HasFinished reports whether one of the videos is finished.
func (l Latest) HasFinished() bool {
	return slices.ContainsFunc(l.Cards, func(c part.Card) bool { return c.Task.Ready() })
}

// placeholder returns the last finished video that has a thumbnail. Its picture is in the
// filmstrip and therefore loaded.
func (l Latest) placeholder() part.Placeholder {
	for _, s := range l.shots() {
		for _, c := range slices.Backward(s) {
			if thumb, ok := c.Task.Thumb(); ok && c.Task.Ready() {
				return part.LastVideo(thumb.ID)
			}
		}
	}
	return part.LastVideo(l.Behind)
}

// shown returns the card on the stage: the chosen one or else, of the newest shot, the
// first take that is ready, the first that is running, or simply the first. Ok is false
// if there are no cards.
func (l Latest) shown() (on part.Card, ok bool) {
	if on, ok = l.onStage(); ok && on.Placeholder.Source == "" {
		on.Placeholder = l.placeholder()
	}
	return on, ok
}

// onStage is like shown, without what is shown behind the card's progress.
func (l Latest) onStage() (on part.Card, ok bool) {
	if i := slices.IndexFunc(l.Cards, func(c part.Card) bool { return c.Task.ID == l.Take }); i >= 0 {
		return l.Cards[i], true
	}
	shots := l.shots()
	if len(shots) == 0 {
		return part.Card{}, false
	}
	for _, wanted := range []func(*part.Card) bool{
		func(c *part.Card) bool { return c.Task.State == db.Success },
		func(c *part.Card) bool { return c.Task.State.Running() },
	} {
		if i := slices.IndexFunc(shots[0], wanted); i >= 0 {
			return *shots[0][i], true
		}
	}
	return *shots[0][0], true
}

// refresh returns the path from which the fragment refreshes itself. It names the video
// on the stage, so that no other takes its place.
func (l Latest) refresh() string {
	v := url.Values{"scene": {string(l.Scene)}}
	if c, ok := l.shown(); ok {
		v.Set("take", strconv.FormatInt(c.Task.ID, 10))
		if c.Task.State.Running() {
			v.Set("watched", "1")
		}
	}
	if l.Behind != 0 {
		v.Set("behind", strconv.FormatInt(l.Behind, 10))
	}
	if l.Seen != "" {
		v.Set(part.Seen, l.Seen)
	}
	return "/tasks/latest?" + v.Encode()
}

// takePath returns the path of the page with the card's video on the stage.
func (l Latest) takePath(c part.Card) string {
	return part.ScenePath(l.Scene) + "?take=" + strconv.FormatInt(c.Task.ID, 10)
}

// partPath returns the path of the fragment with the card's video on the stage.
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

// take says which take of its shot the card is, or which video of its batch; empty for the
// only one.
func (l Latest) take(c part.Card) string {
	for _, s := range l.shots() {
		i := slices.IndexFunc(s, func(other *part.Card) bool { return other.Task.ID == c.Task.ID })
		switch {
		case i < 0 || len(s) == 1:
		case !s.isBatch():
			return fmt.Sprintf("Take %d of %d", i+1, len(s))
		case len(s) == s[0].Group.Videos: // otherwise the filmstrip does not have all of them
			return fmt.Sprintf("Number %d of %d", i+1, len(s))
		}
	}
	return ""
}

// together returns the IDs of the finished videos that were ordered together with the
// card's, for a comparison. It returns nil if there are fewer than two.
func (l Latest) together(c part.Card) []int64 {
	for _, other := range l.Cards {
		if c.Task.Batch != "" && other.Task.Batch == c.Task.Batch && len(other.Comparable) > 1 {
			return other.Comparable
		}
	}
	return nil
}

// facts describes the video in one line.
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
	return format.Facts(facts...)
}

// hideable reports whether the viewer can hide the video from the page.
func hideable(c part.Card) bool {
	s := c.Task.State
	return c.Mine && !c.LookOnly && (s == db.Failed || s == db.Canceled || s == db.Rejected)
}

// takeName returns the accessible name of a take's link.
func takeName(c part.Card) string {
	if c.FileMissing() {
		return fmt.Sprintf("File missing: %s", c.Title())
	}
	return fmt.Sprintf("%s: %s", part.StateName(c.Task.State), c.Title())
}
