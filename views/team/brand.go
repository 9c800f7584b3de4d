package team

import (
	"cmp"
	"fmt"
	"time"

	"dailies/db/outbox"
	"dailies/db/team"
	"dailies/views/input"
)

// A BrandFields has the fields of the team's brand.
type BrandFields struct {
	Name   input.Text
	Logo   input.Field  // a file
	NoLogo input.Switch // removes the logo
	Colour input.Text
	Now    team.Brand // as it is stored
}

// NewBrandFields returns the form that changes the brand.
func NewBrandFields(b team.Brand) BrandFields {
	return BrandFields{
		Name: input.Text{
			Field: input.Field{
				Name: "name", ID: "team-name", Label: "Name", Value: b.Name, Hint: "Guests read “A video from” and this name.",
				Focus: input.OnError, Rules: input.Rules{input.Max(team.MaxTeamName, "60 letters at most. This one has %d.")},
			},
			Fill: "organization",
		},
		Logo:   input.Field{Name: "logo", ID: "team-logo", Label: "Logo", Hint: "PNG, JPEG or WebP, up to 512 KB"},
		NoLogo: input.Switch{Field: input.Field{Name: "no_logo", ID: "no-logo", Label: "Remove the logo"}},
		Colour: input.Text{Field: input.Field{
			Name: "colour", ID: "team-colour", Label: "Colour",
			Hint: "We pick a shade for light and one for dark that can be read.", Value: cmp.Or(b.Colour, UsualColour),
			Rules: input.Rules{input.Valid("colour", "Use a colour such as #0b6157.")},
		}},
		Now: b,
	}
}

// UsualColour is the accent of pages without a brand, in the light theme.
const UsualColour = "#853a03"

// The sentences about a brand that cannot be used.
const (
	LogoOdd       = "Use a PNG, JPEG or WebP picture."
	LogoTooLarge  = "512 KB at most. Make the picture smaller."
	LogoDamaged   = "This picture is damaged. Choose another one."
	LogoTooManyPx = "This picture has too many pixels. Make it smaller."
)

// shade is how the brand looks in one theme.
type shade struct {
	team.Shades
	Card, Ink team.Colour
	Name      string
}

// shades returns how the colour in the form looks, or nothing if it is no colour.
func (f BrandFields) shades() []shade {
	c, ok := team.ParseColour(f.Colour.Value)
	if !ok {
		return nil
	}
	return []shade{
		{c.Shades(team.Light), team.Colour{R: 0xff, G: 0xff, B: 0xff}, team.Colour{R: 0x1a, G: 0x19, B: 0x16}, "In light"},
		{c.Shades(team.Dark), team.Colour{R: 0x1d, G: 0x1d, B: 0x1b}, team.Colour{R: 0xf2, G: 0xf0, B: 0xea}, "In dark"},
	}
}

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
			Field:   input.Field{Name: "kind", Label: "Kind", Value: info, Rules: input.Offered(chooseOne)},
			Options: []input.Option{{Value: info, Label: "Info"}, {Value: string(team.Warning), Label: "Warning"}},
		},
		Text: input.Text{
			Field: input.Field{
				Name: "text", Label: "Text", Hint: "Addresses that begin with https:// become links.", Focus: input.OnError,
				Rules: input.Rules{
					input.Required("Write what everyone should know.").OnSubmit(),
					input.Max(team.MaxAnnouncement, "240 characters at most."),
				},
			},
			MaxLength: 300,
		},
		Until: input.Date{
			Field: input.Field{
				Name: "until", Label: "Until", Hint: fmt.Sprintf("Times are those of %s.", zone.String()),
				Value: time.Date(y, m, d+1, 18, 0, 0, 0, zone).Format(input.LocalTime), Focus: input.OnError,
				Rules: input.Rules{
					input.Required("Enter a day and a time, such as 2026-11-23 18:00."),
					input.Valid("gt", "This time is over. Choose a later one."),
					input.Valid("within="+longestAnnouncement.String(), "Choose an end within a year."),
				},
			},
			Zone: zone,
		},
		Close: input.Switch{
			Field: input.Field{Name: "close", Label: "Can be closed", Hint: "Each person can close it, and doesn’t see it again."},
			On:    true,
		},
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

// NewConsentField returns the switch that requires consent.
func NewConsentField(required bool) input.Switch {
	return input.Switch{
		Field: input.Field{
			Name: "required", ID: "consent-required", Label: "People in the cast need a consent line",
			Hint: "Without it, nobody can make a video with that person.",
		},
		On: required,
	}
}

// A LabelFields has the fields of how the team tells that its videos are made by AI.
type LabelFields struct {
	Guests   input.Switch
	Producer input.Text
}

// NewLabelFields returns the form that changes them.
func NewLabelFields(l team.Labels) LabelFields {
	return LabelFields{
		Guests: input.Switch{
			Field: input.Field{
				Name: "made_with_ai", ID: "made-with-ai", Label: "“Made with AI” on shared pages",
				Hint: "The law may ask you to tell people.",
			},
			On: !l.Quiet,
		},
		Producer: input.Text{
			Field: input.Field{
				Name: "producer", Label: "Producer code",
				Hint: "27 letters and digits that begin with 00. Leave it empty for no labels.", Value: l.Producer,
				Focus: input.OnError, Rules: input.Rules{input.Valid("producer", producerOdd)},
			},
			Plain: true, MaxLength: 60,
		},
	}
}

// producerOdd is the sentence about a code that is none.
const producerOdd = "Enter all 27 letters and digits. The first two are 00."

// A MailPart names the mail server, and lists the state of the newest mails.
type MailPart struct {
	Server string // empty if no mail server is configured
	Mails  []outbox.Mail
}

// mailNames holds the labels of the kinds of mail.
var mailNames = map[outbox.MailKind]string{
	outbox.MailInvite: "Invitation", outbox.MailReset: "Password link", outbox.MailTest: "Test", outbox.MailVideos: "Videos",
	outbox.MailSigning: "Sign-in changed",
	outbox.MailAsked:   "Request", outbox.MailAnswered: "Answer", outbox.MailLimit: "Limit",
	outbox.MailWebhook: "Webhook paused", outbox.MailNews: "Notes", outbox.MailConfirm: "Guest’s address",
	outbox.MailReplies: "Replies for a guest", outbox.MailTake: "New take for a guest",
}

func mailName(k outbox.MailKind) string { return cmp.Or(mailNames[k], string(k)) }
