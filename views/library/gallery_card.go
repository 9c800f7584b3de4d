package library

import (
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/views/part"
)

// shownTags is how many tags a card names.
const shownTags = 3

// tagged leads to the videos with the tag.
func tagged(name string) templ.SafeURL { return templ.SafeURL("/gallery?tag=" + url.QueryEscape(name)) }

// CoverPath is where the task's picture is, or empty if it has none.
func CoverPath(t db.Task) string {
	if m, ok := t.Cover(); ok {
		return part.MediaPath(m)
	}
	return ""
}

// number is the id of the card's video as forms send it.
func number(c part.Card) string { return strconv.FormatInt(c.Task.ID, 10) }
