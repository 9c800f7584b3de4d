package watch_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/outbox"
	"dailies/db/store"
	"dailies/db/store/failtest"
	"dailies/db/store/sampletest"
	"dailies/handlers/watch"
	"dailies/web/scopetest"
	"dailies/web/smtp/smtptest"
)

// A broken is a scenario in which one call to the database fails.
type broken struct {
	*testing.T
	plan  *failtest.Plan
	fails func() // counts calls from now on
	log   lockedBuffer
}

type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *broken) slog() *slog.Logger { return slog.New(slog.NewTextHandler(&b.log, nil)) }

// lasts fails the test unless the condition holds within an hour.
func (b *broken) lasts(what string, holds func() bool) {
	b.Helper()
	for range 3600 {
		if holds() {
			return
		}
		time.Sleep(time.Second)
	}
	b.Errorf("not within an hour: %s\n%s", what, b.log.String())
}

// whenEachCallFails runs the scenario as often as it calls the database, in a bubble in
// which time passes at once. Another call fails each time. Once more only the answer to
// a commit is lost, or all calls fail from then on for a minute and a half. The scenario
// calls fails before the work begins that has to cope with it.
func whenEachCallFails(t *testing.T, scenario func(*broken)) {
	t.Helper()
	scopetest.Whole(t)
	once := func(t *testing.T, n int, begin func(p *failtest.Plan, n int)) (calls int, commits []int) {
		synctest.Test(t, func(t *testing.T) {
			b := &broken{T: t, plan: &failtest.Plan{}}
			b.fails = func() { begin(b.plan, n) }
			scenario(b)
			commits = b.plan.Commits()
			var failed string
			calls, failed = b.plan.End()
			if strings.Contains(b.log.String(), "panic") {
				t.Errorf("panic\n%s", b.log.String())
			}
			if t.Failed() {
				t.Logf("call %d failed: %s", n, failed)
			}
		})
		return calls, commits
	}
	outage := func(p *failtest.Plan, n int) {
		p.BeginOutage(n)
		time.AfterFunc(90*time.Second, p.Stop)
	}
	calls, commits := once(t, 0, (*failtest.Plan).Begin)
	if calls == 0 {
		t.Fatal("the database is not called")
	}
	long := scopetest.Long()
	const strands = 4
	for s := range strands {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			t.Parallel()
			for n := s + 1; n <= calls; n += strands {
				if long || n <= 30 && n%3 == 0 || n%13 == 0 {
					once(t, n, (*failtest.Plan).Begin)
				}
				if long || n%11 == 0 {
					once(t, n, outage)
				}
			}
			for i := s; i < len(commits); i += strands {
				once(t, commits[i], (*failtest.Plan).BeginLost)
			}
		})
	}
}

// newBroken returns a bench whose store follows the plan, and a store that does not.
func newBroken(b *broken) (*bench, *store.Store) {
	b.Helper()
	bench := newBenchIn(b.plan.In(b.Context()), b.T)
	return bench, sampletest.Open(b.T, bench.dir+"/dailies.db")
}

// Two videos with the same key are sent once each, and kept.
func TestAFailingDatabaseLosesNoVideo(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		bench, sound := newBroken(b)
		before := bench.balance(b.T)
		ids := []int64{bench.add(b.T, "a boat"), bench.add(b.T, "another boat")}
		b.fails()
		stop := bench.start(b.T, func(c *watch.Config) { c.Log = b.slog() })
		for _, id := range ids {
			b.lasts(fmt.Sprintf("video %d is kept", id), func() bool {
				task, err := sound.Tasks.Task(b.Context(), id)
				must(b.T, err)
				return task.State == db.Success && kept(task) && task.Charged.Known
			})
		}
		stop()
		if n := bench.line.count(create); n != len(ids) {
			b.Errorf("%d creates for %d videos", n, len(ids))
		}
		paid := 0.0
		for _, id := range ids {
			task, err := sound.Tasks.Task(b.Context(), id)
			must(b.T, err)
			paid += task.Charged.Amount
			if video, ok := task.Video(); !ok || len(task.Media) != 2 || video.Hash == "" {
				b.Errorf("video %d has the files %+v", id, task.Media)
			}
		}
		if spent := before - bench.balance(b.T); spent != paid {
			b.Errorf("%v credits are spent, and %v are written down", spent, paid)
		}
		if notes := bench.notes(b.T); len(notes) > 0 {
			b.Errorf("notes are left: %+v", notes)
		}
	})
}

