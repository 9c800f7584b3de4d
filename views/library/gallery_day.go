package library

import (
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/views/part"
)

// A walled is a video of the wall, with the mark of its day if it is the first of that day
// on the page.
type walled struct {
	Card *part.Card
	Mark mark
}

// A mark is what the first video of a day says about the day. The zero mark says nothing.
type mark struct {
	Date  string // such as "2026-11-22"
	Title string // such as "Fri 20 Nov · 2"
	Month string // such as "November 2026"
}

// wall returns the page's videos with the marks of their days, in the page's time zone.
// What was found by words has no marks.
func (g Gallery) wall() (tiles []walled) {
	before := ""
	tiles = make([]walled, 0, len(g.Cards))
	for i := range g.Cards {
		c := &g.Cards[i]
		m := g.markOf(c)
		if m.Date == before || g.Filter.Query != "" {
			m = mark{}
		} else {
			before = m.Date
		}
		tiles = append(tiles, walled{c, m})
	}
	return tiles
}

// markOf returns the mark of the day on which the video was ordered.
func (g Gallery) markOf(c *part.Card) mark {
	at := c.Task.CreatedAt.In(g.zone())
	date := at.Format(time.DateOnly)
	title := dayTitle(at, c.Now.In(g.zone()))
	if n := g.PerDay[date]; n > 0 {
		title = fmt.Sprintf("%s · %s", title, part.Number(n))
	}
	return mark{date, title, at.Format("January 2006")}
}

// alone returns a video that is shown anew, with its mark if it is the first of its day.
func (g Gallery) alone(c *part.Card) walled {
	w := walled{Card: c}
	if g.First {
		w.Mark = g.markOf(c)
	}
	return w
}

// monthInView returns the month of the first video.
func (g Gallery) monthInView() string {
	if len(g.Cards) == 0 || g.Filter.Query != "" {
		return ""
	}
	return g.markOf(&g.Cards[0]).Month
}

// DayOf returns the day on which the video was ordered, within the period of the filter.
func (g Gallery) DayOf(c part.Card) gallery.Span {
	return g.Filter.DaysOf([]db.Task{c.Task}, g.zone())[0]
}

func (g Gallery) zone() *time.Location {
	if g.Zone == nil {
		return time.UTC
	}
	return g.Zone
}

// dayTitle names the day of at relative to now, which must be in the same time
// zone.
func dayTitle(at, now time.Time) string {
	if near := nearDay(at, now); near != "" {
		return near
	}
	if at.Year() == now.Year() {
		return at.Format("Mon 2 Jan")
	}
	return at.Format("Mon 2 Jan 2006")
}

// shortDay is dayTitle without the day of the week, for captions.
func shortDay(at, now time.Time) string {
	if near := nearDay(at, now); near != "" {
		return near
	}
	if at.Year() == now.Year() {
		return at.Format("2 Jan")
	}
	return at.Format("2 Jan 2006")
}

// nearDay names the day of at if it is today or yesterday.
func nearDay(at, now time.Time) string {
	switch date := at.Format(time.DateOnly); date {
	case now.Format(time.DateOnly):
		return "Today"
	case now.AddDate(0, 0, -1).Format(time.DateOnly):
		return "Yesterday"
	}
	return ""
}

// firstRow is the number of tiles at the top whose pictures are loaded eagerly.
const firstRow = 6

// Sizes lists the sizes of tiles: small, medium and large.
func Sizes() []string { return []string{"s", "m", "l"} }

func sizeName(size string) string {
	return map[string]string{"s": "Small", "m": "Medium", "l": "Large"}[size]
}

// size returns the chosen size of tiles.
func (g Gallery) size() string {
	if g.Size == "" {
		return "m"
	}
	return g.Size
}

// sized returns the address of this page that also selects the size.
func (g Gallery) sized(size string) string {
	q := g.place()
	q.Set("size", size)
	return galleryPath(q)
}
