package sandbox

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// After close, the database and the files that handlers use are closed.
func TestClosingEndsCallsAndWaitsForThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun, returned bool
		link := newTransport(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			begun = true
			<-r.Context().Done()
			time.Sleep(time.Second) // the handler needs time to end
			returned = true
		}), slog.New(slog.DiscardHandler))
		client := http.Client{Transport: link}
		call := func() {
			if resp, err := client.Get("http://sandbox.invalid/"); err == nil {
				resp.Body.Close()
				t.Error("a call was answered")
			}
		}
		go call()
		synctest.Wait()
		if err := link.close(); err != nil || !begun || !returned {
			t.Errorf("begun %t, returned %t, %v", begun, returned, err)
		}
		begun = false
		if call(); begun {
			t.Error("a call began after the end")
		}
	})
}

// A slowReader waits before it reads, like a body whose sender was interrupted.
type slowReader struct{ io.Reader }

func (s slowReader) Read(b []byte) (int, error) {
	time.Sleep(time.Millisecond)
	return s.Reader.Read(b)
}

// A call may be refused before its body was read, for example for its key.
func TestRefusalArrivesWhateverBecomesOfTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := newTransport(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "no")
		}), slog.New(slog.DiscardHandler))
		defer link.close()
		client := http.Client{Transport: link}
		for range 20 {
			resp, err := client.Post("http://sandbox.invalid/", "text/plain", slowReader{strings.NewReader("a body")})
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || string(text) != "no" {
				t.Fatalf("%q, %v", text, err)
			}
		}
	})
}
