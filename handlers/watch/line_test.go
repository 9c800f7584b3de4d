package watch_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/watch"
)

// A oneByOne is a service that makes one video at a time, in the order in which they come.
type oneByOne struct {
	takes time.Duration
	mu    sync.Mutex
	ends  map[string]time.Time
	last  time.Time // when the video that came last is done
}

func (o *oneByOne) answer(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch r.URL.Path {
	case create:
		id := fmt.Sprintf("r%d", len(o.ends))
		o.last = slices.MaxFunc([]time.Time{o.last, time.Now()}, time.Time.Compare).Add(o.takes)
		o.ends[id] = o.last
		return says(200, fmt.Sprintf(`{"code":0,"message":"ok","data":{"id":%q,"status":"pending","costCredits":30}}`, id))(r, through)
	case ask:
		var q struct {
			TaskID string `json:"taskId"`
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			return nil, err
		}
		status, left := "pending", time.Until(o.ends[q.TaskID])
		switch {
		case left <= 0:
			return says(200, fmt.Sprintf(`{"code":0,"message":"ok","data":{"id":%q,"status":"success","taskInfo":"{\"videos\":[{\"videoUrl\":\"%s/files/gone.mp4\"}]}"}}`, q.TaskID, base))(r, through)
		case left <= o.takes:
			status = "processing"
		}
		return says(200, fmt.Sprintf(`{"code":0,"message":"ok","data":{"id":%q,"status":%q,"costCredits":30}}`, q.TaskID, status))(r, through)
	}
	return through()
}

// After a batch that waited at the service for ten minutes, a video of its kind still takes
// as long as making it does.
func TestWaitingInABatchIsNoTimeOfMaking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		service := &oneByOne{takes: 12 * time.Second, ends: map[string]time.Time{}}
		b.line.setAlways(service.answer)
		defer b.start(t, func(c *watch.Config) { c.Poll = 3 * time.Second })()
		var rows []db.Task
		for range 52 {
			rows = append(rows, db.Task{
				UserID: 1, FormToken: secrets.NewToken(), Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a row", CreatedAt: db.Now(),
				Options: db.Options{Duration: 4}, Batch: "batch", Bulk: true,
			})
		}
		_, err := b.store.AddTasks(t.Context(), rows)
		must(t, err)
		b.wake()
		time.Sleep(5 * time.Minute)
		q, err := b.store.Leases.Queue(t.Context(), 1)
		must(t, err)
		if gap := q.Pace.Gap; gap < 8*time.Second || gap > 16*time.Second {
			t.Errorf("a video every 12 s is taken for one every %v", gap)
		}
		usual, err := b.store.Tasks.Usual(t.Context(), rows[0])
		must(t, err)
		if !usual.Measured() || usual.High > 30*time.Second {
			t.Errorf("in the middle of the batch, a video usually takes %+v", usual)
		}
		time.Sleep(15 * time.Minute)
		took, _, err := b.store.Tasks.Took(t.Context(), rows[0], db.Now())
		must(t, err)
		if len(took) < 20 {
			t.Fatalf("%d of 52 are measured", len(took))
		}
		low, high := took[0], took[len(took)-1]
		if low < time.Second || high > 30*time.Second {
			t.Errorf("making is said to take %v to %v", low, high)
		}
	})
}
