package metrics_test

import (
	"compress/gzip"
	"io"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"dailies/web/metrics"
)

// What Prometheus reads is what github.com/prometheus/client_golang wrote, from which the
// file was recorded: names, types, labels and buckets, and help and values of our own.
func TestEveryMetricIsAsItWas(t *testing.T) {
	recorded, err := os.ReadFile("testdata/scrape.txt")
	if err != nil {
		t.Fatal(err)
	}
	measured := regexp.MustCompile(`(?m)^((?:go|process)_.*) \S+$`) // every time something else
	got := measured.ReplaceAllString(scrape(t, busy()), "$1")
	got = regexp.MustCompile(`version="[^"]+"`).ReplaceAllString(got, `version=""`)
	want := string(recorded)
	if runtime.GOOS != "linux" { // other systems say less of a process
		process := regexp.MustCompile(`(?m)^(?:# (?:HELP|TYPE) )?process_.*\n`)
		got, want = process.ReplaceAllString(got, ""), process.ReplaceAllString(want, "")
	}
	if got != want {
		gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
		for i := range min(len(gotLines), len(wantLines)) {
			if gotLines[i] != wantLines[i] {
				t.Fatalf("line %d:\n%s\nwas\n%s", i+1, gotLines[i], wantLines[i])
			}
		}
		t.Fatalf("%d lines were %d", len(gotLines), len(wantLines))
	}
}

func TestARequestIsInTheBucketsAboveItsTime(t *testing.T) {
	m := metrics.New()
	for _, took := range []time.Duration{time.Millisecond, 3 * time.Millisecond, 600 * time.Millisecond, time.Minute} {
		m.Observe("GET /a", 200, took)
	}
	text := scrape(t, m)
	for _, line := range []string{
		`dailies_request_seconds_bucket{route="GET /a",status="200",le="0.001"} 1`,
		`dailies_request_seconds_bucket{route="GET /a",status="200",le="0.0025"} 1`,
		`dailies_request_seconds_bucket{route="GET /a",status="200",le="0.005"} 2`,
		`dailies_request_seconds_bucket{route="GET /a",status="200",le="0.5"} 2`,
		`dailies_request_seconds_bucket{route="GET /a",status="200",le="1"} 3`,
		`dailies_request_seconds_bucket{route="GET /a",status="200",le="2.5"} 3`,
		`dailies_request_seconds_bucket{route="GET /a",status="200",le="+Inf"} 4`,
		`dailies_request_seconds_sum{route="GET /a",status="200"} 60.604`,
		`dailies_request_seconds_count{route="GET /a",status="200"} 4`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("there is no line %s", line)
		}
	}
}

func TestLabelsAreEscaped(t *testing.T) {
	m := metrics.New()
	m.Called("a\"b\\c\nd", "ok")
	m.Observe("GET /video/{id}", 200, time.Second)
	text := scrape(t, m)
	for _, line := range []string{
		`dailies_service_calls_total{call="a\"b\\c\nd",outcome="ok"} 1`,
		`dailies_request_seconds_count{route="GET /video/{id}",status="200"} 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("there is no line %s in\n%.600s", line, text)
		}
	}
}

// The values of the process are those that the system and Go have.
func TestTheProcessIsMeasured(t *testing.T) {
	text := scrape(t, metrics.New())
	names := []string{"go_goroutines", "go_memstats_heap_inuse_bytes", "go_memstats_mallocs_total", "go_sched_gomaxprocs_threads", "go_threads"}
	if runtime.GOOS == "linux" {
		names = append(names, "process_resident_memory_bytes", "process_open_fds", "process_max_fds", "process_start_time_seconds",
			"process_virtual_memory_bytes", "process_virtual_memory_max_bytes")
	}
	for _, name := range names {
		if !regexp.MustCompile(`(?m)^` + name + ` [1-9]`).MatchString(text) {
			t.Errorf("there is no %s", name)
		}
	}
}

func TestAScrapeIsCompressedForWhoeverTakesThat(t *testing.T) {
	r := httptest.NewRequest("GET", "/metrics", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	busy().Handler().ServeHTTP(w, r)
	if got := w.Header().Get("Content-Type"); got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("its type is %q", got)
	}
	if got := w.Header().Get("Content-Encoding"); got != "gzip" {
		t.Fatalf("its encoding is %q", got)
	}
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil || !strings.Contains(string(text), "\ndailies_processes 3\n") {
		t.Errorf("%v: %.300s", err, text)
	}
}
