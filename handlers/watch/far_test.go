package watch_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

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
	fmt.Fprintf(w, `{"code":0,"message":"ok","data":{"id":%q,"status":"success","costCredits":30,"taskInfo":"{\"videos\":[{\"videoUrl\":\"http://%s/files/%s.mp4\"}]}"}}`, q.TaskID, r.Host, q.TaskID)
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
