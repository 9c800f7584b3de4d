package handlers_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/handlers/handlerstest"
)

// BenchmarkMemory starts the real program with 100,000 videos, loads pages for ten seconds
// with eight browsers, and reports the memory that is resident ten seconds later, when
// that of the sign-in has been given back.
//
//	go test -run ^$ -bench Memory -benchtime 1x ./handlers
func BenchmarkMemory(b *testing.B) {
	program, dir := build(b), b.TempDir()
	file := filepath.Join(dir, "dailies.db")
	s, err := store.Open(b.Context(), file)
	must(b, err)
	sampletest.Fill(b, s, file, 100_000, 20)
	must(b, s.Close())
	var memory float64
	for b.Loop() {
		base, process := serve(b, program, dir)
		client := signedIn(b, program, dir, base)
		end, requests := time.Now().Add(10*time.Second), sync.WaitGroup{}
		for range 8 {
			requests.Go(func() {
				for i := 0; time.Now().Before(end); i++ {
					fetchPage(b, client, base+loaded[i%len(loaded)])
				}
			})
		}
		requests.Wait()
		time.Sleep(10 * time.Second)
		memory = resident(b, process)
		must(b, process.Process.Signal(os.Interrupt))
		_ = process.Wait()
	}
	b.ReportMetric(memory, "resident-MB")
}

// loaded are the pages that BenchmarkMemory loads.
var loaded = []string{
	"/create/text-to-video", "/gallery", "/gallery?q=harbour", "/gallery?q=boat+fog", "/gallery?starred=1", "/gallery?model=veo3",
	"/gallery/counts?menu=model", "/usage", "/collections", "/settings", "/recipes", "/bin", "/members", "/tasks/latest",
}

func fetchPage(b *testing.B, client *http.Client, address string) {
	resp, err := client.Get(address)
	if err != nil {
		b.Error(err)
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode >= 400 || resp.Request.URL.Path == "/login" {
		b.Errorf("%s: %s, %v", address, resp.Status, err)
	}
}

// signedIn returns a client that is signed in as the first person of the sample.
func signedIn(b *testing.B, program, dir, base string) *http.Client {
	b.Helper()
	const email = "person0@example.com"
	out, err := exec.CommandContext(b.Context(), program, "password", email, "-data", dir).CombinedOutput()
	must(b, err)
	jar, err := cookiejar.New(nil)
	must(b, err)
	client := &http.Client{Jar: jar, Timeout: 30 * time.Second}
	link := string(regexp.MustCompile(`/reset/\w+`).Find(out))
	for _, form := range []struct {
		path  string
		value url.Values
	}{{link, url.Values{"password": {handlerstest.Password}}}, {"/login", handlerstest.Credentials(email, handlerstest.Password)}} {
		resp, err := client.PostForm(base+form.path, form.value)
		must(b, err)
		must(b, resp.Body.Close())
	}
	return client
}
