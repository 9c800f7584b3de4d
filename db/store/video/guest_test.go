package video_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/suite"
)

func TestOneNetworkAddressHasOnlySomeOfALinksGuests(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	share := deciding(t, s, suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day).ID, ann.ID)
	add := func(source string) error {
		return s.Guests.AddGuest(t.Context(), &review.Guest{
			ShareID: share.ID, Token: secrets.NewToken(), Name: "x", CreatedAt: suite.Day, Source: source,
		})
	}
	for range review.MaxGuestsFrom {
		must(t, add("an office"))
	}
	if err := add("an office"); !errors.Is(err, db.ErrFull) {
		t.Errorf("one guest too many from there: %v", err)
	}
	must(t, add("a train"))
}

func TestGuestsWithOneNameAreNumbered(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share, other := deciding(t, s, video.ID, ann.ID), deciding(t, s, video.ID, ann.ID)
	first, second, third := suite.AddGuest(t, s, share.ID, "Mara"), suite.AddGuest(t, s, share.ID, "mara"), suite.AddGuest(t, s, other.ID, "Mara")
	if first.Number != 1 || second.Number != 2 || third.Number != 1 {
		t.Errorf("numbers %d, %d, %d", first.Number, second.Number, third.Number)
	}
	second.Name = "Jo"
	must(t, s.Guests.RenameGuest(t.Context(), &second, suite.Day))
	second.Name = "MARA"
	must(t, s.Guests.RenameGuest(t.Context(), &second, suite.Day))
	found, err := s.Guests.Guest(t.Context(), share.ID, second.Token)
	if err != nil || found.ID != second.ID || found.Name != "MARA" || found.Number != 2 {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := s.Guests.Guest(t.Context(), other.ID, second.Token); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("the cookie counts on another link: %v", err)
	}
	for range review.MaxGuests - 2 {
		suite.AddGuest(t, s, share.ID, "Jo")
	}
	if err := s.Guests.AddGuest(t.Context(), &review.Guest{
		ShareID: share.ID, Token: secrets.NewToken(), Name: "Jo", CreatedAt: suite.Day,
	}); !errors.Is(err, db.ErrFull) {
		t.Errorf("one guest too many: %v", err)
	}
	second.Name = "Jo"
	must(t, s.Guests.RenameGuest(t.Context(), &second, suite.Day))
	if second.Number != review.MaxGuests-1 {
		t.Errorf("number %d among %d with the name", second.Number, review.MaxGuests-1)
	}
}

func TestAGuestGoesWithEverythingTheyWrote(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, ann.ID)
	mara, jo := suite.AddGuest(t, s, share.ID, "Mara"), suite.AddGuest(t, s, share.ID, "Jo")
	note := suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: mara.Author()})
	kept := suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: jo.Author()})
	suite.AddNote(t, s, review.Note{TaskID: video.ID, ParentID: note.ID, Author: review.Author{UserID: ann.ID}})
	must(t, s.Guests.Decide(t.Context(), review.Verdict{
		TaskID: video.ID, ShareID: share.ID, Guest: mara, Answer: review.Approved, ChangedAt: suite.Day,
	}))
	must(t, s.Guests.DeleteGuest(t.Context(), mara.ID, suite.Day))
	found, err := s.Notes.Of(t.Context(), video.ID)
	must(t, err)
	given, err := s.Guests.Verdicts(t.Context(), []int64{video.ID})
	must(t, err)
	if len(found) != 3 || found[0].ID != note.ID || found[0].Words() != "Deleted" || found[1].ID != kept.ID ||
		found[2].Body != "Larger, please." || len(given) != 0 {
		t.Errorf("%+v, %+v", found, given)
	}
	if err := s.Guests.DeleteGuest(t.Context(), mara.ID, suite.Day); !errors.Is(err, db.ErrNotFound) {
		t.Error(err)
	}
}

