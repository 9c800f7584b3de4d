package watch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/handlers/watch"
	"dailies/web/smtp"
	"dailies/web/smtp/smtptest"
)

// office is a mail server and a store with the account of one user, Kim.
type office struct {
	*smtptest.Server
	store *store.Store
	vault *secrets.Vault
	log   bytes.Buffer
	slog  *slog.Logger // writes to log
	kim   db.User
}

func newOffice(t *testing.T, server *smtptest.Server) *office {
	t.Helper()
	return newOfficeIn(t.Context(), t, server, t.TempDir()+"/dailies.db")
}

// newOfficeIn is like newOffice, with a context for the database at the path.
func newOfficeIn(ctx context.Context, t *testing.T, server *smtptest.Server, path string) *office {
	t.Helper()
	vault, err := secrets.NewVault([]byte("tests"))
	must(t, err)
	o := &office{Server: server, store: sampletest.OpenIn(ctx, t, path), vault: vault}
	o.slog = slog.New(slog.NewTextHandler(&o.log, nil))
	o.kim = db.User{Name: "Kim", Email: "kim@example.com", Password: "hash", Role: db.Admin, CreatedAt: db.Now()}
	must(t, sampletest.AddUser(t, o.store, &o.kim))
	return o
}

func (o *office) post() *watch.Mailer {
	client := &smtp.Client{
		Address: smtp.Address{Host: "127.0.0.1", Port: 25, From: mail.Address{Address: "dailies@example.com"}}, Dial: o.Dial,
	}
	return watch.NewMailer(o.store, o.vault, client, "https://dailies.example.com/", o.slog)
}

// run lets a Mailer work for that long. It must be called inside a synctest bubble.
func (o *office) run(t *testing.T, d time.Duration) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), d)
	defer stop()
	must(t, o.post().Run(ctx))
}

// invite adds a waiting invitation mail.
func (o *office) invite(t *testing.T, address, token string) outbox.Mail {
	t.Helper()
	m := outbox.NewMail(outbox.MailInvite, 0, o.store.Now())
	m.Address, m.Sealed, m.Details = address, o.vault.SealMail(m.Name, token), outbox.MailDetails{By: "Kim"}
	must(t, o.store.Mail.AddMail(t.Context(), m))
	return m
}

// last returns the newest mail in the database.
func (o *office) last(t *testing.T) outbox.Mail {
	t.Helper()
	mails, err := o.store.Mail.Mails(t.Context(), 1)
	must(t, err)
	if len(mails) == 0 {
		t.Fatal("there is no mail")
	}
	return mails[0]
}

func TestAnInvitationArrivesAndIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, &smtptest.Server{})
		const token = "THETOKENOFTHELINK"
		o.invite(t, "new@example.com", token)
		o.run(t, 2*time.Second)
		got := o.Mails()
		if len(got) != 1 || got[0].To != "new@example.com" ||
			strings.Count(strings.ReplaceAll(got[0].Text, "=\r\n", ""), "https://dailies.example.com/join/"+token) < 2 {
			t.Fatalf("got %+v", got)
		}
		if m := o.last(t); m.SentAt.IsZero() || m.Sealed != nil || m.Details.By != "" {
			t.Errorf("it is kept: %+v", m)
		}
		if strings.Contains(o.log.String(), token) {
			t.Error("the log has the link")
		}
	})
}

func TestARefusalForNowIsTriedAgainAndOneForGoodIsNot(t *testing.T) {
	for answer, tries := range map[string]int{"450 4.2.0 later": 3, "550 5.1.1 nobody of that name": 1, smtptest.HangUp: 3} {
		synctest.Test(t, func(t *testing.T) {
			refused := 0
			o := newOffice(t, &smtptest.Server{Answer: func(line string) string {
				if strings.HasPrefix(line, "RCPT") && refused < 2 {
					refused++
					return answer
				}
				return ""
			}})
			o.invite(t, "new@example.com", "token")
			o.run(t, 5*time.Minute)
			m := o.last(t)
			if m.Tries != tries || len(o.Mails()) != (tries-1)/2 || m.SentAt.IsZero() != (tries == 1) || !m.NextAt.IsZero() {
				t.Errorf("%s: %+v, %d mails", answer, m, len(o.Mails()))
			}
			if tries == 1 && (!strings.Contains(m.Problem, "nobody of that name") || m.Sealed != nil) {
				t.Errorf("it is not kept why: %+v", m)
			}
		})
	}
}

