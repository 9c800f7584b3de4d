package team

import (
	"time"

	"dailies/db/team"
	"dailies/views/part"
)

// An AnnouncementPage is the page that changes the announcement, a line on every page.
// Admins only.
type AnnouncementPage struct {
	Now   team.Announcement // the announcement that is shown; zero if there is none
	Text  string
	Until string // as typed, such as 2026-11-23T18:00
	Zone  *time.Location

	Errors part.Errors
}

// end says when the present announcement ends.
func (p AnnouncementPage) end() string {
	return p.Now.Until.In(p.Zone).Format("Monday, 2 January 2006, 15:04") + " (" + p.Zone.String() + ")"
}