func TestVerdictsAreOnePerGuestAndTake(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	second := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat, again").ID, db.Success, suite.Day)
	share, ended := deciding(t, s, video.ID, ann.ID), deciding(t, s, video.ID, ann.ID)
	mara, jo := suite.AddGuest(t, s, share.ID, "Mara"), suite.AddGuest(t, s, share.ID, "Jo")
	ids := []int64{video.ID, second.ID}
	decided := func() review.Approval {
		t.Helper()
		all, err := s.Guests.Approvals(t.Context(), ids, suite.Day)
		must(t, err)
		if all[second.ID].IsAsked() {
			t.Error("the answer is carried over")
		}
		return all[video.ID]
	}
	if is := decided(); is.Answer() != review.Waiting || len(is.Silent) != 2 || is.Silent[0].Name != "Mara" {
		t.Errorf("%+v", is)
	}
	decide := func(g review.Guest, a review.Answer) {
		t.Helper()
		must(t, s.Guests.Decide(t.Context(), review.Verdict{
			TaskID: video.ID, ShareID: g.ShareID, Guest: g, Answer: a, Body: string(a), ChangedAt: suite.Day,
		}))
	}
	decide(mara, review.Changes)
	decide(mara, review.Approved)
	if is := decided(); is.Answer() != review.Approved || len(is.Verdicts) != 1 || len(is.Silent) != 1 ||
		is.Silent[0].ID != jo.ID || is.Verdicts[0].Body != "approved" {
		t.Errorf("%+v", is)
	}
	decide(jo, review.Changes)
	if is := decided(); is.Answer() != review.Changes || is.Guests() != 2 || len(is.Silent) != 0 {
		t.Errorf("%+v", is)
	}
	by, err := s.Guests.VerdictsBy(t.Context(), jo.ID)
	if err != nil || len(by) != 1 || by[video.ID].Answer != review.Changes {
		t.Errorf("%+v, %v", by, err)
	}
	if err := s.Guests.Decide(t.Context(), review.Verdict{
		TaskID: video.ID, ShareID: ended.ID, Guest: jo, Answer: review.Approved, ChangedAt: suite.Day,
	}); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("a guest of another link: %v", err)
	}
	// What was decided stays when the link ends.
	must(t, s.Links.RevokeShare(t.Context(), share.ID, suite.Day))
	must(t, s.Links.RevokeShare(t.Context(), ended.ID, suite.Day))
	if is := decided(); is.Answer() != review.Changes || is.Asked {
		t.Errorf("%+v", is)
	}
}

func TestVideosOfACollectionAreAskedAboutToo(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	c := gallery.Collection{Name: "Fair", CreatedBy: ann.ID, CreatedAt: suite.Day, ChangedAt: suite.Day}
	must(t, s.Collections.AddCollection(t.Context(), &c))
	_, err := s.Collections.AddToCollection(t.Context(), c.ID, ann.ID, []int64{video.ID}, suite.Day)
	must(t, err)
	stands := func(want review.Answer) {
		t.Helper()
		all, err := s.Guests.Approvals(t.Context(), []int64{video.ID}, suite.Day)
		if must(t, err); all[video.ID].Answer() != want {
			t.Errorf("it stands as %q, not %q", all[video.ID].Answer(), want)
		}
	}
	share := gallery.Share{
		Token: secrets.NewToken(), CollectionID: c.ID, CreatedBy: ann.ID, CreatedAt: suite.Day,
		ExpiresAt: suite.Day.Add(time.Hour), May: gallery.Talk,
	}
	must(t, s.Links.AddShare(t.Context(), &share))
	stands("") // with this link, guests may only talk
	share.Token, share.May = secrets.NewToken(), gallery.Decide
	must(t, s.Links.AddShare(t.Context(), &share))
	stands(review.Waiting)
}