// If the connection is lost after the server took the mail, the mail is sent twice
// with the same ID.
func TestAMailWhoseAnswerIsLostIsTheSameTheSecondTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := false
		o := newOffice(t, &smtptest.Server{Answer: func(line string) string {
			if line == "." && !lost {
				lost = true
				return smtptest.HangUpAfter
			}
			return ""
		}})
		m := o.invite(t, "new@example.com", "token")
		o.run(t, 5*time.Minute)
		got := o.Mails()
		if len(got) != 2 {
			t.Fatalf("%d mails", len(got))
		}
		for _, one := range got {
			if !strings.Contains(one.Text, "Message-ID: <"+m.Name+"@example.com>") {
				t.Errorf("%.300s", one.Text)
			}
		}
	})
}

// A mail whose sending was interrupted is sent by the next process.
func TestARestartInTheMiddleLosesNoMail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, life := true, t.Context()
		ctx, stop := context.WithCancel(life)
		o := newOffice(t, &smtptest.Server{})
		o.Answer = func(line string) string {
			if line == "DATA" && first {
				first = false
				stop()
				return smtptest.HangUp
			}
			return ""
		}
		o.invite(t, "new@example.com", "token")
		o.invite(t, "other@example.com", "token")
		must(t, o.post().Run(ctx))
		if n := len(o.Mails()); n != 0 {
			t.Fatalf("%d mails", n)
		}
		o.run(t, 10*time.Minute)
		if n := len(o.Mails()); n != 2 {
			t.Errorf("%d mails", n)
		}
	})
}

// inviteByTwo queues invitations for n people, lets two Posts run for the given time, and
// expects one mail to each person.
func (o *office) inviteByTwo(t *testing.T, n int, within time.Duration) {
	t.Helper()
	for i := range n {
		o.invite(t, fmt.Sprintf("new%d@example.com", i), "token")
	}
	ctx, stop := context.WithTimeout(t.Context(), within)
	defer stop()
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := o.post().Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	seen := map[string]int{}
	for _, m := range o.Mails() {
		seen[m.To]++
	}
	if len(seen) != n || len(o.Mails()) != n {
		t.Errorf("%d mails to %d people, want one to each of %d", len(o.Mails()), len(seen), n)
	}
}

func TestTwoPostsSendEachMailOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, &smtptest.Server{})
		o.inviteByTwo(t, 30, 10*time.Second)
	})
}

func TestOnlyAnAccountGetsALinkForANewPassword(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, &smtptest.Server{})
		for _, address := range []string{"KIM@example.com", "nobody@example.com"} {
			m := outbox.NewMail(outbox.MailForgot, 0, o.store.Now())
			m.Sealed, m.Details = o.vault.SealMail(m.Name, address), outbox.MailDetails{From: "192.0.2.7"}
			must(t, o.store.Mail.AddMail(t.Context(), m))
		}
		o.run(t, 5*time.Second)
		got := o.Mails()
		if len(got) != 1 || got[0].To != "kim@example.com" || !strings.Contains(got[0].Text, "192.0.2.7") {
			t.Fatalf("got %+v", got)
		}
		_, token, _ := strings.Cut(strings.ReplaceAll(got[0].Text, "=\r\n", ""), "/reset/")
		if u, err := o.store.Sessions.Reset(t.Context(), secrets.HashToken(token[:26]), db.Now()); err != nil || u.ID != o.kim.ID {
			t.Errorf("the link does not work: %v", err)
		}
		_, err := o.store.Sessions.UseReset(t.Context(), secrets.HashToken(token[:26]), "another hash", db.Now())
		must(t, err)
		o.run(t, 5*time.Second)
		if got = o.Mails(); len(got) != 2 || got[1].To != "kim@example.com" ||
			!strings.Contains(got[1].Text, "Your password was changed.") {
			t.Errorf("of the change Kim is told %+v", got)
		}
	})
}

func TestABatchIsOneMailWhenAllOfItHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, &smtptest.Server{})
		must(t, o.store.Mail.SetNotices(t.Context(), o.kim.ID, map[outbox.Notice]bool{outbox.NoticeReady: true}))
		var tasks []db.Task
		for range 20 {
			tasks = append(tasks, db.Task{
				UserID: o.kim.ID, FormToken: secrets.NewToken(), Batch: "together",
				Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a secret prompt"}, CreatedAt: db.Now(),
			})
		}
		added, err := o.store.AddTasks(t.Context(), tasks)
		must(t, err)
		for i, task := range added {
			_, err := o.store.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
				if t.State = db.Success; i%10 == 0 {
					t.State = db.Failed
				}
				return nil
			})
			must(t, err)
			o.run(t, time.Minute)
			if n := len(o.Mails()); n > 0 && i < len(added)-1 {
				t.Fatalf("%d mails after %d videos", n, i+1)
			}
		}
		o.run(t, time.Minute)
		got := o.Mails()
		if len(got) != 1 || !strings.Contains(got[0].Text, "Subject: 18 of your 20 videos are ready") ||
			!strings.Contains(got[0].Text, "/batches/together") || strings.Contains(got[0].Text, "secret") {
			t.Errorf("got %d: %+v", len(got), got)
		}
	})
}

// A table with one row makes a batch of one video.
func TestAMailAboutOneVideoLeadsToIt(t *testing.T) {
	for _, batch := range []string{"", "alone"} {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t, &smtptest.Server{})
			must(t, o.store.Mail.SetNotices(t.Context(), o.kim.ID, map[outbox.Notice]bool{outbox.NoticeReady: true}))
			task := db.Task{
				UserID: o.kim.ID, FormToken: secrets.NewToken(), Batch: batch,
				Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a kite"}, CreatedAt: db.Now(),
			}
			queue(t, o.store, &task)
			_, err := o.store.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { t.State = db.Success; return nil })
			must(t, err)
			o.run(t, time.Minute)
			if got := o.Mails(); len(got) != 1 ||
				!strings.Contains(got[0].Text, "https://dailies.example.com/tasks/1") || strings.Contains(got[0].Text, "/batches/") {
				t.Errorf("batch %q: %+v", batch, got)
			}
		})
	}
}

// Some servers look into a mail for a minute before they answer that it is taken.
func TestAServerThatAnswersLateGetsEachMailOnce(t *testing.T) {
	for _, late := range []time.Duration{20 * time.Second, 100 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t, &smtptest.Server{Answer: func(line string) string {
				if line == "." {
					time.Sleep(late)
				}
				return ""
			}})
			o.inviteByTwo(t, 6, 30*time.Minute)
			if m := o.last(t); m.SentAt.IsZero() {
				t.Errorf("answering after %v: %+v", late, m)
			}
		})
	}
}

// Nobody gets the same mail dozens of times because the server's answer never comes.
func TestAMailWhoseAnswerNeverComesIsSentAFewTimesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, &smtptest.Server{Answer: func(line string) string {
			if line == "." {
				return smtptest.HangUpAfter
			}
			return ""
		}})
		o.invite(t, "new@example.com", "token")
		p := o.post()
		for range 4 * 24 * 6 {
			_, err := p.Round(t.Context())
			must(t, err)
			time.Sleep(10 * time.Minute)
		}
		m := o.last(t)
		if n := len(o.Mails()); n < 2 || n > 4 || !m.NextAt.IsZero() || !strings.Contains(m.Problem, "may have arrived") {
			t.Errorf("%d mails, %+v", n, m)
		}
	})
}

