package team

import (
	"cmp"

	"dailies/db/outbox"
)

// A MailPage lists the state of the newest mails. Admins only.
type MailPage struct {
	Server string // empty if no mail server is configured
	Mails  []outbox.Mail
}

// mailNames holds the labels of the kinds of mail.
var mailNames = map[outbox.MailKind]string{
	outbox.MailInvite: "Invitation", outbox.MailReset: "Link for a password", outbox.MailTest: "Test", outbox.MailVideos: "Videos", outbox.MailSigning: "Change of signing in",
	outbox.MailAsked: "Asked for more", outbox.MailAnswered: "Answer", outbox.MailLimit: "Limit",
}

func mailName(k outbox.MailKind) string { return cmp.Or(mailNames[k], string(k)) }
