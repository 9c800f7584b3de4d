package watch_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
)

// listen counts the calls to the path by the key in their header.
func (b *bench) listen(path string) (keys func() map[string]int) {
	var mu sync.Mutex
	seen := map[string]int{}
	b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		if r.URL.Path == path {
			mu.Lock()
			seen[r.Header.Get("Authorization")]++
			mu.Unlock()
		}
		return through()
	})
	return func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		copied := map[string]int{}
		for k, n := range seen {
			copied[k] = n
		}
		return copied
	}
}

func TestVideoIsFollowedToItsEndWithTheKeyItWasSentWith(t *testing.T) {
	for name, change := range map[string]func(b *bench, t *testing.T){
		"the key is deleted":  func(b *bench, t *testing.T) { must(t, b.store.Keys.DeleteKey(t.Context(), 1)) },
		"the key is replaced": func(b *bench, t *testing.T) { b.giveKey(t, b.otherKey(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			keys := b.listen(ask)
			b.fail(ask, says(200, `{"code":0,"data":{"status":"processing"}}`), says(200, `{"code":0,"data":{"status":"processing"}}`))
			stop := b.start(t)
			id := b.add(t, "a boat #slow")
			b.until(t, id, "taken", func(t db.Task) bool { return t.RemoteID != "" })
			stop()
			change(b, t)
			// The links have expired too; the fresh ones are requested with the same
			// key.
			b.fail("/files/", expired, expired)
			b.start(t)
			task := b.until(t, id, "kept", kept)
			if seen := keys(); len(seen) != 1 || seen["Bearer "+b.key] == 0 {
				t.Errorf("asked with %d keys", len(seen))
			}
			if task.RefreshedAt.IsZero() {
				t.Error("no fresh link was asked for")
			}
			if _, err := b.store.Calls.TaskKey(t.Context(), id); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("its key is kept beyond its end: %v", err)
			}
		})
	}
}

func (b *bench) otherKey(t *testing.T) string {
	t.Helper()
	key, err := b.box.NewKey(t.Context(), "somebody else", 1000)
	must(t, err)
	return key
}

// A running video whose key was revoked at the service, or knows nothing of it there, is
// queried with its user's new key, which may belong to the same account there. If the
// service cannot say how the video stands, that is no fault of the key.
func TestARunningVideoIsQueriedWithTheNewKeyIfTheOldOneIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		answer fault
		kept   bool
	}{
		"refused":       {says(401, `{"code":-1,"message":"no auth, please sign in"}`), true},
		"no permission": {says(200, `{"code":-1,"message":"no permission"}`), true},
		"unknown":       {says(200, `{"code":-1,"message":"task not found"}`), true},
		"busy":          {says(429, html), false},
		"out of order":  {says(200, `{"code":-1,"message":"fetch failed"}`), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				old := b.key
				b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
					if r.URL.Path == ask && r.Header.Get("Authorization") == "Bearer "+old {
						return tt.answer(r, through)
					}
					if r.Header.Get("Authorization") == "Bearer sk-new" { // a key of the same account
						r.Header.Set("Authorization", "Bearer "+old)
					}
					return through()
				})
				defer b.start(t)()
				id := b.add(t, "a boat")
				time.Sleep(time.Minute)
				b.giveKey(t, "sk-new")
				time.Sleep(10 * time.Minute)
				if task, _ := b.store.Tasks.Task(t.Context(), id); kept(task) != tt.kept || task.Attempts > 0 == tt.kept {
					t.Errorf("it is %+v", task)
				}
			})
		})
	}
}

func TestAVideoOfSomebodyWithoutAKeyIsRefused(t *testing.T) {
	b := newBench(t)
	b.addBo(t)
	b.start(t)
	task := b.until(t, b.addFor(t, 2, "a boat"), "rejected", in(db.Rejected))
	if task.Blame != db.BlameKey || task.Message == "" || b.line.count(create) != 0 {
		t.Errorf("blamed on %q, %q, after %d creates", task.Blame, task.Message, b.line.count(create))
	}
}

func TestTheServicesAnswerAboutTheTaskIsShown(t *testing.T) {
	for answer, want := range map[string]struct {
		blame   db.Blame
		message string
	}{
		`{"code":-1,"message":"no permission"}`:  {db.BlameTask, "The video service says that this video belongs to another key."},
		`{"code":-1,"message":"task not found"}`: {db.BlameTask, "The video service doesn’t know this video."},
		`{"code":-1,"message":"fetch failed"}`:   {db.BlameService, "The video service couldn’t say how it’s going. It said: fetch failed"},
	} {
		b := newBench(t)
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			if r.URL.Path == ask {
				return says(200, answer)(r, through)
			}
			return through()
		})
		b.start(t)
		id := b.add(t, "a boat")
		task := b.until(t, id, "asked", func(t db.Task) bool { return t.Attempts > 0 })
		if task.Blame != want.blame || task.Message != want.message || !task.State.Running() {
			t.Errorf("%s: %s, %q, %q", answer, task.State, task.Blame, task.Message)
		}
	}
}

func TestAddressThatComesWithALaterAnswerIsFound(t *testing.T) {
	b := newBench(t)
	nowhere := says(200, `{"code":0,"data":{"status":"success","costCredits":30,"taskInfo":"{\"coverUrl\":\"`+base+`/files/c.jpg\"}"}}`)
	b.fail(ask, nowhere, nowhere, reset, nowhere)
	stop := b.start(t)
	id := b.add(t, "a boat")
	b.until(t, id, "made", func(t db.Task) bool { return t.State == db.Success })
	task := b.until(t, id, "kept", kept)
	stop()
	if _, ok := task.Video(); !ok || task.Message != "" || task.Attempts != 0 {
		t.Errorf("got %+v", task)
	}
}

// The service is busy when it is asked for the address of a finished video.
func TestAnAddressIsAskedForNoSoonerThanTheServiceAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.fail(ask, says(200, `{"code":0,"data":{"status":"success"}}`), says(429, html, "Retry-After", "600"))
		defer b.start(t)()
		id := b.add(t, "a boat")
		time.Sleep(9 * time.Minute)
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.State != db.Success || task.Keeping != db.Saving || b.line.count(ask) != 2 {
			t.Errorf("after 9 minutes it is %s, %q, and was asked about %d times", task.State, task.Keeping, b.line.count(ask))
		}
		time.Sleep(3 * time.Minute)
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.Keeping != db.Kept {
			t.Errorf("after 12 minutes it is %q", task.Keeping)
		}
	})
}
