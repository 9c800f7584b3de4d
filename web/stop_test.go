package web_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/web"
)

// longestStop is the maximum time for Run to stop. It leaves time to close the store
// before process managers kill the program.
const longestStop = 8 * time.Second

// lines is a listener for in-memory connections, which work with the fake clock of
// synctest.
type lines struct {
	calls  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *lines) Accept() (net.Conn, error) {
	select {
	case c := <-l.calls:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *lines) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// dial connects and sends the text.
func (l *lines) dial(t *testing.T, says string) {
	t.Helper()
	client, server := net.Pipe()
	l.calls <- server
	t.Cleanup(func() { client.Close() })
	go func() { _, _ = io.WriteString(client, says) }()
}

// slow is a handler that responds with endless content.
func slow(w http.ResponseWriter, r *http.Request) {
	for {
		if _, err := w.Write(make([]byte, 64<<10)); err != nil {
			return
		}
	}
}

func TestAStopIsBoundedWhateverHangs(t *testing.T) {
	for name, work := range map[string]func(stop context.Context, forced chan struct{}) error{
		"nothing":                  func(stop context.Context, _ chan struct{}) error { <-stop.Done(); return nil },
		"a worker that never ends": func(_ context.Context, forced chan struct{}) error { <-forced; return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &lines{calls: make(chan net.Conn), closed: make(chan struct{})}
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				forced, ended := make(chan struct{}), make(chan error, 1)
				go func() {
					ended <- web.Run(ctx, slog.New(slog.DiscardHandler), []web.Server{{Listener: l, Handler: http.HandlerFunc(slow)}},
						func(ctx context.Context) error { return work(ctx, forced) })
				}()
				l.dial(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")                             // never reads the response
				l.dial(t, "GET / HTTP/1.1\r\nHos")                                         // never completes the request
				l.dial(t, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\n") // never sends the body
				l.dial(t, "")
				time.Sleep(time.Second)
				began := time.Now()
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took > longestStop {
					t.Errorf("it took %s to stop", took)
				}
				close(forced)
				time.Sleep(time.Second) // until net/http's goroutines have ended
			})
		})
	}
}

func TestAFailureIsReturnedEvenIfAnotherWorkerHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken, forced := errors.New("broken"), make(chan struct{})
		err := web.Run(t.Context(), slog.New(slog.DiscardHandler), nil,
			func(context.Context) error { return broken },
			func(context.Context) error { <-forced; return nil })
		if !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		close(forced)
	})
}