// A name in a script that is written from right to left stays isolated in the subject.
func TestASubjectKeepsItsNameIsolated(t *testing.T) {
	if got := watch.Line(
		"\u2068\u05d3\u05e0\u05d4\u2069 invites you\r\nBcc: all\x00",
	); got != "\u2068\u05d3\u05e0\u05d4\u2069 invites you Bcc: all" {
		t.Errorf("got %q", got)
	}
}

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
		Token: secrets.NewToken(), TaskID: r.video.ID, Title: "The <boat>", Named: true, CreatedBy: r.kim.ID, CreatedAt: db.Now(),
		ExpiresAt: db.Now().Add(24 * time.Hour), May: gallery.Decide,
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
	task := db.Task{
		UserID: userID, FormToken: secrets.NewToken(),
		Request: db.Request{Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat"}, CreatedAt: db.Now(),
	}
	queue(t, s, &task)
	task, err := s.Calls.SettleCall(t.Context(), task.ID, func(t *db.Task) error {
		now := db.Now()
		report := db.Report{
			RemoteID: "remote", Status: string(db.Success),
			Results: []db.Result{{Kind: db.Video, URL: "https://example.com/v.mp4"}},
		}
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
	must(t, r.store.Notes.AddNote(
		t.Context(),
		&review.Note{
			TaskID: r.video.ID, ParentID: r.note.ID, Author: review.Author{UserID: r.kim.ID}, Body: words, Internal: internal,
			CreatedAt: db.Now(),
		},
		nil,
	))
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
		if len(asked) != 1 || !strings.Contains(asked[0], turn) || strings.Contains(asked[0], "Mara") ||
			strings.Contains(asked[0], "List-Unsubscribe") {
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
		for _, want := range []string{
			"Subject: 2 replies to your notes", "Yes, <larger>", "And the fog?",
			fmt.Sprintf("%s/notes?task=%d", page, r.video.ID), turn, "List-Unsubscribe: <" + turn + ">",
			"List-Unsubscribe-Post: List-Unsubscribe=One-Click",
		} {
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
			n := review.Note{
				TaskID: r.video.ID, Author: review.Author{UserID: r.kim.ID}, Body: "too expensive", Internal: true,
				CreatedAt: db.Now(),
			}
			must(t, r.store.Notes.AddNote(t.Context(), &n, nil))
			must(t, r.store.Notes.AddNote(
				t.Context(),
				&review.Note{
					TaskID: r.video.ID, ParentID: n.ID, Author: review.Author{UserID: r.kim.ID}, Body: "indeed",
					CreatedAt: db.Now(),
				},
				nil,
			))
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
			must(t, r.store.Notes.AddNote(
				t.Context(),
				&review.Note{
					TaskID: r.video.ID, ShareID: r.link.ID, Author: r.mara.Author(), Body: fmt.Sprint("note ", i),
					CreatedAt: db.Now(),
				},
				nil,
			))
		}
		must(t, r.store.Guests.Decide(t.Context(), review.Verdict{
			TaskID: r.video.ID, ShareID: r.link.ID, Guest: r.mara, Answer: review.Changes, Body: "the sail",
			ChangedAt: db.Now(),
		}))
		r.run(t, 4*time.Minute)
		if got := r.to("kim@example.com"); len(got) != 0 {
			t.Fatalf("told before it is quiet: %q", got)
		}
		r.run(t, 2*time.Minute)
		got := r.to("kim@example.com")
		if len(got) != 1 {
			t.Fatalf("told %d times", len(got))
		}
		for _, want := range []string{
			"Subject: 5 new notes on Dailies", "note 0", "note 2", "A larger sail", "wants changes", "name typed by a guest",
			fmt.Sprintf("https://dailies.example.com/tasks/%d/notes", r.video.ID),
		} {
			if !strings.Contains(got[0], want) {
				t.Errorf("it lacks %q: %s", want, got[0])
			}
		}
		// What was seen in the app meanwhile is not mailed, nor what nobody wants.
		note := func() {
			must(t, r.store.Notes.AddNote(
				t.Context(),
				&review.Note{TaskID: r.video.ID, ShareID: r.link.ID, Author: r.mara.Author(), Body: "once more", CreatedAt: db.Now()},
				nil,
			))
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
