package handlerstest

import (
	"bytes"
	"net/http"
	"sync"
)

// A Wire carries the calls to the service, and counts them.
type Wire struct {
	http.RoundTripper
	mu    sync.Mutex
	calls map[string]int
	// instead answers in the service's place, if it is set and returns
	// something.
	instead func(r *http.Request) (*http.Response, error)
}

func (w *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.calls[r.URL.Path]++
	instead := w.instead
	w.mu.Unlock()
	if instead != nil {
		if resp, err := instead(r); resp != nil || err != nil {
			return resp, err
		}
	}
	return w.RoundTripper.RoundTrip(r)
}

func (w *Wire) Count(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[path]
}

func (w *Wire) Divert(f func(r *http.Request) (*http.Response, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.instead = f
}

// A LogBook keeps what was logged, so that a test can look for secrets.
type LogBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *LogBook) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *LogBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