// The gallery's filter by answer finds what the labels of videos say, and counts it.
func TestVideosAreFoundByWhatGuestsDecided(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	film := func(words string) db.Task {
		return suite.Bring(t, s, suite.AddTask(t, s, ann.ID, words).ID, db.Success, suite.Day)
	}
	wanted, approved, both, silent, untold, private, collected, ended := film("wanted"), film("approved"), film("both"), film("silent"), film("untold"), film("private"), film("collected"), film("ended")
	decide := func(taskID int64, answers ...review.Answer) {
		t.Helper()
		share := deciding(t, s, taskID, bo.ID)
		for i, a := range answers {
			g := suite.AddGuest(t, s, share.ID, fmt.Sprint("guest ", i))
			must(t, s.Guests.Decide(t.Context(), review.Verdict{
				TaskID: taskID, ShareID: share.ID, Guest: g, Answer: a, ChangedAt: suite.Day,
			}))
		}
	}
	decide(wanted.ID, review.Changes, review.Changes)
	decide(approved.ID, review.Approved, review.Approved)
	decide(both.ID, review.Approved, review.Changes)
	decide(silent.ID)
	decide(approved.ID) // another link, whose guests have not decided
	decide(private.ID)
	_, err := s.Tasks.UpdateTask(t.Context(), private.ID, func(t *db.Task) error { t.Private = true; return nil })
	must(t, err)
	gone := deciding(t, s, ended.ID, ann.ID)
	must(t, s.Links.RevokeShare(t.Context(), gone.ID, suite.Day))
	c := gallery.Collection{Name: "Fair", CreatedBy: ann.ID, CreatedAt: suite.Day, ChangedAt: suite.Day}
	must(t, s.Collections.AddCollection(t.Context(), &c))
	_, err = s.Collections.AddToCollection(t.Context(), c.ID, ann.ID, []int64{collected.ID, private.ID}, suite.Day)
	must(t, err)
	share := gallery.Share{
		Token: secrets.NewToken(), CollectionID: c.ID, CreatedBy: ann.ID, CreatedAt: suite.Day,
		ExpiresAt: suite.Day.Add(time.Hour), May: gallery.Decide,
	}
	must(t, s.Links.AddShare(t.Context(), &share))
	for _, tt := range []struct {
		answers []review.Answer
		query   string
		want    []int64
	}{
		{[]review.Answer{review.Changes}, "", []int64{both.ID, wanted.ID}},
		{[]review.Answer{review.Approved}, "", []int64{approved.ID}},
		{[]review.Answer{review.Waiting}, "", []int64{collected.ID, silent.ID, approved.ID}},
		{[]review.Answer{review.Changes, review.Approved}, "", []int64{both.ID, approved.ID, wanted.ID}},
		{review.Answers(), "", []int64{collected.ID, silent.ID, both.ID, approved.ID, wanted.ID}},
		{[]review.Answer{review.Waiting}, "silent", []int64{silent.ID}},
		{[]review.Answer{review.Changes}, "silent", nil},
		{nil, "untold", []int64{untold.ID}},
	} {
		f := gallery.Filter{Viewer: ann.ID, Query: tt.query, Answers: tt.answers, Now: suite.Day, Limit: 10}
		tasks, total, err := s.Search.CountedTasks(t.Context(), f)
		must(t, err)
		var ids []int64
		for _, task := range tasks {
			ids = append(ids, task.ID)
		}
		if !slices.Equal(ids, tt.want) || total != len(ids) {
			t.Errorf("%v %q: %v of %d, not %v", tt.answers, tt.query, ids, total, tt.want)
		}
		f.Makers = []int64{ann.ID} // read from another index, and checked
		if _, total, err := s.Search.CountedTasks(t.Context(), f); err != nil || total != len(tt.want) {
			t.Errorf("%v %q by Ann: %d, %v", tt.answers, tt.query, total, err)
		}
	}
	counts, err := s.Search.CountFacet(
		t.Context(), gallery.Filter{Viewer: ann.ID, Now: suite.Day, Answers: []review.Answer{review.Approved}},
		gallery.ByVerdict,
	)
	if want := map[string]int{"changes": 2, "approved": 1, "waiting": 3}; err != nil || !maps.Equal(counts, want) {
		t.Errorf("%v, %v", counts, err)
	}
	place, err := s.Search.PlaceOf(
		t.Context(), gallery.Filter{Viewer: ann.ID, Now: suite.Day, Answers: []review.Answer{review.Waiting}}, silent.ID,
	)
	if err != nil || place != (gallery.Place{Previous: collected.ID, Next: approved.ID, Position: 2, Total: 3}) {
		t.Errorf("%+v, %v", place, err)
	}
	all, err := s.Guests.Approvals(t.Context(), []int64{private.ID}, suite.Day)
	if err != nil || all[private.ID].IsAsked() {
		t.Errorf("nobody is shown a private video of somebody else: %+v, %v", all, err)
	}
}

// Guests of a storyline decide about each of its scenes.
func TestScenesAreAskedAboutOneByOne(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	first := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	next := suite.NewTask(ann.ID, "the harbour")
	next.ParentID, next.Reuse = first.ID, db.Continued
	suite.Queue(t, s, &next)
	next = suite.Bring(t, s, next.ID, db.Success, suite.Day)
	for _, id := range []int64{first.ID, next.ID} {
		_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
			return t.Keep([]db.Media{{Kind: db.Video, Hash: fmt.Sprint("h", id), CreatedAt: suite.Day}}, true)
		})
		must(t, err)
	}
	share := gallery.Share{
		Token: secrets.NewToken(), TaskID: first.ID, Story: true, CreatedBy: ann.ID, CreatedAt: suite.Day,
		ExpiresAt: suite.Day.Add(time.Hour), May: gallery.Decide,
	}
	must(t, s.Links.AddShare(t.Context(), &share))
	mara := suite.AddGuest(t, s, share.ID, "Mara")
	must(t, s.Guests.Decide(t.Context(), review.Verdict{
		TaskID: first.ID, ShareID: share.ID, Guest: mara, Answer: review.Approved, ChangedAt: suite.Day,
	}))
	all, err := s.Guests.Approvals(t.Context(), []int64{first.ID, next.ID}, suite.Day)
	if must(t, err); all[first.ID].Answer() != review.Approved || all[next.ID].Answer() != review.Waiting || len(all[next.ID].Silent) != 1 {
		t.Errorf("%+v", all)
	}
	for a, want := range map[review.Answer]int64{review.Waiting: next.ID, review.Approved: first.ID} {
		tasks, err := s.Search.Tasks(t.Context(), gallery.Filter{
			Viewer: ann.ID, Now: suite.Day, Answers: []review.Answer{a}, Makers: []int64{ann.ID}, Limit: 10,
		})
		if err != nil || len(tasks) != 1 || tasks[0].ID != want {
			t.Errorf("%s: %d found, %v", a, len(tasks), err)
		}
	}
}

