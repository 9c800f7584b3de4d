package handlerstest

import (
	"bytes"
	"net/http"
	"sync"
)

// A Wire is the transport to the service. It counts the calls per path.
type Wire struct {
	http.RoundTripper
	mu    sync.Mutex
	calls map[string]int
	// instead, if set, may answer in the service's place. If it returns neither a
	// response nor an error, the service answers.
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

// Count returns the number of calls to the path.
func (w *Wire) Count(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[path]
}

// Divert sets the function that answers in the service's place, or removes it with nil.
func (w *Wire) Divert(f func(r *http.Request) (*http.Response, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.instead = f
}

// A LogBook collects the log, so that a test can search it for secrets.
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

// Take returns the log since the last call of Take, and forgets it.
func (l *LogBook) Take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}
