package team

import (
	"cmp"

	"dailies/db/team"
)

// A MailPage lists the state of the newest mails. Admins only.
type MailPage struct {
	Server string // empty if no mail server is configured
	Mails  []team.Mail
}

// mailNames holds the labels of the kinds of mail.
var mailNames = map[team.MailKind]string{
	team.MailInvite: "Invitation", team.MailReset: "Link for a password", team.MailTest: "Test", team.MailVideos: "Videos", team.MailSigning: "Change of signing in",
	team.MailAsked: "Asked for more", team.MailAnswered: "Answer", team.MailLimit: "Limit",
}

func mailName(k team.MailKind) string { return cmp.Or(mailNames[k], string(k)) }