// A form with a name that is sent twice at once adds one guest with one note, or answer.
func TestAGuestIsAddedOnceForAToken(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, ann.ID)
	named := func(token, name string) review.Guest {
		return review.Guest{ShareID: share.ID, Token: token, Name: name, CreatedAt: suite.Day}
	}
	noting, answering := secrets.NewToken(), secrets.NewToken()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			g, n := named(noting, "Mara"), review.Note{TaskID: video.ID, ShareID: share.ID, Body: "redder", CreatedAt: suite.Day}
			if err := s.Notes.AddFirstNote(t.Context(), &g, &n); err != nil || g.ID == 0 || n.ID == 0 || g.Number != 1 {
				t.Errorf("%+v, %+v, %v", g, n, err)
			}
		})
		all.Go(func() {
			v := review.Verdict{
				TaskID: video.ID, ShareID: share.ID, Guest: named(answering, "Jo"), Answer: review.Changes, Body: "bluer",
				ChangedAt: suite.Day,
			}
			if err := s.Guests.Decide(t.Context(), v); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	found, err := s.Notes.Of(t.Context(), video.ID)
	if err != nil || len(found) != 2 {
		t.Errorf("%d notes, %v", len(found), err)
	}
	again := named(noting, "Another name")
	must(t, s.Guests.AddGuest(t.Context(), &again))
	if visitors, err := s.Guests.Visitors(t.Context(), []int64{share.ID}); err != nil || len(visitors[share.ID]) != 2 ||
		again.Name != "Mara" {
		t.Errorf("%+v, %q, %v", visitors, again.Name, err)
	}
	if n, err := s.Notes.HowMuchIsNew(t.Context(), ann.ID); err != nil || n != 2 {
		t.Errorf("%d news, %v", n, err)
	}
}

func TestALinkListsItsGuestsAndIsBroughtBack(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share, other := deciding(t, s, video.ID, ann.ID), deciding(t, s, video.ID, ann.ID)
	mara, tom := suite.AddGuest(t, s, share.ID, "Mara"), suite.AddGuest(t, s, share.ID, "Tom")
	suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: mara.Author(), Body: "larger"})
	must(t, s.Guests.Decide(t.Context(), review.Verdict{
		TaskID: video.ID, ShareID: share.ID, Guest: mara, Answer: review.Changes, ChangedAt: suite.Day,
	}))
	found, err := s.Guests.Visitors(t.Context(), []int64{share.ID, other.ID})
	if of := found[share.ID]; err != nil || len(found) != 1 || len(of) != 2 || of[0].ID != mara.ID ||
		of[0].Notes != 1 || len(of[0].Verdicts) != 1 || of[1].ID != tom.ID || of[1].Notes != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	ended := func(now time.Time) (ids []int64) {
		t.Helper()
		all, err := s.Links.EndedShares(t.Context(), video.ID, 0, now)
		must(t, err)
		for _, l := range all {
			ids = append(ids, l.ID)
		}
		return ids
	}
	must(t, s.Links.RevokeShare(t.Context(), share.ID, suite.Day))
	if ids := ended(suite.Day); !slices.Equal(ids, []int64{share.ID}) {
		t.Errorf("ended are %v", ids)
	}
	later := suite.Day.Add(48 * time.Hour) // the other one has ended by itself
	if ids := ended(later); !slices.Equal(ids, []int64{other.ID, share.ID}) {
		t.Errorf("ended are %v", ids)
	}
	if ids := ended(suite.Day.AddDate(1, 0, 0)); ids != nil {
		t.Errorf("ended long ago are %v", ids)
	}
	must(t, s.Links.BringBack(t.Context(), other.ID, later))
	back, err := s.Links.Share(t.Context(), other.ID)
	if err != nil || !back.Open(later) || back.ExpiresAt != later.AddDate(0, 0, gallery.UsualShareDays) {
		t.Errorf("%+v, %v", back, err)
	}
}

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
		suite.AddNote(t, s, review.Note{
			TaskID: video.ID, ParentID: note.ID, ShareID: shareID, Author: by, Body: fmt.Sprint("yes ", by, internal),
			Internal: internal,
		})
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
	if mails := guestMails(t, s, outbox.MailReplies); len(mails) != 1 ||
		mails[0].NextAt != suite.Day.Add(5*time.Minute) || mails[0].Details.GuestID != sub.ID {
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
