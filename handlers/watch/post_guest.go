package watch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/outbox"
	"dailies/db/review"
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
	link, tasks, err := p.open(ctx, sub.ShareID)
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
		if !shows(tasks, m.Details.TaskID) {
			return drop(nil)
		}
		return mail.Take(sender, videoOn(page, m.Details.TaskID), turn), true, nil
	}
	notes, err := p.store.Notes.RepliesFor(ctx, sub, m.CreatedAt)
	if err != nil {
		return l, false, err
	}
	notes = slices.DeleteFunc(notes, func(n review.Note) bool { return !shows(tasks, n.TaskID) })
	if len(notes) == 0 {
		return drop(nil)
	}
	var replies []mail.Reply
	for _, n := range notes {
		r := mail.Reply{By: n.Author.Called(), Body: n.Body}
		if link.Password != "" { // what is said there stays behind it
			r.Body = ""
		}
		replies = append(replies, r)
	}
	return mail.Replies(sender, replies, videoOn(page, notes[0].TaskID), turn), true, nil
}

// open returns the link with its token, and the videos that it shows. It returns
// db.ErrNotFound if it does not work, or if its token is sealed with another secret.
func (p *Post) open(ctx context.Context, id int64) (gallery.Share, []db.Task, error) {
	link, err := p.store.Links.Share(ctx, id)
	if err != nil {
		return link, nil, err
	}
	token, err := p.vault.OpenToken(link.CreatedBy, link.Sealed)
	if err != nil {
		return link, nil, db.ErrNotFound
	}
	return p.store.Links.OpenShare(ctx, token, db.Now())
}

func shows(tasks []db.Task, id int64) bool {
	return slices.ContainsFunc(tasks, func(t db.Task) bool { return t.ID == id })
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
