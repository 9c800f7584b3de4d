package storybook

import (
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/team"
	"dailies/views/account"
	"dailies/views/part"
	teamview "dailies/views/team"
)

// recordStories shows the admins' pages about the audit log, the mails and the
// announcement.
func recordStories() []story {
	kim := audit.Actor{UserID: 1, Name: "Kim", Address: "192.0.2.7"}
	audit := teamview.AuditPage{
		Zone: time.UTC, Days: teamview.NewAuditDays(400), Older: 1, Users: []db.User{{ID: 1, Name: "Kim"}}, Noun: "member",
		Entries: []audit.Entry{
			{ID: 4, At: Now, Actor: kim, Action: audit.MemberRole, UserID: 2, User: "Lee", Before: "member", After: "admin"},
			{ID: 3, At: Now, Actor: kim, Action: audit.SignedIn, UserID: 1, User: "Kim", What: "by password"},
			{ID: 2, At: Now, Actor: audit.Actor{Address: "2001:db8::/64"}, Action: audit.SignInRefused, UserID: 2, User: "Lee"},
			{ID: 1, At: Now, Actor: audit.Actor{Name: "the command line"}, Action: audit.Exported, What: "a backup"},
		},
	}
	wrong := audit
	wrong.Days = teamview.NewAuditDays(-1)
	fill(wrong.Days, "-1", wrong.Days.Rules[0].Sentence)
	several := audit
	several.Many, several.Users, several.Who, several.Person = true, nil, "lee", -1
	several.Found, several.Fitting = 30, []db.User{{ID: 2, Name: "Lee", Email: "lee@example.com"}, {ID: 3, Name: "Leena", Email: "leena@example.com"}}
	line := teamview.BrandPage{
		Form: teamview.NewAnnouncementFields(time.UTC, Now),
		Now:  team.Announcement{Text: "Lunch at one: https://example.com/lunch.", Until: Now.Add(time.Hour)},
	}
	over := line
	over.Now = team.Announcement{}
	fill(&over.Form.Until, over.Form.Until.Value, over.Form.Until.Rules[1].Sentence)
	mails := teamview.MailPart{Server: "mail.example.com:587, from dailies@example.com", Mails: []outbox.Mail{
		{Address: "new@example.com", Kind: outbox.MailInvite, CreatedAt: Now, NextAt: Now},
		{Address: "kim@example.com", Kind: outbox.MailVideos, CreatedAt: Now, SentAt: Now},
		{Address: "lee@example.com", Kind: outbox.MailReset, CreatedAt: Now, Problem: "550 5.1.1 nobody of that name"},
	}}
	frame := part.Frame{Viewer: &db.User{ID: 1, Name: "Kim", Email: "kim@example.com", Role: db.Admin}, Now: Now}
	return []story{
		{"The line on every page", part.Announcement(team.Announcement{Text: "Lunch at one: https://example.com/lunch."})},
		{"A warning that stays", part.Announcement(team.Announcement{Text: "Dailies restarts at 18:00.", Kind: team.Warning, Stays: true})},
		{"Guests are told, and files are labelled", teamview.LabelForm(teamview.NewLabelFields(
			team.Labels{Producer: "001191440300708461136T1XGW3"},
		))},
		{"Guests aren’t told", teamview.LabelForm(teamview.NewLabelFields(team.Labels{Quiet: true}))},
		{"A line is shown", teamview.AnnouncementForm(line)},
		{"A line that’s over", teamview.AnnouncementForm(over)},
		{"What is looked for in the audit", teamview.AuditFilter(audit)},
		{"A name that several people have", teamview.AuditFilter(several)},
		{"Entries of the audit", teamview.AuditTable(audit)},
		{"No entries", teamview.AuditTable(teamview.AuditPage{Zone: time.UTC, Noun: "key"})},
		{"How long entries are kept", teamview.AuditDays(wrong)},
		{"A mail server", teamview.MailServer(mails)},
		{"No mail server", teamview.MailServer(teamview.MailPart{})},
		{"Mails in every state", part.Framed(frame, teamview.MailTable(mails))},
		{"What a person is told by mail", part.Framed(frame, account.MailChoice(map[outbox.Notice]bool{outbox.NoticeReady: true}))},
	}
}
