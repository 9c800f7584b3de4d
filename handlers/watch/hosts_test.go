package watch_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/store/sampletest"
	"dailies/handlers/watch"
)

// copyAll finishes videos of the person, each with a file from the host, runs a watcher
// for the given time, and returns how many are kept.
func (b *bench) copyAll(t *testing.T, h *hosts, userID int64, host string, videos int, passes time.Duration) (done int) {
	t.Helper()
	var ids []int64
	for i := range videos {
		ids = append(ids, b.finished(t, userID, fmt.Sprintf("https://%s/%d.mp4", host, i)))
	}
	stop := b.start(t, from(h))
	defer stop()
	time.Sleep(passes)
	for _, id := range ids {
		if task, _ := b.store.Tasks.Task(t.Context(), id); kept(task) {
			done++
		}
	}
	return done
}

func TestMoreIsCopiedAtOnceFromAHostThatDeliversMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := newBench(t), newHosts()
		done := b.copyAll(t, h, 1, "each.example", 60, 15*time.Second)
		_, most, began := h.under("each.example")
		if done != 60 || most <= schedule.CopiesPerHost || most > schedule.CopiesPerMaker || began != 60 {
			t.Errorf("%d of 60 are kept, with at most %d at once and %d fetches", done, most, began)
		}
	})
}

// A host that delivers the same number of bytes per second however many copies are in
// progress is not asked for more and more at once.
func TestNoMoreIsCopiedAtOnceFromAHostThatDeliversNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := newBench(t), newHosts()
		must(t, sampletest.AddUser(t, b.store, &db.User{Name: "Bo", Email: "bo@example.com", Role: db.Member, CreatedAt: db.Now()}))
		for i := range 100 {
			b.finished(t, 2, fmt.Sprintf("https://pipe.example/bo%d.mp4", i))
		}
		done := b.copyAll(t, h, 1, "pipe.example", 100, 2*time.Minute)
		_, most, _ := h.under("pipe.example")
		if done != 100 || most > schedule.CopiesPerHost*3/2+2 { // one higher limit is tried, and each person has a place
			t.Errorf("%d of 100 are kept, with at most %d at once", done, most)
		}
	})
}

func TestFewerAreCopiedAtOnceFromAHostThatIsOverloaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := newBench(t), newHosts()
		done := b.copyAll(t, h, 1, "busy.example", 60, 5*time.Minute)
		if _, _, began := h.under("busy.example"); done != 60 || began > 90 {
			t.Errorf("%d of 60 are kept after %d fetches", done, began)
		}
	})
}

// The room that a finished copy has booked is available to the next one.
func TestBookedRoomIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, h := newBench(t), newHosts()
		stop := b.start(t, from(h), func(c *watch.Config) { c.KeepMax = 7 << 19 }) // three and a half files
		defer stop()
		for i := range 3 {
			id := b.finished(t, 1, fmt.Sprintf("https://steady.example/%d.mp4", i))
			time.Sleep(90 * time.Second)
			if task, _ := b.store.Tasks.Task(t.Context(), id); !kept(task) {
				t.Fatalf("video %d is %s: %q", i, task.Keeping, task.Message)
			}
		}
	})
}
