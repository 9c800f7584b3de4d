package handlers_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store/sampletest"
	"dailies/handlers/handlerstest"
)

// BenchmarkPages requests pages with the database of a large team: 100,000 videos (or
// DAILIES_BENCH_TASKS), of which the gallery shows 24. It reports the median CPU time
// of a response and the 99th percentile of the latency. The pages are requested by an
// admin with many videos, and some of them also by a newcomer without any.
func BenchmarkPages(b *testing.B) {
	n := sampletest.Tasks(b)
	h := largeTeam(b, n, 100)
	handler, err := h.App.Handler()
	must(b, err)
	newcomer := db.User{Name: "Newcomer", Email: "newcomer@example.com", Password: secrets.HashPassword(sampletest.Password), Role: db.Viewer, CreatedAt: db.Now()}
	must(b, sampletest.AddUser(b, h.Store, &newcomer))
	p, stranger := h.Stranger(b), h.Stranger(b)
	p.Post("/login", url.Values{"email": {"person0@example.com"}, "password": {sampletest.Password}}).Is(303)
	stranger.Post("/login", url.Values{"email": {newcomer.Email}, "password": {sampletest.Password}}).Is(303)
	finished := regexp.MustCompile(`id="task-(\d+)"`).FindStringSubmatch(p.Get("/gallery?who=me").Is(200).Text)[1]
	for _, page := range largePages(n, finished) {
		name, path := page[0], page[1]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			browser := p
			if strings.HasPrefix(name, "newcomer") {
				browser = stranger
			}
			sampletest.Timed(b, func() { visit(b, handler, browser, path) })
		})
	}
}

// largePages returns names and paths of pages that read much in a team with n videos, of
// which finished is one.
func largePages(n int, finished string) [][2]string {
	return [][2]string{
		{"status fragment", "/tasks/" + finished + "/status"},
		{"latest fragment", "/tasks/latest"},
		{"form", "/create/text-to-video"},
		{"gallery", "/gallery"},
		{"gallery, older", "/gallery?before=" + strconv.Itoa(n/2)},
		{"gallery, down to", "/gallery?through=" + strconv.Itoa(n-100)},
		{"gallery, scene", "/gallery?scene=frames-to-video"},
		{"gallery, model", "/gallery?model=veo3"},
		{"gallery, rare model", "/gallery?model=" + url.QueryEscape(sampletest.RareModel)},
		{"gallery, ratio", "/gallery?ratio=4:3"},
		{"gallery, person", "/gallery?who=5"},
		{"gallery, mine", "/gallery?who=me"},
		{"gallery, all states", "/gallery?status=all"},
		{"gallery, processing", "/gallery?status=processing"},
		{"gallery, failed", "/gallery?status=failed"},
		{"gallery, canceled", "/gallery?status=canceled"},
		{"gallery, rejected", "/gallery?status=rejected"},
		{"gallery, starred", "/gallery?starred=1"},
		{"gallery, frequent tag", "/gallery?tag=" + sampletest.OftenTag},
		{"gallery, rare tag", "/gallery?tag=" + sampletest.RareTag},
		{"gallery, collection", "/gallery?collection=7"},
		{"gallery, today", "/gallery?date=today"},
		{"gallery, week", "/gallery?date=week"},
		{"gallery, month", "/gallery?date=month"},
		{"gallery, year", "/gallery?date=year"},
		{"gallery, two days", "/gallery?from=2025-04-01&until=2025-04-02"},
		{"gallery, word in every prompt", "/gallery?q=a"},
		{"gallery, frequent words", "/gallery?q=mountain+sunset"},
		{"gallery, rare word", "/gallery?q=" + sampletest.RareWord},
		{"gallery, Chinese", "/gallery?q=" + url.QueryEscape("风筝")},
		{"gallery, Thai", "/gallery?q=" + url.QueryEscape("สี")},
		{"gallery, a name", "/gallery?q=person"},
		{"gallery, a tag's name", "/gallery?q=" + sampletest.OftenTag},
		{"gallery, a name and a word", "/gallery?q=5+mountain"},
		{"gallery, mine and model", "/gallery?who=me&model=veo3&status=all"},
		{"gallery, model and ratio", "/gallery?model=veo3&ratio=4:3"},
		{"gallery, person and scene", "/gallery?who=5&scene=frames-to-video"},
		{"gallery, scene and year", "/gallery?scene=text-to-video&date=year"},
		{"gallery, tag and model", "/gallery?tag=" + sampletest.OftenTag + "&model=veo3"},
		{"gallery, tag and person", "/gallery?tag=" + sampletest.OftenTag + "&who=5"},
		{"gallery, collection and model", "/gallery?collection=7&model=veo3"},
		{"gallery, star and model", "/gallery?starred=1&model=veo3"},
		{"gallery, word and person", "/gallery?q=mountain&who=5"},
		{"gallery, word, star, tag", "/gallery?q=mountain&starred=1&tag=" + sampletest.OftenTag},
		{"gallery, rare word, star, tag", "/gallery?q=ba&starred=1&tag=" + sampletest.OftenTag},
		{"gallery, word, star, month", "/gallery?q=the&starred=1&date=month"},
		{"gallery, everything", "/gallery?q=a&scene=text-to-video&model=seedance-2.0&ratio=16:9&who=me&status=all&starred=1&tag=" + sampletest.OftenTag + "&date=year"},
		{"palette", "/go"},
		{"palette, frequent words", "/go?q=mountain+sunset"},
		{"palette, one letter", "/go?q=a"},
		{"palette, nothing", "/go?q=teapott"},
		{"bin", "/bin"},
		{"collections", "/collections"},
		{"collection", "/collections/7"},
		{"usage", "/usage"},
		{"settings", "/settings"},
		{"keys of the team", "/team/keys"},
		{"newcomer's gallery", "/gallery"},
		{"newcomer's collections", "/collections"},
		{"newcomer's usage", "/usage"},
	}
}

