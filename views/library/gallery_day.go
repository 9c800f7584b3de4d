package library

import (
	"time"

	"dailies/views/part"
)

// A day holds the videos of a page whose tasks were created on one day.
type day struct {
	Date  string // such as "2026-11-22"
	Title string
	Count int // number of all matching videos of the day; 0 if it is not known
	Cards []part.Card
}

// days groups the page's videos by day, in the page's time zone.
func (g Gallery) days() (days []day) {
	for _, c := range g.Cards {
		at := c.Task.CreatedAt.In(g.zone())
		date := at.Format(time.DateOnly)
		if len(days) == 0 || days[len(days)-1].Date != date {
			days = append(days, day{Date: date, Title: dayTitle(at, c.Now.In(g.zone())), Count: g.PerDay[date]})
		}
		last := &days[len(days)-1]
		last.Cards = append(last.Cards, c)
	}
	return days
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
	switch date := at.Format(time.DateOnly); {
	case date == now.Format(time.DateOnly):
		return "Today"
	case date == now.AddDate(0, 0, -1).Format(time.DateOnly):
		return "Yesterday"
	case at.Year() == now.Year():
		return at.Format("Monday 2 January")
	}
	return at.Format("2 January 2006")
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
