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
	"dailies/db/store/sample"
	"dailies/handlers/watch"
)

// TestAnOutageIsOverSoonAfterItsEnd makes the service unreachable for a while with
// running videos. All of them are queried within seconds of its return, but not all
// at once.
func TestAnOutageIsOverSoonAfterItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const videos = 20
		b := newBench(t)
		var mu sync.Mutex
		asked := map[int64]int{} // queries by second
		away := true
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			if r.URL.Path == ask {
				if away {
					return nil, errReset
				}
				asked[time.Now().Unix()]++
			}
			return through()
		})
		defer b.start(t)()
		var ids []int64
		for i := range videos {
			ids = append(ids, b.add(t, fmt.Sprintf("boat %d", i)))
			time.Sleep(300 * time.Millisecond)
		}
		time.Sleep(90 * time.Second)
		mu.Lock()
		away = false
		mu.Unlock()
		time.Sleep(17 * time.Second)
		mu.Lock()
		all, most := 0, 0
		for _, n := range asked {
			all += n
			most = max(most, n)
		}
		mu.Unlock()
		if all < videos {
			t.Errorf("%d of %d videos were asked about within 17 s", all, videos)
		}
		if most > videos/2 {
			t.Errorf("%d of %d questions came within one second", most, videos)
		}
		time.Sleep(time.Minute)
		for _, id := range ids {
			if task, _ := b.store.Task(t.Context(), id); task.Keeping != db.Kept {
				t.Errorf("video %d is %s", id, task.State)
			}
		}
		if n := b.line.count(create); n != videos {
			t.Errorf("%d creates for %d videos", n, videos)
		}
	})
}

// TestOnePersonsTroubleDelaysNobodyElse gives one user a revoked key and stalling
// calls; another user's videos are not delayed.
func TestOnePersonsTroubleDelaysNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		must(t, sample.AddUser(t, b.store, &db.User{Name: "Bo", Email: "bo@example.com", Role: db.Member, CreatedAt: db.Now()}))
		must(t, b.store.PutKey(t.Context(), db.Key{UserID: 2, Sealed: b.vault.Seal(2, "sk-bo"), Fingerprint: b.vault.Fingerprint("sk-bo"), CreatedAt: db.Now()}))
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			switch {
			case r.Header.Get("Authorization") != "Bearer sk-bo":
				return through()
			case r.URL.Path == create:
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return says(200, `{"code":-1,"message":"no auth, please sign in"}`)(r, through)
		})
		revoked := b.addFor(t, 2, "a boat that runs already")
		_, err := b.store.UpdateTask(t.Context(), revoked, func(t *db.Task) error {
			now := db.Now()
			if err := t.Begin(now); err != nil {
				return err
			}
			return t.Accept(db.Report{RemoteID: "r", Status: "processing"}, now, now)
		})
		must(t, err)
		b.addFor(t, 2, "a boat whose create stalls")
		defer b.start(t)()
		for i := range 5 {
			id := b.add(t, fmt.Sprintf("boat %d", i))
			time.Sleep(10 * time.Second)
			if task, _ := b.store.Task(t.Context(), id); task.Keeping != db.Kept {
				t.Errorf("after ten seconds, video %d is %s", id, task.State)
			}
		}
		time.Sleep(3 * time.Minute)
		task, err := b.store.Task(t.Context(), revoked)
		must(t, err)
		if !task.State.Running() || task.Blame != db.BlameKey || task.NextAt.IsZero() {
			t.Errorf("the video with the revoked key is given up: %s, %q", task.State, task.Message)
		}
	})
}

// While the database is out of reach, thumbnails are not tried many times a second.
func TestThumbnailsWaitForTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		files, err := media.Open(b.dir + "/media")
		must(t, err)
		must(t, b.store.Close())
		var log bytes.Buffer
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		must(t, watch.NewThumbs(b.store, files, slog.New(slog.NewTextHandler(&log, nil))).Run(ctx))
		if n := strings.Count(log.String(), "cannot make a thumbnail"); n < 2 || n > 40 {
			t.Errorf("%d attempts in a minute", n)
		}
	})
}
