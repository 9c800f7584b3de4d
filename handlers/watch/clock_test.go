package watch_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/sampletest"
)

const month = 31 * 24 * time.Hour

// binned reports whether the video is in the bin and can be taken out again.
func (h *binHouse) binned(t *testing.T, id int64) bool {
	t.Helper()
	task, err := h.store.Tasks.Task(t.Context(), id)
	must(t, err)
	return task.PurgedAt.IsZero()
}

// beats lets the program run for that many hours while the machine's clock advances
// from then, and returns the clock's last reading.
func (h *binHouse) beats(t *testing.T, then time.Time, hours int) time.Time {
	t.Helper()
	for range hours {
		then = then.Add(time.Hour)
		must(t, h.bin.Tick(t.Context(), then, time.Hour))
	}
	return then
}

func TestAClockThatIsAheadEmptiesNothing(t *testing.T) {
	for name, off := range map[string]time.Duration{"a day": 24 * time.Hour, "a month": month, "a year": 12 * month} {
		t.Run(name, func(t *testing.T) {
			h := newBinHouse(t)
			id, file := h.video(t, "one")
			deleted, err := h.store.Bin.DeleteTasks(t.Context(), h.kim, []int64{id}, db.Now().Add(-db.BinLife+12*time.Hour))
			must(t, err)
			if len(deleted) != 1 {
				t.Fatal("it is not deleted")
			}
			session := signin.Session{UserID: h.kim.ID, Token: secrets.HashToken("t"), CreatedAt: db.Now(), SeenAt: db.Now(), ExpiresAt: db.Now().Add(12 * time.Hour)}
			must(t, sampletest.AddSession(t, h.store, &session))
			now := h.beats(t, db.Now(), 1)
			h.beats(t, now.Add(off), 5)
			for range 20 {
				must(t, h.bin.Tick(t.Context(), now.Add(off), 0)) // restarted again and again
				must(t, h.store.Sessions.SweepSessions(t.Context(), now.Add(off)))
			}
			now = h.beats(t, now.Add(5*time.Hour), 1)
			if !h.binned(t, id) || !h.has(t, file) {
				t.Error("the bin was emptied")
			}
			if _, _, err := h.store.Sessions.Session(t.Context(), session.Token, now); err != nil {
				t.Errorf("somebody was signed out: %v", err)
			}
			now = h.beats(t, now, 6)
			if h.binned(t, id) {
				t.Error("what is due stays in the bin")
			}
			h.beats(t, now, 25)
			if h.has(t, file) {
				t.Error("its file stays")
			}
			h.whole(t)
		})
	}
}

// A program that was off for a month empties the bin only after it has run for some
// hours.
func TestTheBinIsEmptiedAfterALongPause(t *testing.T) {
	h := newBinHouse(t)
	id, _ := h.video(t, "one")
	_, err := h.store.Bin.DeleteTasks(t.Context(), h.kim, []int64{id}, db.Now())
	must(t, err)
	now := h.beats(t, db.Now(), 1)
	must(t, h.bin.Tick(t.Context(), now.Add(month), 0))
	now = h.beats(t, now.Add(month), 5)
	if !h.binned(t, id) {
		t.Error("the clock was believed at once")
	}
	h.beats(t, now, 2)
	if h.binned(t, id) {
		t.Error("what is due stays in the bin")
	}
}

// A video that is deleted while the clock is behind must still wait its full time.
func TestAClockThatWasBehindEmptiesNothing(t *testing.T) {
	for name, hours := range map[string]int{"for a moment": 1, "for long": 12} {
		t.Run(name, func(t *testing.T) {
			h := newBinHouse(t)
			id, _ := h.video(t, "one")
			now := h.beats(t, db.Now(), 1)
			behind := h.beats(t, now.Add(-2*month), hours)
			_, err := h.store.Bin.DeleteTasks(t.Context(), h.kim, []int64{id}, behind)
			must(t, err)
			h.beats(t, now, 24)
			if !h.binned(t, id) {
				t.Error("the bin was emptied")
			}
		})
	}
}

// The first start with a database of an earlier version may happen while the
// machine's clock is wrong.
func TestTheFirstStartBelievesTheDatabase(t *testing.T) {
	h := newBinHouse(t)
	id, _ := h.video(t, "one")
	_, err := h.store.Bin.DeleteTasks(t.Context(), h.kim, []int64{id}, db.Now())
	must(t, err)
	must(t, h.bin.Tick(t.Context(), db.Now().Add(month), time.Minute))
	if !h.binned(t, id) {
		t.Error("the bin was emptied")
	}
	if due, err := h.store.Clock.Due(t.Context(), db.Now().Add(month)); err != nil || due.After(db.Now().Add(time.Hour)) {
		t.Errorf("due until %v, %v", due, err)
	}
}

// Run measures by itself how long it has been running.
func TestTheBinIsEmptiedAfterHoursOfRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newBinHouse(t)
		id, _ := h.video(t, "one")
		_, err := h.store.Bin.DeleteTasks(t.Context(), h.kim, []int64{id}, db.Now())
		must(t, err)
		must(t, h.bin.Tick(t.Context(), db.Now().Add(-time.Second), 0))
		time.Sleep(month) // as if the program were off
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = h.bin.Run(ctx) })
		time.Sleep(5 * time.Hour)
		if !h.binned(t, id) {
			t.Error("the clock was believed at once")
		}
		time.Sleep(2 * time.Hour)
		if h.binned(t, id) {
			t.Error("what is due stays in the bin")
		}
		stop()
		running.Wait()
	})
}
