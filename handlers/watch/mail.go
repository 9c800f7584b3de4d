package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/views/mail"
	"dailies/web/smtp"
)

// A Mailer sends the mails that wait in the database. Each is sent once, or a few times
// if the mail server's answer is lost. Failed mails are retried with growing pauses.
type Mailer struct {
	store  *store.Store
	vault  *secrets.Vault
	client *smtp.Client
	base   string // prefix of all links, without a trailing slash
	log    *slog.Logger
	owner  string // the name under which this process holds leases
}

// NewMailer returns a Mailer that sends mails through the client. Their links begin with
// base.
func NewMailer(s *store.Store, vault *secrets.Vault, client *smtp.Client, base string, log *slog.Logger) *Mailer {
	return &Mailer{s, vault, client, strings.TrimRight(base, "/"), log, s.Process()}
}

const (
	mailsAtOnce = 5               // how many one round claims, and then sends one after another
	mailLease   = 5 * time.Minute // longer than smtp.Longest

	// unansweredTries is how often a mail is sent, at least, before it is given up
	// because the server never confirms it: each time it may have arrived.
	unansweredTries = 3
)

// Run works until ctx ends.
func (p *Mailer) Run(ctx context.Context) error {
	look := time.NewTicker(idle)
	defer look.Stop()
	for {
		for {
			n, err := p.Round(ctx)
			if err != nil && ctx.Err() == nil {
				p.log.Error("cannot read which mails are due", "err", err)
			}
			if n < mailsAtOnce || ctx.Err() != nil {
				break
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
	}
}

// Round handles at most mailsAtOnce due mails, and returns how many it claimed.
func (p *Mailer) Round(ctx context.Context) (int, error) {
	now := p.store.Now()
	until := now.Add(mailLease)
	due, err := p.store.Mail.ClaimMails(ctx, p.owner, now, until, mailsAtOnce)
	for _, m := range due {
		if ctx.Err() != nil || p.store.Now().Add(smtp.Longest).After(until) {
			break // the others are claimed again when the lease ends
		}
		if err := p.handle(ctx, m); err != nil && !errors.Is(err, db.ErrConflict) && ctx.Err() == nil {
			p.log.Error("a mail could not be handled; it will be tried again", "mail", m.ID, "err", err)
		}
	}
	return len(due), err
}

// handle sends one mail, or makes a reset link if the mail requests one, and records
// the result.
func (p *Mailer) handle(ctx context.Context, m outbox.Mail) error {
	written := context.WithoutCancel(ctx)
	if m.Kind == outbox.MailForgot {
		return p.forgot(written, m)
	}
	letter, ready, err := p.letter(ctx, m)
	if err != nil || !ready {
		return err
	}
	html, err := letter.HTML()
	if err != nil {
		return err
	}
	err = p.client.Send(ctx, smtp.Mail{
		ID: m.Name, Name: naming.Clean(m.Person), To: m.Address, Subject: line(letter.Subject), Text: letter.Text(),
		HTML: html, At: m.CreatedAt, Stop: letter.Stop,
	})
	switch now := p.store.Now(); {
	case err == nil:
		m.Sent(now)
		p.log.Info("a mail was sent", "mail", m.ID, "kind", m.Kind, "user", m.UserID)
	case ctx.Err() != nil:
		return nil // the program is stopping; this is no failure of the server
	default:
		m.Fail(reason(err), errors.Is(err, smtp.ErrRefused) || unanswered(m, err), now)
		p.log.Warn("a mail was not sent", "mail", m.ID, "kind", m.Kind, "user", m.UserID, "given up", m.NextAt.IsZero(), "why", m.Problem)
	}
	return p.store.Mail.SettleMail(written, p.owner, m)
}

// forgot makes a reset link for a user who has forgotten the password. If there is no
// such account, it only drops the request; the page has answered the same in both
// cases.
func (p *Mailer) forgot(ctx context.Context, asked outbox.Mail) error {
	email, err := p.vault.OpenMail(asked.Name, asked.Sealed)
	if err != nil {
		return p.store.Mail.DropMail(ctx, p.owner, asked)
	}
	rules, err := p.store.SignOn.Rules(ctx)
	if err != nil {
		return err
	}
	u, err := p.store.Accounts.UserByEmail(ctx, email)
	if rules.PasswordsOff || errors.Is(err, db.ErrNotFound) || err == nil && !u.IsActive() {
		return p.store.Mail.DropMail(ctx, p.owner, asked)
	}
	if err != nil {
		return err
	}
	reset, token := signin.NewReset(u.ID, db.Now())
	m := outbox.NewMail(outbox.MailReset, u.ID, p.store.Now())
	m.Sealed, m.Details = p.vault.SealMail(m.Name, token), outbox.MailDetails{From: asked.Details.From}
	ctx = audit.Acting(ctx, audit.Actor{Name: "the sign-in page", Address: asked.Details.From})
	return p.store.Mail.ForgotMail(ctx, p.owner, asked, reset, m)
}

// letter returns the mail's text, and reports whether it should be sent now.
func (p *Mailer) letter(ctx context.Context, m outbox.Mail) (l mail.Letter, ready bool, err error) {
	d := m.Details
	switch m.Kind {
	case outbox.MailVideos:
		return p.videos(ctx, m)
	case outbox.MailInvite, outbox.MailReset:
		token, err := p.vault.OpenMail(m.Name, m.Sealed)
		if err != nil { // the program's secret has changed
			m.Fail(linkSealed, true, p.store.Now())
			return l, false, p.store.Mail.SettleMail(ctx, p.owner, m)
		}
		if m.Kind == outbox.MailInvite {
			return mail.Invite(d.By, p.base+"/join/"+token), true, nil
		}
		return mail.Reset(m.Person, d.By, d.From, p.base+"/reset/"+token), true, nil
	case outbox.MailConfirm, outbox.MailReplies, outbox.MailTake:
		return p.guest(ctx, m)
	case outbox.MailNews:
		return p.news(ctx, m)
	case outbox.MailTest:
		return mail.Test(m.Person, p.base+"/"), true, nil
	case outbox.MailSigning:
		return mail.Signing(m.Person, d, p.base+"/settings#profile"), true, nil
	case outbox.MailWebhook:
		return mail.Webhook(m.Person, d.Host, fmt.Sprintf("%s/settings/webhooks/%d", p.base, d.Webhook)), true, nil
	case outbox.MailFormat:
		return mail.EarlierFormat(m.Person, d.Host, fmt.Sprintf("%s/settings/webhooks/%d", p.base, d.Webhook)), true, nil
	case outbox.MailMaker:
		return mail.HookOfLeaver(m.Person, d.By, d.Host, fmt.Sprintf("%s/settings/webhooks/%d", p.base, d.Webhook)), true, nil
	case outbox.MailAsked:
		return mail.Asked(d, p.base+"/team/spending"), true, nil
	case outbox.MailAnswered:
		return mail.Answered(d, p.base+"/"), true, nil
	case outbox.MailLimit:
		return mail.Limit(d, p.base+"/usage"), true, nil
	}
	return l, false, fmt.Errorf("mail %d is of an unknown kind, %q", m.ID, m.Kind)
}

// videos returns the mail about the videos of one submission, once all of them have
// ended.
func (p *Mailer) videos(ctx context.Context, m outbox.Mail) (l mail.Letter, ready bool, err error) {
	ended, err := p.store.Mail.Ended(ctx, m)
	if err != nil {
		return l, false, err
	}
	if ended.Running > 0 {
		return l, false, p.store.Mail.ParkMail(ctx, p.owner, m, p.store.Now())
	}
	wanted, err := p.store.Mail.WantedNotices(ctx, m.UserID)
	if err != nil {
		return l, false, err
	}
	if !ended.Wanted(wanted) {
		return l, false, p.store.Mail.DropMail(ctx, p.owner, m)
	}
	link := p.base + "/tasks/" + strconv.FormatInt(ended.TaskID, 10)
	if m.Details.Batch != "" && ended.All() > 1 {
		link = p.base + "/batches/" + url.PathEscape(m.Details.Batch)
	}
	return mail.Videos(ended, link), true, nil
}

// unanswered reports whether the mail is given up because the server confirmed neither
// this attempt nor the one before.
func unanswered(m outbox.Mail, err error) bool {
	return errors.Is(err, smtp.ErrUnanswered) && strings.HasPrefix(m.Problem, smtp.ErrUnanswered.Error()) && m.Tries+1 >= unansweredTries
}

// reason returns a message for admins about why a mail was not sent: the server's
// words, at most 300 bytes.
func reason(err error) string {
	const most = 300
	text := strings.ToValidUTF8(line(err.Error()), "?")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// line returns the text as a single line without control characters. Isolates around
// names stay.
func line(text string) string {
	return strings.Join(strings.FieldsFunc(text, unicode.IsControl), " ")
}

// guest returns a mail to a guest of a link. It is dropped if the link has ended, if the guest
// wants no mails, or if there is nothing to tell any more.
func (p *Mailer) guest(ctx context.Context, m outbox.Mail) (l mail.Letter, ready bool, err error) {
	drop := func(err error) (mail.Letter, bool, error) {
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return l, false, err
		}
		return l, false, p.store.Mail.DropMail(ctx, p.owner, m)
	}
	sub, err := p.store.Guests.Subscription(ctx, m.Details.GuestID)
	if err != nil {
		return drop(err)
	}
	link, err := p.open(ctx, sub.ShareID)
	if err != nil {
		return drop(err)
	}
	sender := mail.Sender{Title: link.Title}
	if link.Named {
		brand, err := p.store.Settings.Brand(ctx)
		if err != nil {
			return l, false, err
		}
		sender.Team = brand.Name
	}
	page := p.base + "/share/" + link.Token
	turn := page + "/mail?" + url.Values{"to": {p.vault.SignMail(sub.ID, sub.Address)}}.Encode()
	switch {
	case m.Kind == outbox.MailConfirm:
		if !sub.ConfirmedAt.IsZero() || !sub.StoppedAt.IsZero() {
			return drop(nil)
		}
		return mail.Confirm(sender, turn), true, nil
	case !sub.IsOn():
		return drop(nil)
	case m.Kind == outbox.MailTake:
		if shown, err := p.shows(ctx, link, m.Details.TaskID); err != nil || !shown {
			return drop(err)
		}
		return mail.Take(sender, videoOn(page, m.Details.TaskID), turn), true, nil
	}
	notes, err := p.store.Notes.RepliesFor(ctx, sub, m.CreatedAt)
	if err != nil {
		return l, false, err
	}
	var replies []mail.Reply
	var first int64
	for _, n := range notes {
		shown, err := p.shows(ctx, link, n.TaskID)
		if err != nil {
			return l, false, err
		}
		if !shown {
			continue
		}
		first = cmp.Or(first, n.TaskID)
		r := mail.Reply{By: n.Author.Called(), Body: n.Body}
		if link.Password != "" { // what is said there stays behind it
			r.Body = ""
		}
		replies = append(replies, r)
	}
	if len(replies) == 0 {
		return drop(nil)
	}
	return mail.Replies(sender, replies, videoOn(page, first), turn), true, nil
}

// open returns the link with its token. It returns db.ErrNotFound if it does not work, or if
// its token is sealed with another secret.
func (p *Mailer) open(ctx context.Context, id int64) (gallery.Share, error) {
	link, err := p.store.Links.Share(ctx, id)
	if err != nil {
		return link, err
	}
	token, err := p.vault.OpenToken(link.CreatedBy, link.Sealed)
	if err != nil {
		return link, db.ErrNotFound
	}
	link, _, err = p.store.Links.OpenShare(ctx, token, gallery.Opening{}, db.Now())
	return link, err
}

// shows reports whether the link shows the video.
func (p *Mailer) shows(ctx context.Context, link gallery.Share, taskID int64) (bool, error) {
	_, _, err := p.store.Links.VideoOn(ctx, link.Token, taskID, db.Now())
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// videoOn returns the address of the page of the link with the video.
func videoOn(page string, taskID int64) string { return fmt.Sprintf("%s/notes?task=%d", page, taskID) }

// newsInMail limits how many notes and answers are read for a mail.
const newsInMail = 100

// news returns the mail about what a person has not seen. It is dropped if they have seen it
// meanwhile, or do not want it any more.
func (p *Mailer) news(ctx context.Context, m outbox.Mail) (l mail.Letter, ready bool, err error) {
	wanted, err := p.store.Mail.WantedNotices(ctx, m.UserID)
	if err != nil {
		return l, false, err
	}
	notes, err := p.store.Notes.New(ctx, m.UserID, newsInMail)
	if err != nil {
		return l, false, err
	}
	var topics []mail.Topic
	at := map[int64]int{} // places in topics, by video
	add := func(taskID int64, item mail.Item) error {
		i, known := at[taskID]
		if !known {
			t, err := p.store.Tasks.Task(ctx, taskID)
			if err != nil {
				return err
			}
			i = len(topics)
			at[taskID], topics = i, append(topics, mail.Topic{Title: t.Heading()})
		}
		topics[i].Items = append(topics[i].Items, item)
		return nil
	}
	for _, kind := range []outbox.Notice{outbox.NoticeAnswer, outbox.NoticeNotes} {
		for _, n := range slices.Backward(notes) {
			if !wanted[kind] || n.IsAnswer() != (kind == outbox.NoticeAnswer) {
				continue
			}
			if err := add(n.TaskID,
				mail.Item{By: n.Author.Called(), Guest: n.Author.IsGuest(), Answer: string(n.Answer), Body: n.Body}); err != nil {
				return l, false, err
			}
		}
	}
	if len(topics) == 0 {
		return l, false, p.store.Mail.DropMail(ctx, p.owner, m)
	}
	link := p.base + "/notes"
	if len(topics) == 1 {
		for id := range at {
			link = fmt.Sprintf("%s/tasks/%d/notes", p.base, id)
		}
	}
	return mail.News(topics, link), true, nil
}

// serverEvery is how often a process reports whether it has a mail server.
const serverEvery = time.Minute

// KeepMailServer returns a worker that reports whether this process has a mail server, so that
// no process writes mails while none has.
func KeepMailServer(s *store.Store, has bool, log *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		again := time.NewTicker(serverEvery)
		defer again.Stop()
		for {
			if err := s.Mail.KeepServer(ctx, has, s.Now()); err != nil && ctx.Err() == nil {
				log.Error("cannot record whether there is a mail server", "err", err)
			}
			select {
			case <-ctx.Done():
				return nil
			case <-again.C:
			}
		}
	}
}
