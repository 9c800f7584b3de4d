package team

import (
	"fmt"
	"time"

	"dailies/db/team"
	"dailies/views/input"
)

// A BrandPage is the page of the team's brand, its labels, the announcement and emails. Admins
// only.
type BrandPage struct {
	Brand   BrandFields
	Consent bool // the consent of people in the cast is required
	Labels  *LabelFields
	Now     team.Announcement // the announcement that is shown; zero if there is none
	Form    AnnouncementFields
	Mail    MailPart
}

// An AnnouncementFields has the fields of an announcement.
type AnnouncementFields struct {
	Text  input.Text
	Kind  input.Choice
	Until input.Date
	Close input.Switch
}

// Inputs returns all fields, in the order of the page.
func (f *AnnouncementFields) Inputs() []input.Input {
	return []input.Input{&f.Kind, &f.Text, &f.Until, &f.Close}
}

// Announcement returns the announcement in the form.
func (f *AnnouncementFields) Announcement() team.Announcement {
	a := team.Announcement{Text: f.Text.Value, Until: f.Until.Time.UTC(), Stays: !f.Close.On}
	if f.Kind.Value == string(team.Warning) {
		a.Kind = team.Warning
	}
	return a
}

// longestAnnouncement limits how far in the future an announcement may end.
const longestAnnouncement = 366 * 24 * time.Hour

// NewAnnouncementFields returns an empty form for a team in the time zone. It suggests an
// end in the evening after now.
func NewAnnouncementFields(zone *time.Location, now time.Time) AnnouncementFields {
	y, m, d := now.In(zone).Date()
	return AnnouncementFields{
		Kind: input.Choice{
			Field:   input.Field{Name: "kind", Label: "Kind", Value: info},
			Options: []input.Option{{Value: info, Label: "Info"}, {Value: string(team.Warning), Label: "Warning"}},
			Wrong:   chooseOne,
		},
		Text: input.Text{
			Field: input.Field{Name: "text", Label: "Text", Hint: "Addresses that begin with https:// become links.", Focus: input.OnError},
			Room:  300, Most: team.MaxAnnouncement, Missing: "Write what everyone should know.", Long: "240 characters at most.",
		},
		Until: input.Date{
			Field: input.Field{
				Name: "until", Label: "Until", Hint: fmt.Sprintf("Times are those of %s.", zone.String()),
				Value: time.Date(y, m, d+1, 18, 0, 0, 0, zone).Format(input.LocalTime), Focus: input.OnError,
			},
			Zone: zone, Most: longestAnnouncement, Wrong: "Enter a day and a time, such as 2026-11-23 18:00.",
			Past: "This time is over. Choose a later one.", Far: "Choose an end within a year.",
		},
		Close: input.Switch{Field: input.Field{Name: "close", Label: "Can be closed", Hint: "Each person can close it, and doesn’t see it again."}, On: true},
	}
}

// info is the value of the choice for an announcement that is no warning.
const info = "info"

// end says when the present announcement ends.
func (p BrandPage) end() string {
	return p.Now.Until.In(p.Form.Until.Zone).Format("Monday, 2 January 2006, 15:04") + " (" + p.Form.Until.Zone.String() + ")"
}

// BrandFact says what is announced, or else how the team is called.
func BrandFact(b team.Brand, a team.Announcement, now time.Time) string {
	switch {
	case a.IsShown(now):
		return a.Text
	case b.Name != "":
		return b.Name
	}
	return "No announcement"
}
