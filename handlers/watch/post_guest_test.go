package watch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/web/smtp/smtptest"
)

// clientRoom is an office whose Kim has sent a client a link to a video, and the client Mara has
// written a note there and given an address.
type clientRoom struct {
	*office
	video db.Task
	link  gallery.Share
	mara  review.Guest
	note  review.Note
}

func newClientRoom(t *testing.T, change func(*gallery.Share)) *clientRoom {
	t.Helper()
	r := &clientRoom{office: newOffice(t, &smtptest.Server{})}
	r.video = keptVideo(t, r.store, r.kim.ID)
	r.link = gallery.Share{
		Token: secrets.NewToken(), TaskID: r.video.ID, Title: "The <boat>", Named: true, CreatedBy: r.kim.ID, CreatedAt: db.Now(), ExpiresAt: db.Now().Add(24 * time.Hour), May: gallery.Decide,
	}
	change(&r.link)
	r.link.Sealed = r.vault.SealToken(r.kim.ID, r.link.Token)
	must(t, r.store.Links.AddShare(t.Context(), &r.link))
	r.mara = review.Guest{ShareID: r.link.ID, Token: secrets.NewToken(), Name: "Mara", Email: "mara@example.com", CreatedAt: db.Now()}
	r.note = review.Note{TaskID: r.video.ID, ShareID: r.link.ID, Body: "A larger sail", CreatedAt: db.Now()}
	must(t, r.store.Notes.AddFirstNote(t.Context(), &r.mara, &r.note))
	return r
}

// keptVideo adds a finished video of the person, with its file.
func keptVideo(t *testing.T, s *store.Store, userID int64) db.Task {
	t.Helper()
	task := db.Task{UserID: userID, FormToken: secrets.NewToken(), Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat", CreatedAt: db.Now()}
	queue(t, s, &task)
	task, err := s.Calls.SettleCall(t.Context(), task.ID, func(t *db.Task) error {
		now := db.Now()
		report := db.Report{RemoteID: "remote", Status: string(db.Success), Results: []db.Result{{Kind: db.Video, URL: "https://example.com/v.mp4"}}}
		return errors.Join(t.Begin(now), t.Accept(db.Report{RemoteID: "remote", Status: "pending"}, now, now), t.Report(report, now, now))
	})
	must(t, err)
	task, err = s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: "hash", CreatedAt: db.Now()}}, true)
	})
	must(t, err)
	return task
}

func (r *clientRoom) confirm(t *testing.T) review.Subscription {
	t.Helper()
	sub, err := r.store.Guests.SubscriptionOf(t.Context(), r.mara.ID)
	must(t, err)
	must(t, r.store.Guests.TurnMails(t.Context(), sub.ID, true, db.Now()))
	return sub
}

func (r *clientRoom) reply(t *testing.T, words string, internal bool) {
	t.Helper()
	must(t, r.store.Notes.AddNote(t.Context(), &review.Note{TaskID: r.video.ID, ParentID: r.note.ID, Author: review.Author{UserID: r.kim.ID}, Body: words, Internal: internal, CreatedAt: db.Now()}, nil))
}

// to returns the mails to the address, without soft line breaks.
func (r *clientRoom) to(address string) (texts []string) {
	for _, m := range r.Mails() {
		if m.To == address {
			texts = append(texts, strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(m.Text))
		}
	}
	return texts
}

func TestAGuestIsAskedOnceAndToldOfRepliesTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newClientRoom(t, func(*gallery.Share) {})
		r.run(t, time.Minute)
		page := "https://dailies.example.com/share/" + r.link.Token
		sub, err := r.store.Guests.SubscriptionOf(t.Context(), r.mara.ID)
		must(t, err)
		turn := page + "/mail?to=" + r.vault.SignMail(sub.ID, sub.Address)
		asked := r.to("mara@example.com")
		if len(asked) != 1 || !strings.Contains(asked[0], turn) || strings.Contains(asked[0], "Mara") || strings.Contains(asked[0], "List-Unsubscribe") {
			t.Fatalf("asked %q", asked)
		}
		r.reply(t, "before she has confirmed", false)
		r.run(t, 10*time.Minute)
		r.confirm(t)
		r.reply(t, "Yes, <larger>", false)
		time.Sleep(4 * time.Minute)
		r.reply(t, "And the fog?", false)
		r.run(t, 4*time.Minute)
		if got := r.to("mara@example.com"); len(got) != 1 {
			t.Fatalf("told %d times before it is quiet", len(got)-1)
		}
		r.run(t, 2*time.Minute)
		told := r.to("mara@example.com")
		if len(told) != 2 {
			t.Fatalf("told %d times", len(told)-1)
		}
		for _, want := range []string{"Subject: 2 replies to your notes", "Yes, <larger>", "And the fog?", fmt.Sprintf("%s/notes?task=%d", page, r.video.ID), turn, "List-Unsubscribe: <" + turn + ">", "List-Unsubscribe-Post: List-Unsubscribe=One-Click"} {
			if !strings.Contains(told[1], want) {
				t.Errorf("it lacks %q: %s", want, told[1])
			}
		}
		if strings.Contains(told[1], "before she has confirmed") {
			t.Error("it tells of what came before")
		}
	})
}

