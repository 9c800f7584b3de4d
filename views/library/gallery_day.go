package library

import (
	"time"

	"dailies/views/part"
)

// A day holds the videos of a page that were asked for on one day.
type day struct {
	Date  string // as "2026-11-22"
	Title string
	Count int // of all videos of the day that fit; 0 where it is not known
	Cards []part.Card
}

// days returns the page by day, in the zone of the page.
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

// dayTitle names a day as seen from another, both in the same zone.
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

// firstRow is how many of the newest videos are loaded at once.
const firstRow = 6

// Sizes lists how large the videos can be.
func Sizes() []string { return []string{"s", "m", "l"} }

func sizeName(size string) string {
	return map[string]string{"s": "Small", "m": "Medium", "l": "Large"}[size]
}

// size returns the chosen size.
func (g Gallery) size() string {
	if g.Size == "" {
		return "m"
	}
	return g.Size
}

// sized returns the address of this page that chooses the size.
func (g Gallery) sized(size string) string {
	q := g.place()
	q.Set("size", size)
	return galleryPath(q)
}
