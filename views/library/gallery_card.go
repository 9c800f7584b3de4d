package library

import (
	"fmt"
	"net/url"
	"strconv"

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

// tileRenewal returns the address of the tile's current state, in the list that
// the query describes.
func tileRenewal(c part.Card, query string) string {
	address := "/gallery/tile?id=" + number(c)
	if query != "" {
		address += "&" + query[1:]
	}
	return address + "&" + part.Unseen
}

// tile shows one video as Tile does, with additional buttons as its children. If renew is
// set, it refreshes itself.
func tile(c part.Card, query string, eager, renew bool) templ.Component {
	if !renew {
		return tileOf(c, query, eager, false)
	}
	return part.Polled(tileOf(c, query, eager, true))
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

// tileTrouble says in a few words why a tile has no video.
func tileTrouble(c part.Card) string {
	if c.FileMissing() {
		return "No file"
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
		return "You were not charged"
	case t.State == db.Canceled && t.Charged.Known:
		return fmt.Sprintf("You were charged %s", part.Amount(t.Charged.Amount))
	}
	return ""
}
