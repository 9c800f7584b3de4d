package library

import (
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/views/part"
)

// tagged returns the address of the videos with the tag.
func tagged(name string) templ.SafeURL { return templ.SafeURL("/gallery?tag=" + url.QueryEscape(name)) }

// CoverPath returns the address of the task's poster, empty without one.
func CoverPath(t db.Task) string {
	if m, ok := t.Cover(); ok {
		return part.MediaPath(m)
	}
	return ""
}

// number returns the id of the card's video as forms send it.
func number(c part.Card) string { return strconv.FormatInt(c.Task.ID, 10) }

// poster returns the picture of the video for tiles: small where the server has
// made it small.
func poster(t db.Task) (db.Media, bool) {
	if thumb, ok := t.Thumb(); ok {
		return thumb, true
	}
	return t.Cover()
}

// tileShape returns the class of the video's ratio: the one that was asked for,
// or else the nearest to that of its poster. One that is not known is wide.
func tileShape(c part.Card) string {
	if shape := c.Shape(); shape != "r-auto" {
		return shape
	}
	thumb, _ := c.Task.Thumb()
	return part.NearestRatioClass(thumb.Width, thumb.Height)
}

// tileRenewal returns the address of the tile as it is now, in the list of the
// query.
func tileRenewal(c part.Card, query string) string {
	address := "/gallery/tile?id=" + number(c)
	if query != "" {
		address += "&" + query[1:]
	}
	return address
}

// tileState returns the class of a tile that has no video to show: "run" for one
// that is being made, "failed" for one that will not be there.
func tileState(c part.Card) string {
	switch {
	case c.Task.State.Running():
		return "run"
	case c.Task.State != db.Success || c.FileMissing():
		return "failed"
	}
	return ""
}

func tileTrouble(c part.Card) string {
	if c.FileMissing() {
		return "No file"
	}
	return part.StateName(c.Task.State)
}

// tileProgress says how long a running task has taken, and what is usual.
func tileProgress(c part.Card) string {
	if c.Slow() {
		return "Taking longer than usual"
	}
	said := part.VideoLength(int(c.Task.Elapsed(c.Now).Seconds()))
	if usually := part.Usually(c.Usual); usually != "" {
		said += " · " + usually
	}
	return said
}

// tileMoney says in a few words what became of the credits of a task that made
// no video; empty where that is not known.
func tileMoney(c part.Card) string {
	t := c.Task
	switch {
	case t.State == db.Success:
		return ""
	case t.Returned.Known && t.Returned.Amount > 0:
		return part.Amount(t.Returned.Amount) + " came back"
	case t.State == db.Rejected, t.State == db.Failed && t.Charged.Known && t.Charged.Amount == 0:
		return "You were not charged"
	case t.State == db.Canceled && t.Charged.Known:
		return "You were charged " + part.Amount(t.Charged.Amount)
	}
	return ""
}
