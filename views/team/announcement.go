package team

import (
	"fmt"
	"time"

	"dailies/db/team"
	"dailies/views/input"
)

// An AnnouncementPage is the page that changes the announcement, a line on every page.
// Admins only.
type AnnouncementPage struct {
	Now  team.Announcement // the announcement that is shown; zero if there is none
	Form AnnouncementFields
}

// An AnnouncementFields has the fields of an announcement.
type AnnouncementFields struct {
	Text  input.Text
	Until input.Date
}

// longestAnnouncement limits how far in the future an announcement may end.
const longestAnnouncement = 366 * 24 * time.Hour

// NewAnnouncementFields returns an empty form for a team in the time zone. It suggests an
// end in the evening after now.
func NewAnnouncementFields(zone *time.Location, now time.Time) AnnouncementFields {
	y, m, d := now.In(zone).Date()
	return AnnouncementFields{
		Text: input.Text{
			Field: input.Field{Name: "text", Label: "What everybody should know", Focus: input.OnError},
			Room:  300, Most: team.MaxAnnouncement, Missing: "Please write the line.", Long: "Please say it in fewer words: 240 characters at most.",
		},
		Until: input.Date{
			Field: input.Field{
				Name: "until", Label: "Until", Hint: fmt.Sprintf("In the team’s time zone, %s.", zone.String()),
				Value: time.Date(y, m, d+1, 18, 0, 0, 0, zone).Format(input.LocalTime), Focus: input.OnError,
			},
			Zone: zone, Most: longestAnnouncement, Wrong: "Please give a day and a time, such as 2026-11-23 18:00.",
			Past: "This time is over. Please choose one that is still to come.", Far: "Please choose an end within a year.",
		},
	}
}

// end says when the present announcement ends.
func (p AnnouncementPage) end() string {
	return p.Now.Until.In(p.Form.Until.Zone).Format("Monday, 2 January 2006, 15:04") + " (" + p.Form.Until.Zone.String() + ")"
}
