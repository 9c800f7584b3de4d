package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/outbox"
	"dailies/views/mail"
)

// guest returns a mail to a guest of a link. It is dropped if the link has ended, if the guest
// wants no mails, or if there is nothing to tell any more.
func (p *Post) guest(ctx context.Context, m outbox.Mail) (l mail.Letter, ready bool, err error) {
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
func (p *Post) open(ctx context.Context, id int64) (gallery.Share, error) {
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
func (p *Post) shows(ctx context.Context, link gallery.Share, taskID int64) (bool, error) {
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
func (p *Post) news(ctx context.Context, m outbox.Mail) (l mail.Letter, ready bool, err error) {
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
			if err := add(n.TaskID, mail.Item{By: n.Author.Called(), Guest: n.Author.IsGuest(), Answer: string(n.Answer), Body: n.Body}); err != nil {
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
