package sandbox

import (
	"log/slog"
	"net/http"
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
