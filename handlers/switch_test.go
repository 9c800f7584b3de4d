package handlers_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
	"dailies/web/scopetest"
)

// A wiretap notes which keys were shown to which host, and lets no video progress until it is
// released.
type wiretap struct {
	mu       sync.Mutex
	keys     map[string]map[string]int // by host and key
	released bool
}

// hear is a function for handlerstest.Wire.Divert.
func (w *wiretap) hear(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if w.keys[r.URL.Host] == nil {
		w.keys[r.URL.Host] = map[string]int{}
	}
	w.keys[r.URL.Host][key]++
	if r.URL.Path != "/api/ai/query" || w.released {
		return nil, nil
	}
	busy := http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"code":-1,"message":"busy"}`)), Request: r}
	return &busy, nil
}

// TestASwitchWhileVideosRunLosesNone changes the service while videos run, and back while
// others do: 20 on each side, or 200 with DAILIES_LONG=1. Every video is finished at the
// service where it began, and no service sees a key of the other one.
func TestASwitchWhileVideosRunLosesNone(t *testing.T) {
	many := 20
	if scopetest.Long() {
		many = 200
	}
	h := handlerstest.New(t)
	p := h.Founder(t)
	tap := &wiretap{keys: map[string]map[string]int{}}
	h.Wire.Divert(tap.hear)
	h.Run(t)
	practice := h.Registry.Current()
	_, key := keyInUse(t, h, 1)
	must(t, h.Sandbox.TopUp(t.Context(), key, 1e6))
	made := makeMany(t, h, p, many, "practice")
	real := h.Connect(t, "https://service.example.com")
	made = append(made, makeMany(t, h, p, many, "real")...)
	h.Practise(t)
	made = append(made, makeMany(t, h, p, 1, "practice again")...)

	tap.mu.Lock()
	tap.released = true
	tap.mu.Unlock()
	h.Watcher.Wake()
	counts := map[int64]int{}
	for _, id := range made {
		var task db.Task
		handlerstest.Within(t, 5*time.Minute, fmt.Sprintf("video %d is finished", id), func() bool {
			var err error
			task, err = h.Store.Tasks.Task(context.Background(), id)
			must(t, err)
			return !task.State.Running()
		})
		if task.State != db.Success {
			t.Errorf("video %d is %s: %s", id, task.State, task.Message)
		}
		counts[task.ServiceID]++
	}
	if counts[practice.ID] != many+1 || counts[real.ID] != many {
		t.Errorf("finished at each service: %v", counts)
	}
	tap.mu.Lock()
	defer tap.mu.Unlock()
	if len(tap.keys) != 2 {
		t.Errorf("%d hosts were called", len(tap.keys))
	}
	for host, keys := range tap.keys {
		for other, others := range tap.keys {
			for key := range keys {
				if host != other && others[key] > 0 {
					t.Errorf("%s and %s have seen one key", host, other)
				}
			}
		}
		t.Logf("%s: %d calls with %d keys", host, sum(keys), len(keys))
	}
}

func sum(calls map[string]int) (n int) {
	for _, k := range calls {
		n += k
	}
	return n
}

// makeMany makes videos, and returns their IDs when the service has all of them.
func makeMany(t *testing.T, h *handlerstest.Server, p *handlerstest.Browser, many int, prompt string) (ids []int64) {
	t.Helper()
	for i := range many {
		form := handlerstest.WithField(handlerstest.GoodForm(), "prompt", fmt.Sprintf("%s %d", prompt, i))
		ids = append(ids, handlerstest.Made(t, p.Post("/create/text-to-video", form)))
	}
	for _, id := range ids {
		handlerstest.Within(t, time.Minute, fmt.Sprintf("video %d is sent", id), func() bool {
			task, err := h.Store.Tasks.Task(t.Context(), id)
			must(t, err)
			return task.RemoteID != ""
		})
	}
	return ids
}

// keyInUse returns the key with which the person's next video is sent, sealed and in clear
// text.
func keyInUse(t *testing.T, h *handlerstest.Server, userID int64) (secrets.Key, string) {
	t.Helper()
	k, err := h.Store.Keys.KeyInUse(t.Context(), userID)
	must(t, err)
	text, err := h.Config.Vault.OpenKey(k)
	must(t, err)
	return k, text
}
