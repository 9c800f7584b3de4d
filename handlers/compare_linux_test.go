package handlers_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkCompare compares the CPU time of two programs for pages and calls of the API, as
// .ci/compare calls it: DAILIES_COMPARE names a folder with the programs "then" and "now",
// and with a database that sampletest has filled for the older one, whose name ends in ".db".
// Both run at the same time, and answer in turns. It reports the medians of a request's CPU
// time, and of the ratios of the rounds.
func BenchmarkCompare(b *testing.B) {
	folder := os.Getenv("DAILIES_COMPARE")
	if folder == "" {
		b.Skip("use .ci/compare")
	}
	databases, err := filepath.Glob(filepath.Join(folder, "*.db"))
	must(b, err)
	if len(databases) != 1 {
		b.Fatalf("%d databases", len(databases))
	}
	var n int
	_, err = fmt.Sscanf(filepath.Base(databases[0]), "%d", &n)
	must(b, err)
	then, now := startContender(b, folder, "then", databases[0]), startContender(b, folder, "now", databases[0])
	finished := regexp.MustCompile(`id="task-(\d+)"`).FindStringSubmatch(then.get(b, "/gallery?who=me", "identity"))[1]
	if !strings.Contains(now.get(b, "/gallery?who=me", "identity"), `id="task-`+finished+`"`) {
		b.Fatal("the two show other videos")
	}
	pages := largePages(n, finished)
	for _, call := range []string{"me", "limits", "models", "collections", "videos", "videos?limit=100", "videos?q=mountain", "videos/" + finished, "videos/" + finished + "/notes"} {
		pages = append(pages, [2]string{"API, " + call, "/api/v1/" + call})
	}
	then.rests(b)
	now.rests(b)
	for _, page := range pages {
		name, path := page[0], page[1]
		if strings.HasPrefix(name, "newcomer") {
			continue
		}
		b.Run(name, func(b *testing.B) {
			const each = 5 // requests of a round
			then.get(b, path, browsers)
			now.get(b, path, browsers)
			var before, after, ratios []float64
			for b.Loop() {
				var was, is float64
				if len(ratios)%2 == 0 {
					was, is = then.spends(b, path, each), now.spends(b, path, each)
				} else {
					is, was = now.spends(b, path, each), then.spends(b, path, each)
				}
				before, after, ratios = append(before, was), append(after, is), append(ratios, is/was)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(before), "ms-then")
			b.ReportMetric(median(after), "ms-now")
			b.ReportMetric(median(ratios), "ratio")
		})
	}
}

// browsers is what browsers send as Accept-Encoding.
const browsers = "gzip, deflate, br, zstd"

// A contender is a running program with a client of one of its users.
type contender struct {
	base    string
	process *exec.Cmd
	client  *http.Client
	token   string // for the API
}

// startContender starts the program of the folder with a copy of the database.
func startContender(b *testing.B, folder, name, database string) *contender {
	b.Helper()
	program, data := filepath.Join(folder, name), b.TempDir()
	content, err := os.ReadFile(database)
	must(b, err)
	must(b, os.WriteFile(filepath.Join(data, "dailies.db"), content, 0o600))
	c := &contender{}
	c.base, c.process = serve(b, program, data)
	c.client = signedIn(b, program, data, c.base)
	form := url.Values{"name": {"Comparison"}, "may": {"change"}, "days": {"90"}, "cap": {"100"}}
	answer, err := c.client.PostForm(c.base+"/settings/programs", form)
	must(b, err)
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	must(b, err)
	field := regexp.MustCompile(`<[^>]*id="new-token"[^>]*>`).FindString(string(page))
	value := regexp.MustCompile(` value="([^"]+)"`).FindStringSubmatch(field)
	if value == nil {
		b.Fatalf("%s: %s shows no token", name, answer.Request.URL)
	}
	c.token = value[1]
	return c
}

// get returns the body of the page or of the API's answer, in the encoding.
func (c *contender) get(b *testing.B, path, encoding string) string {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, c.base+path, nil)
	must(b, err)
	r.Header.Set("Accept-Encoding", encoding)
	if strings.HasPrefix(path, "/api/") {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := c.client.Do(r)
	must(b, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(b, err)
	if answer.StatusCode != http.StatusOK {
		b.Fatalf("%s: %s %.300s", path, answer.Status, body)
	}
	return string(body)
}

// spends returns the CPU time, in milliseconds, that the program needs for each of so many
// requests.
func (c *contender) spends(b *testing.B, path string, count int) float64 {
	b.Helper()
	before := c.spent(b)
	for range count {
		c.get(b, path, browsers)
	}
	return milliseconds(c.spent(b)-before) / float64(count)
}

// spent returns the CPU time of the process.
func (c *contender) spent(b *testing.B) time.Duration {
	b.Helper()
	const ofProcess = 2 // CPUCLOCK_SCHED, with which Linux names the clock of a process
	var now unix.Timespec
	must(b, unix.ClockGettime(int32(^c.process.Process.Pid<<3|ofProcess), &now))
	return time.Duration(now.Nano())
}

// rests waits until the program has done what it does after its start.
func (c *contender) rests(b *testing.B) {
	b.Helper()
	for range 120 {
		before := c.spent(b)
		time.Sleep(time.Second)
		if c.spent(b)-before < 20*time.Millisecond {
			return
		}
	}
	b.Log("it still works on something besides requests")
}
