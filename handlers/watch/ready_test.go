package watch_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/watch"
	"dailies/web/videoapi"
)

// punctual is a service that answers immediately and whose videos take a known time.
type punctual struct {
	mu        sync.Mutex
	random    *rand.Rand
	takes     func(*rand.Rand) time.Duration
	done      map[string]time.Time // when each video succeeds
	questions int

	single string      // the ID of a video
	times  []time.Time // of the queries about it
}

func (s *punctual) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body := ""
	switch r.URL.Path {
	case create:
		id := strconv.Itoa(len(s.done) + 1)
		s.done[id] = time.Now().Add(s.takes(s.random))
		body = fmt.Sprintf(`{"code":0,"message":"ok","data":{"id":%q,"status":"pending","costCredits":30}}`, id)
	case ask:
		var q struct{ TaskID string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			return nil, err
		}
		if s.questions++; q.TaskID == s.single {
			s.times = append(s.times, time.Now())
		}
		record := map[string]any{"id": q.TaskID, "status": "processing"}
		if !time.Now().Before(s.done[q.TaskID]) {
			record["status"], record["taskInfo"] = "success", fmt.Sprintf(`{"videoUrl":"%s/files/%s.mp4"}`, base, q.TaskID)
		}
		answer, err := json.Marshal(map[string]any{"code": 0, "message": "ok", "data": record})
		if err != nil {
			return nil, err
		}
		body = string(answer)
	default:
		body = film(1000) + strings.Repeat("x", 1000-len(film(1000)))
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
}

func (s *punctual) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.questions
}

// longestGap returns the longest time between two queries about the single video, and
// the number of all queries about it.
func (s *punctual) longestGap() (longest time.Duration, queries int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, at := range s.times[1:] {
		longest = max(longest, at.Sub(s.times[i]))
	}
	return longest, len(s.times)
}

// readyVideos returns the number of simultaneous videos in the test below.
func readyVideos(t *testing.T) int {
	if s := os.Getenv("DAILIES_READY"); s != "" {
		n, err := strconv.Atoi(s)
		must(t, err)
		return n
	}
	return 100
}

// TestVideoIsReadySoonAfterItsSuccess runs videos that take about 90 s, of a kind
// whose usual duration is known. It measures the time from the success at the service
// until the watcher knows of it, and until the video is kept here.
//
//	DAILIES_READY=1000 go test -run ReadySoon -v ./handlers/watch
func TestVideoIsReadySoonAfterItsSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, videos := newBench(t), readyVideos(t)
		s := &punctual{random: rand.New(rand.NewPCG(1, 2)), done: map[string]time.Time{}, takes: func(r *rand.Rand) time.Duration {
			return time.Duration((90 + 15*r.NormFloat64()) * float64(time.Second))
		}}
		var past []time.Duration
		for range 50 {
			past = append(past, s.takes(s.random))
			b.once(t, past[len(past)-1])
		}
		stop := b.start(t, func(c *watch.Config) {
			c.Services = only{videoapi.NewClient(base, &http.Client{Transport: s})}
			c.Fetch, c.Poll = &http.Client{Transport: s}, 3*time.Second
		})
		defer stop()
		var ids []int64
		for range videos {
			ids = append(ids, b.add(t, "a boat"))
		}
		time.Sleep(4 * time.Minute)
		var ready, kept []time.Duration
		for _, id := range ids {
			task, err := b.store.Tasks.Task(t.Context(), id)
			must(t, err)
			file, ok := task.Video()
			if !ok {
				t.Fatalf("video %d is %s, %q", id, task.State, task.Keeping)
			}
			success := s.done[task.RemoteID]
			ready, kept = append(ready, task.DoneAt.Sub(success)), append(kept, file.CreatedAt.Sub(success))
		}
		slices.Sort(ready)
		slices.Sort(kept)
		mean := float64(s.asked()) / float64(videos)
		at := func(times []time.Duration, percent int) float64 { return times[(len(times)-1)*percent/100].Seconds() }
		t.Logf("%d videos: ready p50 %.1f s, p99 %.1f s; kept p50 %.1f s, p99 %.1f s; %.1f questions per video",
			videos, at(ready, 50), at(ready, 99), at(kept, 50), at(kept, 99), mean)
		// A schedule whose pauses only grow needs 11.9 queries.
		if at(ready, 50) > 3 || at(ready, 99) > 8 || at(kept, 50) > 3 || at(kept, 99) > 8 || mean > 1.2*11.9 {
			t.Error("that is too late, or takes too many questions")
		}
	})
}

func TestManyVideosAreAskedAboutNoMoreOftenThanAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const videos, most, minutes = 60, 2, 3
		b := newBench(t)
		s := &punctual{random: rand.New(rand.NewPCG(1, 2)), done: map[string]time.Time{}, takes: func(*rand.Rand) time.Duration { return time.Hour }}
		stop := b.start(t, func(c *watch.Config) {
			c.Services = only{videoapi.NewClient(base, &http.Client{Transport: s})}
			c.Poll, c.Queries = time.Second, most
		})
		defer stop()
		for range videos {
			b.add(t, "a long film")
		}
		time.Sleep(time.Minute) // by then all are counted
		before := s.asked()
		time.Sleep(minutes * time.Minute)
		asked := float64(s.asked()-before) / (minutes * 60)
		if asked > most || asked < 0.8*most {
			t.Errorf("%.1f questions a second, want at most %d and not far fewer", asked, most)
		}
	})
}

// The many videos of one person do not delay the queries about the single video of
// another: like any new video, it is queried at least every eight seconds in its first
// minute.
func TestManyVideosOfOnePersonDelayNobodyElses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const videos = 200
		b := newBench(t)
		b.addBo(t)
		must(t, b.store.Keys.PutKey(t.Context(), secrets.Key{UserID: 2, Sealed: b.vault.Seal(2, "bo"), Fingerprint: b.vault.Fingerprint("bo"), CreatedAt: db.Now()}))
		s := &punctual{random: rand.New(rand.NewPCG(1, 2)), done: map[string]time.Time{}, takes: func(*rand.Rand) time.Duration { return time.Hour }, single: fmt.Sprint(videos + 1)}
		stop := b.start(t, func(c *watch.Config) {
			c.Services = only{videoapi.NewClient(base, &http.Client{Transport: s})}
			c.Poll, c.Queries = 3*time.Second, 4
		})
		defer stop()
		for range videos {
			b.add(t, "a long film")
		}
		time.Sleep(2 * time.Minute) // by then all are due
		b.addFor(t, 2, "a short film")
		time.Sleep(time.Minute)
		if longest, queries := s.longestGap(); longest > 9*time.Second || queries < 7 {
			t.Errorf("the single video is queried %d times in a minute, with a pause of %s", queries, longest)
		}
	})
}

// once adds a video that finished in the past after the given time.
func (b *bench) once(t *testing.T, took time.Duration) {
	t.Helper()
	id := b.add(t, "a boat of old")
	_, err := b.store.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		began := db.Now().Add(-time.Hour)
		if err := t.Begin(began); err != nil {
			return err
		}
		if err := t.Accept(db.Report{RemoteID: "old", Status: "pending"}, began, began); err != nil {
			return err
		}
		address := []db.Result{{Kind: db.Video, URL: base + "/files/old.mp4"}}
		if err := t.Report(db.Report{RemoteID: "old", Status: "success", Results: address}, began.Add(took), began); err != nil {
			return err
		}
		return t.Keep(nil, true)
	})
	must(t, err)
}