// visit requests the page with the browser's cookies, without a network.
func visit(b *testing.B, handler http.Handler, browser *handlerstest.Browser, path string) {
	b.Helper()
	home, err := url.Parse(browser.Server.URL)
	must(b, err)
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for _, c := range browser.Jar.Cookies(home) {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		b.Fatalf("%s: got %d", path, w.Code)
	}
}

// largeTeam starts the app with the database of sampletest.Fill.
func largeTeam(b *testing.B, finished, running int) *handlerstest.Server {
	b.Helper()
	dir := b.TempDir()
	sampletest.Prepare(b, filepath.Join(dir, "dailies.db"), finished, running)
	return handlerstest.NewAt(b, dir)
}

// BenchmarkStart starts the real program with the database of a large team, and
// reports the time until it answers and its memory after that.
func BenchmarkStart(b *testing.B) {
	program, dir := build(b), b.TempDir()
	sampletest.Prepare(b, filepath.Join(dir, "dailies.db"), 100_000, 0)
	var took []time.Duration
	var memory float64
	for b.Loop() {
		began := time.Now()
		_, process := serve(b, program, dir)
		took = append(took, time.Since(began))
		memory = resident(b, process)
		must(b, process.Process.Signal(os.Interrupt))
		_ = process.Wait()
	}
	slices.Sort(took)
	b.ReportMetric(milliseconds(took[len(took)/2]), "start-ms")
	b.ReportMetric(memory, "resident-MB")
}

// BenchmarkFirstStart starts the real program on an empty folder, stops it as soon as it
// answers, and reports the CPU time that it has taken.
//
//	go test -run ^$ -bench FirstStart -benchtime 15x ./handlers
func BenchmarkFirstStart(b *testing.B) {
	program := build(b)
	var took []time.Duration
	for b.Loop() {
		_, process := serve(b, program, b.TempDir())
		must(b, process.Process.Signal(os.Interrupt))
		_ = process.Wait()
		took = append(took, process.ProcessState.UserTime()+process.ProcessState.SystemTime())
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(milliseconds(took[len(took)/2]), "cpu-ms")
}

// BenchmarkFirstVisit fetches the form and all its assets, like a browser on its
// first visit, and reports the size of the response bodies on the wire.
func BenchmarkFirstVisit(b *testing.B) {
	base, process := serve(b, build(b), b.TempDir())
	defer func() { _ = process.Process.Signal(os.Interrupt); _ = process.Wait() }()
	jar, err := cookiejar.New(nil)
	must(b, err)
	client := &http.Client{Jar: jar, Transport: &http.Transport{DisableCompression: true}, Timeout: 10 * time.Second}
	_, err = client.PostForm(base+"/setup?token="+handlerstest.SetupToken, url.Values{"name": {"Kim"}, "email": {"kim@example.com"}, "password": {handlerstest.Password}})
	must(b, err)
	var total int
	for b.Loop() {
		size, page := wireSize(b, client, base+"/create/text-to-video")
		total = size
		seen := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?:href|src)="(/static/[^"]+)"`).FindAllStringSubmatch(page, -1) {
			if address := strings.ReplaceAll(m[1], "&amp;", "&"); !seen[address] {
				seen[address] = true
				size, _ := wireSize(b, client, base+address)
				total += size
			}
		}
	}
	b.ReportMetric(float64(total)/1000, "kB")
}

// wireSize returns the body's size on the wire, and its decoded text.
func wireSize(b *testing.B, client *http.Client, address string) (int, string) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address, nil)
	must(b, err)
	r.Header.Set("Accept-Encoding", "gzip")
	resp, err := client.Do(r)
	must(b, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(b, err)
	if resp.StatusCode != http.StatusOK {
		b.Fatalf("%s: got %d", address, resp.StatusCode)
	}
	if resp.Header.Get("Content-Encoding") != "gzip" {
		return len(raw), string(raw)
	}
	unzip, err := gzip.NewReader(strings.NewReader(string(raw)))
	must(b, err)
	text, err := io.ReadAll(unzip)
	must(b, err)
	return len(raw), string(text)
}

// build builds the real program and returns its path.
func build(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "dailies")
	out, err := exec.CommandContext(b.Context(), "go", "build", "-ldflags", "-s -w", "-o", program, "dailies").CombinedOutput()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return program
}

// serve starts the program and returns once it answers.
func serve(b *testing.B, program, dir string) (base string, process *exec.Cmd) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(b, err)
	addr := l.Addr().String()
	must(b, l.Close())
	process = exec.Command(program, "-addr", addr, "-data", dir, "-setup-token", handlerstest.SetupToken)
	must(b, process.Start())
	b.Cleanup(func() { _ = process.Process.Kill() })
	base = "http://" + addr
	deadline := time.Now().Add(30 * time.Second)
	for {
		resp, err := http.Get(base + "/healthz")
		if err == nil {
			resp.Body.Close()
			return base, process
		}
		if time.Now().After(deadline) {
			b.Fatalf("it does not answer: %v", err)
		}
		time.Sleep(time.Millisecond)
	}
}

// resident returns the resident memory of the process in MB, or 0 if /proc does not
// tell.
func resident(b *testing.B, process *exec.Cmd) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process.Process.Pid))
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		return 0
	}
	kb, err := strconv.ParseFloat(string(m[1]), 64)
	must(b, err)
	return kb / 1000
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
