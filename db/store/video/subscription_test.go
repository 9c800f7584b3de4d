package video_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/suite"
)

// guestMails returns the mails to guests that wait, without claiming them.
func guestMails(t *testing.T, s *store.Store, kind outbox.MailKind) (found []outbox.Mail) {
	t.Helper()
	all, err := s.Mail.Mails(t.Context(), 100)
	must(t, err)
	for _, m := range all {
		if m.Kind == kind && !m.NextAt.IsZero() {
			found = append(found, m)
		}
	}
	return found
}

// subscribed adds a guest of the link who gave the address.
func subscribed(t *testing.T, s *store.Store, shareID int64, address string, now time.Time) (review.Guest, error) {
	t.Helper()
	g := review.Guest{ShareID: shareID, Token: secrets.NewToken(), Name: "Mara", Email: address, CreatedAt: now}
	return g, s.Guests.AddGuest(t.Context(), &g)
}

func TestAnAddressIsAskedOnceAndToldOfReplies(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share, other := deciding(t, s, video.ID, ann.ID), deciding(t, s, video.ID, ann.ID)
	mara, err := subscribed(t, s, share.ID, "Mara@example.com", suite.Day)
	must(t, err)
	again, err := subscribed(t, s, share.ID, "mara@EXAMPLE.com", suite.Day)
	must(t, err)
	asked := guestMails(t, s, outbox.MailConfirm)
	if len(asked) != 1 || asked[0].Address != "Mara@example.com" || asked[0].UserID != 0 {
		t.Fatalf("asked %+v", asked)
	}
	note := suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: mara.Author(), Body: "larger"})
	reply := func(by review.Author, shareID int64, internal bool) {
		suite.AddNote(t, s, review.Note{TaskID: video.ID, ParentID: note.ID, ShareID: shareID, Author: by, Body: fmt.Sprint("yes ", by, internal), Internal: internal})
	}
	replies := func() []review.Note {
		t.Helper()
		sub, err := s.Guests.SubscriptionOf(t.Context(), mara.ID)
		must(t, err)
		found, err := s.Notes.RepliesFor(t.Context(), sub, suite.Day)
		must(t, err)
		return found
	}
	reply(review.Author{UserID: ann.ID}, 0, false)
	if len(guestMails(t, s, outbox.MailReplies)) != 0 {
		t.Error("an address gets mails that nobody has confirmed")
	}
	sub, err := s.Guests.SubscriptionOf(t.Context(), again.ID)
	must(t, err)
	must(t, s.Guests.TurnMails(t.Context(), sub.ID, true, suite.Day))
	reply(again.Author(), share.ID, false) // the same person in another browser
	if len(guestMails(t, s, outbox.MailReplies)) != 0 {
		t.Error("somebody is told of what they wrote")
	}
	jo := suite.AddGuest(t, s, share.ID, "Jo")
	reply(jo.Author(), share.ID, false)
	reply(review.Author{UserID: ann.ID}, 0, false)
	if mails := guestMails(t, s, outbox.MailReplies); len(mails) != 1 || mails[0].NextAt != suite.Day.Add(5*time.Minute) || mails[0].Details.GuestID != sub.ID {
		t.Errorf("told %+v", mails)
	}
	if found := replies(); len(found) != 2 || found[0].Author.UserID != ann.ID || found[1].Author.GuestID != jo.ID {
		t.Errorf("the replies are %+v", found)
	}
	must(t, s.Guests.TurnMails(t.Context(), sub.ID, false, suite.Day))
	if sub, err := s.Guests.Subscription(t.Context(), sub.ID); err != nil || sub.IsOn() {
		t.Errorf("%+v, %v", sub, err)
	}
	_, err = subscribed(t, s, share.ID, "mara@example.com", suite.Day)
	if must(t, err); len(guestMails(t, s, outbox.MailConfirm)) != 1 {
		t.Error("somebody who wants no mails is asked again")
	}
	// On other links the address is asked, too, but at most three times an hour.
	_, err = subscribed(t, s, other.ID, "mara@example.com", suite.Day)
	must(t, err)
	third, fourth := deciding(t, s, video.ID, ann.ID), deciding(t, s, video.ID, ann.ID)
	if _, err = subscribed(t, s, third.ID, "mara@example.com", suite.Day); !errors.Is(err, review.ErrManyMails) {
		t.Errorf("a fourth mail: %v", err) // the second is about the replies
	}
	if _, err = s.Guests.Guest(t.Context(), third.ID, "x"); !errors.Is(err, db.ErrNotFound) {
		t.Error(err)
	}
	_, err = subscribed(t, s, fourth.ID, "mara@example.com", suite.Day.Add(2*time.Hour))
	must(t, err)
	must(t, s.Guests.DeleteGuest(t.Context(), mara.ID, suite.Day))
	must(t, s.Guests.DeleteGuest(t.Context(), again.ID, suite.Day))
	if _, err := s.Guests.Subscription(t.Context(), sub.ID); err != nil {
		t.Errorf("a third guest has the address: %v", err)
	}
}

func TestGuestsAreToldOfRepliesAsLongAsTheirLinkWorks(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, ann.ID)
	mara, err := subscribed(t, s, share.ID, "mara@example.com", suite.Day)
	must(t, err)
	sub, err := s.Guests.SubscriptionOf(t.Context(), mara.ID)
	must(t, err)
	must(t, s.Guests.TurnMails(t.Context(), sub.ID, true, suite.Day))
	note := suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: mara.Author(), Body: "larger"})
	must(t, s.Links.RevokeShare(t.Context(), share.ID, suite.Day))
	suite.AddNote(t, s, review.Note{TaskID: video.ID, ParentID: note.ID, Author: review.Author{UserID: ann.ID}, Body: "yes"})
	if mails := guestMails(t, s, outbox.MailReplies); len(mails) != 0 {
		t.Errorf("told %+v", mails)
	}
	must(t, s.Guests.DeleteGuest(t.Context(), mara.ID, suite.Day))
	if _, err := s.Guests.Subscription(t.Context(), sub.ID); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("the address of a guest who was removed: %v", err)
	}
}