func TestWhatGuestsDoNotSeeIsNotMailedToThem(t *testing.T) {
	for name, do := range map[string]func(*testing.T, *clientRoom, review.Subscription){
		"an internal note": func(t *testing.T, r *clientRoom, _ review.Subscription) {
			n := review.Note{TaskID: r.video.ID, Author: review.Author{UserID: r.kim.ID}, Body: "too expensive", Internal: true, CreatedAt: db.Now()}
			must(t, r.store.Notes.AddNote(t.Context(), &n, nil))
			must(t, r.store.Notes.AddNote(t.Context(), &review.Note{TaskID: r.video.ID, ParentID: n.ID, Author: review.Author{UserID: r.kim.ID}, Body: "indeed", CreatedAt: db.Now()}, nil))
		},
		"a link that was turned off": func(t *testing.T, r *clientRoom, _ review.Subscription) {
			r.reply(t, "Yes", false)
			must(t, r.store.Links.RevokeShare(t.Context(), r.link.ID, db.Now()))
		},
		"mails that were stopped": func(t *testing.T, r *clientRoom, sub review.Subscription) {
			r.reply(t, "Yes", false)
			must(t, r.store.Guests.TurnMails(t.Context(), sub.ID, false, db.Now()))
		},
		"a guest who was removed": func(t *testing.T, r *clientRoom, _ review.Subscription) {
			r.reply(t, "Yes", false)
			must(t, r.store.Guests.DeleteGuest(t.Context(), r.mara.ID, db.Now()))
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newClientRoom(t, func(*gallery.Share) {})
			sub := r.confirm(t)
			do(t, r, sub)
			r.run(t, time.Hour)
			if got := r.to("mara@example.com"); len(got) != 0 {
				t.Errorf("%s: %q", name, got)
			}
			mails, err := r.store.Mail.Mails(t.Context(), 10)
			must(t, err)
			for _, m := range mails {
				if m.UserID == 0 && !m.NextAt.IsZero() {
					t.Errorf("%s: it waits: %+v", name, m)
				}
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r := newClientRoom(t, func(s *gallery.Share) { s.Password = "hash" })
		r.confirm(t)
		r.reply(t, "the secret sail", false)
		r.run(t, time.Hour)
		if got := r.to("mara@example.com"); len(got) != 1 || strings.Contains(got[0], "secret") || !strings.Contains(got[0], "replied") {
			t.Errorf("behind a password: %q", got)
		}
	})
}

func TestTheTeamGetsOneMailForABurstOfNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newClientRoom(t, func(*gallery.Share) {})
		for i := range 3 {
			time.Sleep(4 * time.Minute)
			must(t, r.store.Notes.AddNote(t.Context(), &review.Note{TaskID: r.video.ID, ShareID: r.link.ID, Author: r.mara.Author(), Body: fmt.Sprint("note ", i), CreatedAt: db.Now()}, nil))
		}
		must(t, r.store.Guests.Decide(t.Context(), review.Verdict{TaskID: r.video.ID, ShareID: r.link.ID, Guest: r.mara, Answer: review.Changes, Body: "the sail", ChangedAt: db.Now()}))
		r.run(t, 4*time.Minute)
		if got := r.to("kim@example.com"); len(got) != 0 {
			t.Fatalf("told before it is quiet: %q", got)
		}
		r.run(t, 2*time.Minute)
		got := r.to("kim@example.com")
		if len(got) != 1 {
			t.Fatalf("told %d times", len(got))
		}
		for _, want := range []string{"Subject: 5 new notes on Dailies", "note 0", "note 2", "A larger sail", "wants changes", "name typed by a guest", fmt.Sprintf("https://dailies.example.com/tasks/%d/notes", r.video.ID)} {
			if !strings.Contains(got[0], want) {
				t.Errorf("it lacks %q: %s", want, got[0])
			}
		}
		// What was seen in the app meanwhile is not mailed, nor what nobody wants.
		note := func() {
			must(t, r.store.Notes.AddNote(t.Context(), &review.Note{TaskID: r.video.ID, ShareID: r.link.ID, Author: r.mara.Author(), Body: "once more", CreatedAt: db.Now()}, nil))
		}
		note()
		must(t, r.store.Notes.See(t.Context(), r.kim.ID, 0))
		r.run(t, time.Hour)
		must(t, r.store.Mail.SetNotices(t.Context(), r.kim.ID, map[outbox.Notice]bool{outbox.NoticeAnswer: true}))
		time.Sleep(2 * time.Minute)
		note()
		r.run(t, time.Hour)
		if got := r.to("kim@example.com"); len(got) != 1 {
			t.Errorf("told %d times", len(got))
		}
	})
}
