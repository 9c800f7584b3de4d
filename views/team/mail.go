package team

import (
	"cmp"

	"dailies/db/outbox"
)

// A MailPart names the mail server, and lists the state of the newest mails.
type MailPart struct {
	Server string // empty if no mail server is configured
	Mails  []outbox.Mail
}

// mailNames holds the labels of the kinds of mail.
var mailNames = map[outbox.MailKind]string{
	outbox.MailInvite: "Invitation", outbox.MailReset: "Password link", outbox.MailTest: "Test", outbox.MailVideos: "Videos", outbox.MailSigning: "Sign-in changed",
	outbox.MailAsked: "Request", outbox.MailAnswered: "Answer", outbox.MailLimit: "Limit",
	outbox.MailWebhook: "Webhook paused", outbox.MailNews: "Notes", outbox.MailConfirm: "Guest’s address", outbox.MailReplies: "Replies for a guest", outbox.MailTake: "New take for a guest",
}

func mailName(k outbox.MailKind) string { return cmp.Or(mailNames[k], string(k)) }