// A process was stopped while the answer to a create call was only in a note, and another
// one while it made a call.
func TestAFailingDatabaseLosesNothingAtTheStart(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		bench, sound := newBroken(b)
		noted := bench.add(b.T, "a boat")
		heal := bench.refuse(b.T, `new.state = 'pending'`)
		stop := bench.start(b.T)
		time.Sleep(5 * time.Second)
		stop()
		heal()
		if len(bench.notes(b.T)) != 1 {
			b.Fatal("there is no note")
		}
		cut := bench.add(b.T, "a lost boat")
		_, err := bench.store.Tasks.UpdateTask(b.Context(), cut, func(t *db.Task) error { return t.Begin(db.Now()) })
		must(b.T, err)
		b.fails()
		defer bench.start(b.T, func(c *watch.Config) { c.Log = b.slog() })()
		for id, want := range map[int64]db.State{noted: db.Success, cut: db.Unconfirmed} {
			b.lasts(fmt.Sprintf("video %d is %s", id, want), func() bool {
				task, err := sound.Tasks.Task(b.Context(), id)
				must(b.T, err)
				return task.State == want && (want != db.Success || kept(task))
			})
		}
		if n := bench.line.count(create); n != 1 {
			b.Errorf("%d creates", n)
		}
	})
}

func TestAFailingDatabaseLosesNoThumbnail(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		bench, sound := newBroken(b)
		id := bench.add(b.T, "a boat")
		stop := bench.start(b.T)
		b.lasts("the video is kept", func() bool {
			task, err := sound.Tasks.Task(b.Context(), id)
			must(b.T, err)
			return kept(task)
		})
		stop()
		files, err := media.Open(bench.dir + "/media")
		must(b.T, err)
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = watch.NewThumbs(bench.store, files, b.slog()).Run(ctx) }()
		b.lasts("the cover has a thumbnail", func() bool {
			task, err := sound.Tasks.Task(b.Context(), id)
			must(b.T, err)
			for _, m := range task.Media {
				if m.Kind == db.Thumb {
					return true
				}
			}
			return false
		})
		end()
		synctest.Wait()
	})
}

func TestAFailingDatabaseLosesNoFilm(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		bench, sound := newBroken(b)
		files, err := media.Open(bench.dir + "/media")
		must(b.T, err)
		id := bench.keepUnread(b.T, files, "hevc", filmOf(b.T, "hevc-sound.mp4"))
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = watch.NewFilms(bench.store, files, b.slog()).Run(ctx) }()
		b.lasts("the film is read", func() bool {
			task, err := sound.Tasks.Task(b.Context(), id)
			must(b.T, err)
			return task.Media[0].Film.Video != ""
		})
		end()
		synctest.Wait()
	})
}

// The usage is brought into another time zone, whichever call fails.
func TestAFailingDatabaseBringsTheUsageIntoAnotherTimeZone(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		bench, sound := newBroken(b)
		for range 3 {
			bench.add(b.T, "a boat")
		}
		must(b.T, sound.Settings.SetTimeZone(b.Context(), "Pacific/Kiritimati"))
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = watch.NewZone(bench.store, b.slog()).Run(ctx) }()
		b.lasts("the usage is in the time zone", func() bool {
			rebuilding, err := sound.Settings.Rebuilding(b.Context())
			must(b.T, err)
			return !rebuilding
		})
		wrong, err := sound.Usage.WrongUsage(b.Context())
		must(b.T, err)
		if len(wrong) > 0 {
			b.Errorf("%q", wrong)
		}
		end()
		synctest.Wait()
	})
}

