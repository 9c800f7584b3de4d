package library

import (
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/views/part"
)

// shownTags is the number of tags on a card.
const shownTags = 3

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
