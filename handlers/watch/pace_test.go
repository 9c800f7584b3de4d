package watch_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
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
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)), Request: r,
	}, nil
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
		s := &punctual{
			random: rand.New(rand.NewPCG(1, 2)), done: map[string]time.Time{},
			takes: func(*rand.Rand) time.Duration { return time.Hour },
		}
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
		must(t, b.store.Keys.PutKey(t.Context(), secrets.Key{
			UserID: 2, Sealed: b.vault.Seal(2, "bo"), Fingerprint: b.vault.Fingerprint("bo"), CreatedAt: db.Now(),
		}))
		s := &punctual{
			random: rand.New(rand.NewPCG(1, 2)), done: map[string]time.Time{},
			takes: func(*rand.Rand) time.Duration { return time.Hour }, single: fmt.Sprint(videos + 1),
		}
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
			return says(200, fmt.Sprintf(
				`{"code":0,"message":"ok","data":{"id":%q,"status":"success","taskInfo":"{\"videos\":[{\"videoUrl\":\"%s/files/gone.mp4\"}]}"}}`,
				q.TaskID, base,
			))(r, through)
		case left <= o.takes:
			status = "processing"
		}
		return says(200, fmt.Sprintf(
			`{"code":0,"message":"ok","data":{"id":%q,"status":%q,"costCredits":30}}`, q.TaskID, status,
		))(r, through)
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
				UserID: 1, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "seedance-2.0",
					Prompt:  "a row",
					Options: db.Options{Duration: 4}}, CreatedAt: db.Now(), Batch: "batch", Bulk: true,
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

// farService answers immediately, and finishes its videos one after another over the
// window.
type farService struct {
	began       time.Time
	window      time.Duration
	mu          sync.Mutex
	asked       map[string][]time.Time // when each video was queried
	calls       int
	connections int
}

// farFigures are the service's statistics of the calls it received.
type farFigures struct {
	Calls, Connections int     // queries only
	OnTime             float64 // share of queries that came within longestPause of the previous one
	Median             float64 // queries per video
}

// TestFarService is not a test: the benchmark runs it as the service's process.
func TestFarService(t *testing.T) {
	window, err := time.ParseDuration(os.Getenv("DAILIES_FAR_SERVICE"))
	if err != nil {
		t.Skip("this is a part of a benchmark")
	}
	s := &farService{began: time.Now(), window: window, asked: map[string][]time.Time{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	fmt.Printf("http://%s\n", l.Addr())
	server := &http.Server{Handler: s, ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.mu.Lock()
			s.connections++
			s.mu.Unlock()
		}
	}}
	go func() { _ = server.Serve(l) }()
	_, _ = os.Stdin.Read(make([]byte, 1)) // blocks until the benchmark ends
}

// startFarService starts the service's process and returns its address.
func startFarService(b *testing.B, window time.Duration) string {
	b.Helper()
	c := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestFarService$", "-test.timeout=0")
	c.Env = append(os.Environ(), "DAILIES_FAR_SERVICE="+window.String())
	in, err := c.StdinPipe()
	must(b, err)
	out, err := c.StdoutPipe()
	must(b, err)
	must(b, c.Start())
	b.Cleanup(func() { _ = in.Close(); _ = c.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	must(b, err)
	return strings.TrimSpace(address)
}

func farStats(b *testing.B, address string) (f farFigures) {
	b.Helper()
	resp, err := http.Get(address + "/figures")
	must(b, err)
	defer resp.Body.Close()
	must(b, json.NewDecoder(resp.Body).Decode(&f))
	return f
}

// ServeHTTP implements http.Handler.
func (s *farService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case ask:
		s.answer(w, r)
	case "/figures":
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = json.NewEncoder(w).Encode(farFigures{s.calls, s.connections, s.onTime(), s.median()})
	default:
		_, _ = fmt.Fprint(w, film(1000), strings.Repeat("x", 1000-len(film(1000))))
	}
}

func (s *farService) answer(w http.ResponseWriter, r *http.Request) {
	var q struct{ TaskID string }
	_ = json.NewDecoder(r.Body).Decode(&q)
	var n int
	_, _ = fmt.Sscan(q.TaskID, &n)
	s.mu.Lock()
	s.calls++
	s.asked[q.TaskID] = append(s.asked[q.TaskID], time.Now())
	s.mu.Unlock()
	if time.Since(s.began) < s.window*time.Duration(n)/10_000 {
		fmt.Fprintf(w, `{"code":0,"message":"ok","data":{"id":%q,"status":"processing"}}`, q.TaskID)
		return
	}
	fmt.Fprintf(
		w,
		`{"code":0,"message":"ok","data":{"id":%q,"status":"success","costCredits":30,"taskInfo":"{\"videos\":[{\"videoUrl\":\"http://%s/files/%s.mp4\"}]}"}}`,
		q.TaskID, r.Host, q.TaskID,
	)
}

// onTime returns the share of queries that came within longestPause of the previous
// one.
func (s *farService) onTime() float64 {
	all, good := 0, 0
	for _, times := range s.asked {
		last := s.began
		for _, at := range times {
			all++
			if at.Sub(last) <= longestPause {
				good++
			}
			last = at
		}
	}
	return float64(good) / float64(max(1, all))
}

// median returns the median number of queries per video.
func (s *farService) median() float64 {
	var counts []int
	for _, times := range s.asked {
		counts = append(counts, len(times))
	}
	if len(counts) == 0 {
		return 0
	}
	slices.Sort(counts)
	return float64(counts[len(counts)/2])
}
