package mail_test

import (
	"html"
	"strings"
	"testing"

	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/views/mail"
)

// The plain text and the HTML contain the same words, and what users wrote is escaped
// in the HTML.
func TestBothPartsOfAMailSayTheSame(t *testing.T) {
	const nasty = `<script>alert(1)</script> & "Kim"`
	for name, l := range map[string]mail.Letter{
		"invite": mail.Invite(nasty, "https://d.example/join/x"), "reset": mail.Reset(nasty, "", "192.0.2.7", "https://d.example/reset/x"),
		"reset by an admin": mail.Reset("Kim", nasty, "", "https://d.example/reset/x"), "test": mail.Test(nasty, "https://d.example/"),
		"one": mail.Videos(outbox.Ended{Ready: 1, TaskID: 7, Title: nasty}, "https://d.example/tasks/7"), "failed": mail.Videos(outbox.Ended{Failed: 1}, "https://d.example/"),
		"unsure": mail.Videos(outbox.Ended{Unsure: 1}, "https://d.example/"), "all": mail.Videos(outbox.Ended{Ready: 200}, "https://d.example/"),
		"some": mail.Videos(outbox.Ended{Ready: 2, Failed: 1, Unsure: 1}, "https://d.example/"), "none": mail.Videos(outbox.Ended{Failed: 2}, "https://d.example/"),
		"signing": mail.Signing(nasty, outbox.MailDetails{Action: audit.CodesOn, Alone: true, From: "192.0.2.7"}, "https://d.example/settings"), "wrong codes": mail.Signing(nasty, outbox.MailDetails{Action: audit.CodesGuessed, From: "192.0.2.7"}, "https://d.example/settings"), "signing by an admin": mail.Signing("Kim", outbox.MailDetails{Action: audit.SecondStepDropped, By: nasty}, "https://d.example/settings"),
		"asked":    mail.Asked(outbox.MailDetails{By: nasty, Credits: 90, Sentence: nasty}, "https://d.example/"),
		"unpriced": mail.Asked(outbox.MailDetails{By: "Kim", Sentence: "Please"}, "https://d.example/"),
		"answered": mail.Answered(outbox.MailDetails{By: nasty, Answer: "no", Sentence: nasty}, "https://d.example/"),
		"once":     mail.Answered(outbox.MailDetails{Answer: "once", Credits: 90.5}, "https://d.example/"), "month": mail.Answered(outbox.MailDetails{Answer: "month"}, "https://d.example/"),
		"always": mail.Answered(outbox.MailDetails{Answer: "always"}, "https://d.example/"),
		"limit":  mail.Limit(outbox.MailDetails{Percent: 80}, "https://d.example/"), "reached": mail.Limit(outbox.MailDetails{Percent: 100, Team: true}, "https://d.example/"),
		"webhook": mail.Webhook(nasty, "https://hooks.example.com", "https://d.example/settings/webhooks/1"),
		"format":  mail.EarlierFormat(nasty, "https://hooks.example.com", "https://d.example/settings/webhooks/1"),
		"maker":   mail.HookOfLeaver(nasty, nasty, "https://hooks.example.com", "https://d.example/settings/webhooks/1"),
		"confirm": mail.Confirm(mail.Sender{Team: nasty, Title: nasty}, "https://d.example/mail"),
		"replies": mail.Replies(mail.Sender{}, []mail.Reply{{By: nasty, Body: nasty}, {By: "Kim"}}, "https://d.example/", "https://d.example/stop"),
		"take":    mail.Take(mail.Sender{Title: nasty}, "https://d.example/", "https://d.example/stop"),
		"news":    mail.News([]mail.Topic{{Title: nasty, Items: []mail.Item{{By: nasty, Guest: true, Answer: "changes", Body: nasty}, {By: nasty, Answer: "approved"}, {By: nasty, Body: nasty}}}}, "https://d.example/"),
	} {
		page, err := l.HTML()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(page, "<script>") || l.Subject == "" || len(l.Lines) == 0 {
			t.Errorf("%s: %+v", name, l)
		}
		plain := html.UnescapeString(page)
		for _, words := range append([]string{l.Subject, l.Link, l.Button, l.Note, l.Stop}, l.Lines...) {
			if words != l.Subject && !strings.Contains(l.Text(), words) || !strings.Contains(plain, words) {
				t.Errorf("%s: %q is not in both parts", name, words)
			}
		}
	}
}

// A name that is written from right to left, or contains characters that change the
// direction, does not change the order of the words around it, in whatever mail.
func TestNamesInMailsKeepTheOrderOfTheWords(t *testing.T) {
	const name, link = "דנה", "https://d.example/"
	const typed = "\u202e" + name + "\n"
	for title, l := range map[string]mail.Letter{
		"invite": mail.Invite(typed, link), "reset": mail.Reset(typed, "", "", link), "reset by an admin": mail.Reset(typed, typed, "", link), "test": mail.Test(typed, link),
		"ready": mail.Videos(outbox.Ended{Ready: 1, Title: typed}, link), "failed": mail.Videos(outbox.Ended{Failed: 1, Title: typed}, link), "unsure": mail.Videos(outbox.Ended{Unsure: 1, Title: typed}, link),
		"signing": mail.Signing(typed, outbox.MailDetails{Action: audit.CodesOn, By: typed}, link), "signing from": mail.Signing(typed, outbox.MailDetails{Action: audit.CodesOn, By: typed, From: "192.0.2.7"}, link),
		"guessed": mail.Signing(typed, outbox.MailDetails{Action: audit.CodesGuessed}, link), "asked": mail.Asked(outbox.MailDetails{By: typed, Credits: 9, Sentence: typed}, link), "unpriced": mail.Asked(outbox.MailDetails{By: typed, Sentence: typed}, link),
		"no": mail.Answered(outbox.MailDetails{By: typed, Answer: "no", Sentence: typed}, link), "once": mail.Answered(outbox.MailDetails{By: typed, Answer: "once"}, link),
		"confirm": mail.Confirm(mail.Sender{Team: typed, Title: typed}, link), "replies": mail.Replies(mail.Sender{Team: typed, Title: typed}, []mail.Reply{{By: typed, Body: typed}, {By: typed}}, link, link),
		"take": mail.Take(mail.Sender{Team: typed, Title: typed}, link, link), "decided": mail.News([]mail.Topic{{Title: typed, Items: []mail.Item{{By: typed, Guest: true, Answer: "approved", Body: typed}}}}, link),
		"month": mail.Answered(outbox.MailDetails{By: typed, Answer: "month"}, link), "always": mail.Answered(outbox.MailDetails{By: typed, Answer: "always"}, link),
	} {
		text := l.Subject + "\n" + l.Text()
		if n := strings.Count(text, name); n == 0 || strings.Count(text, "\u2068"+name+"\u2069") != n || strings.Contains(text, "\u202e") {
			t.Errorf("%s: %q", title, text)
		}
	}
}
