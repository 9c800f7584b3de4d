package sandbox_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

func TestEveryFaultInThisProcessAndOverTheNetwork(t *testing.T) {
	for fault, c := range map[sandbox.Fault]struct {
		kind   videoapi.Kind
		status int
		paid   float64 // credits that a create call costs
	}{
		sandbox.Fault500:   {videoapi.Refused, 500, 0},
		sandbox.Fault502:   {videoapi.Transport, 502, 0},
		sandbox.Fault429:   {videoapi.Busy, 429, 0},
		sandbox.FaultReset: {videoapi.Transport, 0, 0},
		sandbox.FaultStall: {videoapi.Transport, 0, 0},
		sandbox.FaultCut:   {videoapi.Transport, 200, 6},
		sandbox.FaultLost:  {videoapi.Transport, 0, 6},
	} {
		t.Run(string(fault), func(t *testing.T) {
			w := openWith(t, t.TempDir(), 100, func(config *sandbox.Config) {
				config.Faults, config.Pace.Stall = sandbox.Faults{fault: 1}, 10*time.Millisecond
			})
			server := httptest.NewServer(w)
			defer server.Close()
			for place, client := range map[string]*videoapi.Client{"here": w.client, "network": videoapi.NewClient(server.URL, server.Client())} {
				before := w.balance()
				_, err := client.Create(t.Context(), w.key, tiny("A quiet sea"))
				e := new(videoapi.Error)
				if !errors.As(err, &e) || e.Kind != c.kind || e.HTTP != c.status || e.Unsent {
					t.Errorf("%s: got %#v", place, err)
				}
				if paid := before - w.balance(); paid != c.paid {
					t.Errorf("%s: %v credits paid, want %v", place, paid, c.paid)
				}
				if (e.RetryAfter > 0) != (fault == sandbox.Fault429) {
					t.Errorf("%s: Retry-After %v", place, e.RetryAfter)
				}
				reset := fault == sandbox.FaultReset || fault == sandbox.FaultStall || fault == sandbox.FaultLost
				if reset && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) {
					t.Errorf("%s: %v is no reset", place, err)
				}
			}
			if fault == sandbox.FaultLost {
				if err := w.client.CheckKey(t.Context(), w.key); err != nil {
					t.Errorf("a query was lost: %v", err)
				}
			}
		})
	}
}

func TestACutDownloadEndsHalfway(t *testing.T) {
	dir := t.TempDir()
	w := openWith(t, dir, 100, func(*sandbox.Config) {})
	video := w.end(w.create(tiny("A quiet sea")).ID).Results().Videos[0]
	whole := w.file(video, "")
	w.stop()
	w = openWith(t, dir, 0, func(c *sandbox.Config) { c.Faults = sandbox.Faults{sandbox.FaultCut: 1} })
	resp := w.get(t.Context(), http.MethodGet, video, "")
	half, err := io.ReadAll(resp.Body)
	if err == nil || len(half) != len(whole)/2 || resp.ContentLength != int64(len(whole)) || whole[:len(half)] != string(half) {
		t.Errorf("%d of %d bytes, %v", len(half), len(whole), err)
	}
}

// Faults depend on the number of the call, not on time: the n-th call of an
// endpoint always meets the same one.
func TestFaultsAreTheSameWithTheSameSeed(t *testing.T) {
	outcomes := func(seed int64, questions int) (met string) {
		w := openWith(t, t.TempDir(), 1000, func(c *sandbox.Config) {
			c.Faults, c.Seed = sandbox.Faults{sandbox.Fault500: .3, sandbox.FaultReset: .2}, seed
		})
		defer w.stop()
		w.pause()
		for range 40 {
			for range questions {
				_ = w.client.CheckKey(t.Context(), w.key)
			}
			e := new(videoapi.Error)
			_, err := w.client.Create(t.Context(), w.key, tiny("A quiet sea"))
			errors.As(err, &e)
			met += string(rune('a' + e.HTTP/100 + map[bool]int{true: 9}[err == nil]))
		}
		return met
	}
	one := outcomes(7, 0)
	if again := outcomes(7, 2); again != one {
		t.Errorf("%s, then %s", one, again)
	}
	if other := outcomes(8, 0); other == one {
		t.Error("another seed makes no difference")
	}
	good, bad := strings.Count(one, "j"), strings.Count(one, "f")
	if good < 10 || good > 30 || bad < 4 || bad > 22 {
		t.Errorf("%d of 40 went well and %d met a 500: %s", good, bad, one)
	}
}

func TestAStallEndsWithItsClient(t *testing.T) {
	w := openWith(t, t.TempDir(), 100, func(c *sandbox.Config) { c.Faults = sandbox.Faults{sandbox.FaultStall: 1} })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := w.client.Create(ctx, w.key, tiny("A quiet sea")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestResultLinksExpire(t *testing.T) {
	w := openWith(t, t.TempDir(), 100, func(c *sandbox.Config) { c.Expire = 10 * time.Minute })
	video := w.end(w.create(tiny("A quiet sea")).ID).Results().Videos[0]
	if age := w.get(t.Context(), http.MethodHead, video, "").Header.Get("Cache-Control"); !strings.Contains(age, "max-age=5") { // about 599 s
		t.Errorf("a browser may keep it: %s", age)
	}
	then := time.Now().Add(-11 * time.Minute)
	if err := os.Chtimes(filepath.Join(w.dir, "files", filepath.Base(video)), then, then); err != nil {
		t.Fatal(err)
	}
	resp := w.get(t.Context(), http.MethodGet, video, "")
	if said, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusForbidden || !strings.Contains(string(said), "expired") {
		t.Errorf("%s %s, %v", resp.Status, said, err)
	}
}

func TestParseFaults(t *testing.T) {
	got, err := sandbox.ParseFaults("500=0.1, 502=0.05,reset=0,lost=.02,")
	if want := (sandbox.Faults{"500": .1, "502": .05, "reset": 0, "lost": .02}); err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if none, err := sandbox.ParseFaults(""); err != nil || len(none) != 0 {
		t.Errorf("nothing is %v, %v", none, err)
	}
	for text, want := range map[string]string{
		"500": "rate", "500=x": "rate", "=1": "no fault", "503=0.1": "no fault", "500=1.5": "from 0 to 1", "500=-1": "from 0 to 1",
		"500=NaN": "from 0 to 1", "500=0.6,502=0.6": "more than 1", "500=0.1,500=0.1": "twice",
	} {
		if _, err := sandbox.ParseFaults(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want something with %q", text, err, want)
		}
	}
}