// It is recorded that there is no mail server, whichever call fails.
func TestAFailingDatabaseLearnsThatThereIsNoMailServer(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		bench, sound := newBroken(b)
		must(b.T, sound.Mail.AddMail(b.Context(), outbox.NewMail(outbox.MailTest, 1, db.Now())))
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = watch.KeepMailServer(bench.store, false, b.slog())(ctx) }()
		b.lasts("no mail waits", func() bool {
			w, err := sound.Work(b.Context(), db.Now())
			must(b.T, err)
			return w.Mails == 0
		})
		end()
		synctest.Wait()
	})
}

// A notice arrives, at most twice.
func TestAFailingDatabaseLosesNoNotice(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		path := b.TempDir() + "/dailies.db"
		n := newNotifierTestIn(b.plan.In(b.Context()), b.T, path)
		sound := sampletest.Open(b.T, path)
		n.Notifier = watch.NewNotifier(n.store, n.vault, &http.Client{Transport: n.receiver}, "https://dailies.example.com", b.slog())
		n.end(b.T, "failed")
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = n.Run(ctx) }()
		b.lasts("the notice is delivered", func() bool {
			all, err := sound.Webhooks.Deliveries(b.Context(), 1, 1)
			must(b.T, err)
			return len(all) == 1 && all[0].Outcome != ""
		})
		end()
		synctest.Wait()
		if len(n.got) < 1 || len(n.got) > 2 {
			b.Errorf("%d notices", len(n.got))
		}
	})
}

// A mail arrives, at most twice.
func TestAFailingDatabaseLosesNoMail(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		path := b.TempDir() + "/dailies.db"
		o := newOfficeIn(b.plan.In(b.Context()), b.T, &smtptest.Server{}, path)
		sound := sampletest.Open(b.T, path)
		o.slog = b.slog()
		o.invite(b.T, "new@example.com", "THETOKENOFTHELINK")
		b.fails()
		ctx, end := context.WithCancel(b.Context())
		defer end()
		go func() { _ = o.post().Run(ctx) }()
		b.lasts("the mail is sent", func() bool {
			mails, err := sound.Mail.Mails(b.Context(), 1)
			must(b.T, err)
			return len(mails) == 1 && !mails[0].SentAt.IsZero()
		})
		end()
		synctest.Wait()
		if n := len(o.Mails()); n < 1 || n > 2 {
			b.Errorf("%d mails", n)
		}
	})
}

// What is due is purged with its file, and what is not stays.
func TestAFailingDatabasePurgesWhatIsDue(t *testing.T) {
	whenEachCallFails(t, func(b *broken) {
		h := newBinHouseIn(b.plan.In(b.Context()), b.T)
		due, file := h.video(b.T, "one")
		stays, other := h.video(b.T, "two")
		h.delete(b.T, due)
		bin, late := watch.NewBin(h.store, h.files, b.slog()), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC) // the files have the machine's time
		b.fails()
		_ = bin.Round(b.Context(), late)
		_ = bin.Round(b.Context(), late.Add(25*time.Hour))
		b.plan.Stop()
		time.Sleep(2 * time.Minute) // the lease on a file that was being removed ends
		must(b.T, bin.Round(b.Context(), late.Add(26*time.Hour)))
		must(b.T, bin.Round(b.Context(), late.Add(52*time.Hour)))
		if task, err := h.store.Tasks.Task(b.Context(), due); err != nil || task.PurgedAt.IsZero() || h.has(b.T, file) {
			b.Errorf("it is not purged: %v", err)
		}
		if task, err := h.store.Tasks.Task(b.Context(), stays); err != nil || !task.PurgedAt.IsZero() || !h.has(b.T, other) {
			b.Errorf("the other video is gone: %+v, %v", task, err)
		}
	})
}
