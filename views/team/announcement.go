package team

import (
	"time"

	"dailies/db/team"
	"dailies/views/part"
)

// An AnnouncementPage changes the line on every page. Admins only.
type AnnouncementPage struct {
	Now   team.Announcement // the one that is shown; zero without one
	Text  string
	Until string // as typed, such as 2026-11-23T18:00
	Zone  *time.Location

	Errors part.Errors
}

// end writes when the line that is shown ends.
func (p AnnouncementPage) end() string {
	return p.Now.Until.In(p.Zone).Format("Monday, 2 January 2006, 15:04") + " (" + p.Zone.String() + ")"
}
