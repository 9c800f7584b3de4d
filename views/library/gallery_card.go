package library

import (
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/views/part"
)

// tagged returns the address of the gallery with only the videos that have the
// tag.
func tagged(name string) templ.SafeURL { return templ.SafeURL("/gallery?tag=" + url.QueryEscape(name)) }

// CoverPath returns the address of the task's cover; empty without one.
func CoverPath(t db.Task) string {
	if m, ok := t.Cover(); ok {
		return part.MediaPath(m)
	}
	return ""
}

// number returns the ID of the card's video as text for a form.
func number(c part.Card) string { return strconv.FormatInt(c.Task.ID, 10) }

// poster returns the picture of the video for tiles: the thumbnail, or else the
// cover.
func poster(t db.Task) (db.Media, bool) {
	if thumb, ok := t.Thumb(); ok {
		return thumb, true
	}
	return t.Cover()
}

// tileShape returns the CSS class of the video's ratio: the requested one, or
// else the one nearest to its thumbnail's. Without either it is wide.
func tileShape(c part.Card) string {
	if shape := c.Shape(); shape != "r-auto" {
		return shape
	}
	thumb, _ := c.Task.Thumb()
	return part.NearestRatioClass(thumb.Width, thumb.Height)
}

// caption says who made the video and when.
func (w walled) caption(zone *time.Location) string {
	return fmt.Sprintf("%s · %s", w.Card.Maker(), shortDay(w.Card.Task.CreatedAt.In(zone), w.Card.Now.In(zone)))
}

// tileTakes is the ID of the popover with the takes of the tile that was pressed last.
const tileTakes = "tile-takes"

// takesOf says how many takes of the video there are.
func takesOf(c part.Card) string {
	return fmt.Sprintf("%d takes of %s", c.Stacked, c.Title())
}

// stackCompared returns the IDs of the takes to compare: the newest ones.
func stackCompared(c part.Card, takes []db.Task) []int64 {
	t := Takes{}
	for _, task := range takes {
		t.Cards = append(t.Cards, part.Card{Task: task})
	}
	return t.compared(c.Task.ID)
}

// First is the field of a tile's address that asks for the mark of its day.
const First = "first"

// tileRenewal returns the address of the tile's current state, in the list that
// the query describes.
func (w walled) tileRenewal(query string) string {
	address := "/gallery/tile?id=" + number(*w.Card)
	if w.Mark.Title != "" {
		address += "&" + First + "=1"
	}
	if query != "" {
		address += "&" + query[1:]
	}
	return address + "&" + part.Unseen
}

// tile shows one video as Tile does, with additional buttons as its children. If renew is
// set, it refreshes itself.
func tile(w walled, query string, zone *time.Location, eager, renew bool) templ.Component {
	if !renew {
		return tileOf(w, query, zone, eager, false)
	}
	return part.Polled(tileOf(w, query, zone, eager, true))
}

// tileState returns the CSS class of a tile without a video to show: "run" while
// it is being made, "failed" if there will be none, else empty.
func tileState(c part.Card) string {
	switch {
	case c.Task.State.Running():
		return "run"
	case c.Task.State != db.Success || c.FileMissing():
		return "failed"
	}
	return ""
}

// tilePace says how far a video is that is being made.
func tilePace(c part.Card) string {
	usually := part.Usually(c.Usual)
	switch {
	case c.Elsewhere:
		return "Waiting: the team has switched services"
	case c.Slow():
		return "Taking longer than usual"
	case c.Turn() != "":
		return fmt.Sprintf("%s · %s", part.StateName(c.Task.State), c.Turn())
	case c.Ahead > 0:
		return part.ComeFirst(c.Ahead)
	case usually == "":
		return part.StateName(c.Task.State)
	}
	return fmt.Sprintf("%s · %s", part.StateName(c.Task.State), usually)
}

// tileTrouble says in a few words why a tile has no video.
func tileTrouble(c part.Card) string {
	if c.FileMissing() {
		return "File missing"
	}
	return part.StateName(c.Task.State)
}

// tileMoney says briefly what happened to the credits of a task that made no
// video; empty if that is not known.
func tileMoney(c part.Card) string {
	t := c.Task
	switch {
	case t.State == db.Success:
		return ""
	case t.Returned.Known && t.Returned.Amount > 0:
		return fmt.Sprintf("%s came back", part.Amount(t.Returned.Amount))
	case t.State == db.Rejected, t.State == db.Failed && t.Charged.Known && t.Charged.Amount == 0:
		return "Nothing charged"
	case (t.State == db.Canceled || t.Filtered()) && t.Charged.Known:
		return fmt.Sprintf("Charged %s", part.Amount(t.Charged.Amount))
	}
	return ""
}
