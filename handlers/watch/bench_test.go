package watch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/sqlite"
	"dailies/handlers/watch"
	"dailies/web/fetch"
	"dailies/web/videoapi"
)

// longestPause is the pause between two questions, with its jitter, and the
// second after which one counts as late.
const longestPause = 15*time.Second*11/10 + time.Second

// BenchmarkTenThousandRunning lets one process watch 10,000 running videos,
// which end one after another over the time that DAILIES_WATCH says (30s).
// It reports which share of the questions came on time, the processor's time
// and the memory that it took, and how many questions a video needed.
//
//	DAILIES_WATCH=5m go test -run ^$ -bench TenThousand -benchtime 1x -timeout 15m ./handlers/watch
func BenchmarkTenThousandRunning(b *testing.B) {
	const running = 10_000
	window := 30 * time.Second
	if s := os.Getenv("DAILIES_WATCH"); s != "" {
		var err error
		window, err = time.ParseDuration(s)
		must(b, err)
	}
	for b.Loop() {
		dir := b.TempDir()
		store, err := sqlite.Open(b.Context(), dir+"/dailies.db")
		must(b, err)
		vault, err := db.NewVault([]byte("bench"))
		must(b, err)
		must(b, store.AddUser(b.Context(), &db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}))
		must(b, store.PutKey(b.Context(), db.Key{UserID: 1, Sealed: vault.Seal(1, "sk"), CreatedAt: db.Now()}))
		addRunning(b, store, running)
		files, err := media.Open(dir + "/media")
		must(b, err)
		up := &farService{began: time.Now(), window: window, asked: map[string][]time.Time{}}
		results, err := fetch.NewClient(false, fetch.Trust{Base: base, Transport: up})
		must(b, err)
		w := &watch.Watcher{
			Store: store, Media: files, Service: videoapi.NewClient(base, &http.Client{Transport: up}), Catalog: videoapi.DefaultCatalog(),
			Vault: vault, Fetch: results, Poll: 3 * time.Second, Log: slog.New(slog.DiscardHandler),
		}
		w.Prepare()
		ctx, stop := context.WithTimeout(b.Context(), window+30*time.Second)
		before := processor()
		must(b, w.Run(ctx))
		spent, elapsed := processor()-before, time.Since(up.began)
		stop()
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		left, err := store.Running(b.Context(), 1)
		must(b, err)
		must(b, store.Close())
		b.ReportMetric(100*up.onTime(), "%on-time")
		b.ReportMetric(100*spent.Seconds()/elapsed.Seconds(), "%cpu")
		b.ReportMetric(float64(mem.Sys)/1e6, "MB")
		b.ReportMetric(up.median(), "questions/video")
		b.ReportMetric(float64(left), "left-running")
	}
}

func addRunning(b *testing.B, store *sqlite.Store, n int) {
	b.Helper()
	for i := range n {
		now := db.Now()
		t := db.Task{UserID: 1, FormToken: fmt.Sprint(i), Scene: "text-to-video", Model: "seedance-2.0", Prompt: "a boat", CreatedAt: now}
		queue(b, store, &t)
		_, err := store.UpdateTask(b.Context(), t.ID, func(t *db.Task) error {
			if err := t.Begin(now); err != nil {
				return err
			}
			due := now.Add(time.Duration(rand.Int64N(int64(15 * time.Second))))
			return t.Accept(db.Report{RemoteID: fmt.Sprint(i), Status: "processing"}, now, due)
		})
		must(b, err)
	}
}

func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// farService answers at once, and finishes its videos one after another over
// the window.
type farService struct {
	began  time.Time
	window time.Duration
	mu     sync.Mutex
	asked  map[string][]time.Time // when each video was asked about
}

func (s *farService) RoundTrip(r *http.Request) (*http.Response, error) {
	body := "\x1a\x45\xdf\xa3\x93\x42\x82\x88webm" + strings.Repeat("x", 1000)
	if r.URL.Path == ask {
		body = s.answer(r)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
}

func (s *farService) answer(r *http.Request) string {
	var q struct{ TaskID string }
	raw, _ := io.ReadAll(r.Body)
	_ = json.NewDecoder(bytes.NewReader(raw)).Decode(&q)
	var n int
	_, _ = fmt.Sscan(q.TaskID, &n)
	s.mu.Lock()
	s.asked[q.TaskID] = append(s.asked[q.TaskID], time.Now())
	s.mu.Unlock()
	if time.Since(s.began) < s.window*time.Duration(n)/10_000 {
		return fmt.Sprintf(`{"code":0,"message":"ok","data":{"id":%q,"status":"processing"}}`, q.TaskID)
	}
	return fmt.Sprintf(`{"code":0,"message":"ok","data":{"id":%q,"status":"success","costCredits":30,"taskInfo":"{\"videos\":[{\"videoUrl\":\"%s/files/%s.webm\"}]}"}}`, q.TaskID, base, q.TaskID)
}

// onTime is the share of questions that came no later after the one before
// than the longest pause.
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

// median is how many questions a video needed.
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
