package web_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/web"
)

// askFor sends a request to a server with the handler, and returns the connection from
// which the response can be read.
func askFor(t *testing.T, h http.Handler) net.Conn {
	t.Helper()
	l := make(pipes)
	server := &http.Server{Handler: web.Chain(h,
		web.Log(slog.New(slog.DiscardHandler), nil),
		web.Observe(func(string, int, time.Duration) {}),
	), WriteTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	ours, theirs := net.Pipe()
	l <- theirs
	t.Cleanup(func() { _ = ours.Close(); _ = server.Close(); <-ended })
	if _, err := io.WriteString(ours, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return ours
}

const fileSize = 4 << 20

// both runs the test with handlers that send a file in two ways: through ReadFrom and
// through Write.
func both(t *testing.T, try func(t *testing.T, h http.Handler)) {
	t.Run("a file", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			try(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.ServeContent(web.WithRollingDeadline(w), r, "", time.Time{}, strings.NewReader(strings.Repeat("x", fileSize)))
			}))
		})
	})
	t.Run("an archive", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			try(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w = web.WithRollingDeadline(w)
				for range fileSize / 4096 {
					if _, err := w.Write(make([]byte, 4096)); err != nil {
						return
					}
				}
			}))
		})
	})
}

func TestClientThatReadsNothingIsDisconnected(t *testing.T) {
	both(t, func(t *testing.T, h http.Handler) {
		began := time.Now()
		conn := askFor(t, h)
		if _, err := io.ReadFull(conn, make([]byte, 64<<10)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Minute) // reading nothing
		if n, err := io.Copy(io.Discard, conn); err != nil || n > fileSize/2 {
			t.Errorf("%d bytes more came, %v, after %v", n, err, time.Since(began))
		}
	})
}

func TestSlowClientGetsTheWholeFile(t *testing.T) {
	both(t, func(t *testing.T, h http.Handler) {
		began := time.Now()
		conn := askFor(t, h)
		total := 0
		for piece := make([]byte, 64<<10); total < fileSize; time.Sleep(10 * time.Second) {
			n, err := io.ReadFull(conn, piece)
			if total += n; err != nil && err != io.ErrUnexpectedEOF {
				t.Fatalf("cut off after %d bytes and %v: %v", total, time.Since(began), err)
			}
		}
		if time.Since(began) < 5*time.Minute {
			t.Errorf("it took %v, which tests nothing", time.Since(began))
		}
	})
}

// kernel is a writer that can send a file without copying it, like a TCP connection.
type kernel struct {
	http.ResponseWriter
	took []io.Reader
}

func (k *kernel) ReadFrom(src io.Reader) (int64, error) {
	k.took = append(k.took, src)
	return io.Copy(io.Discard, struct{ io.Reader }{src})
}

// The connection receives the file in a single io.LimitedReader, which is what the kernel
// can send without copying.
func TestFileReachesTheConnectionUncopied(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/film")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(fileSize); err != nil {
		t.Fatal(err)
	}
	h := web.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(web.WithRollingDeadline(w), r, "", time.Time{}, file)
	}), web.Log(slog.New(slog.DiscardHandler), nil), web.Observe(func(string, int, time.Duration) {}))
	w := &kernel{ResponseWriter: &discard{http.Header{}}}
	r, err := http.NewRequest(http.MethodGet, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	h.ServeHTTP(w, r)
	if len(w.took) == 0 {
		t.Fatal("the file was copied through the program")
	}
	for _, src := range w.took {
		limited, ok := src.(*io.LimitedReader)
		if !ok || limited.R != io.Reader(file) {
			t.Fatalf("the connection gets a %T", src)
		}
	}
}

type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

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

// pipes is a listener for in-memory connections, whose deadlines use the fake clock of
// synctest.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }

func TestABodyThatTricklesIsCutOff(t *testing.T) {
	pace := web.Pace{Grace: 20 * time.Second, Rate: 1000, Most: 5 * time.Minute}
	for name, tt := range map[string]struct {
		bytes       int
		every       time.Duration
		least, most time.Duration // until reading fails; 0 if the body is read to the end
	}{
		"a byte a second":           {1, time.Second, 20 * time.Second, 21 * time.Second},
		"nothing after the first":   {1, time.Hour, 20 * time.Second, 21 * time.Second},
		"half the rate":             {500, time.Second, 39 * time.Second, 42 * time.Second},
		"twice the rate, for ever":  {2000, time.Second, 5 * time.Minute, 5*time.Minute + time.Second},
		"fast enough":               {20_000, time.Second, 0, 0},
		"with pauses of 15 seconds": {100_000, 15 * time.Second, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				took, err := received(t, pace, tt.bytes, tt.every)
				if tt.most == 0 && err != nil {
					t.Errorf("it was cut off after %v: %v", took, err)
				}
				if tt.most > 0 && (!errors.Is(err, os.ErrDeadlineExceeded) || took < tt.least || took > tt.most) {
					t.Errorf("it was read for %v: %v", took, err)
				}
			})
		})
	}
}

// received returns how long a handler reads a body of a megabyte of which so many bytes
// arrive at each interval.
func received(t *testing.T, pace web.Pace, bytes int, every time.Duration) (took time.Duration, err error) {
	const size = 1_000_000
	listener, done := make(pipes), make(chan struct{})
	s := &http.Server{
		ReadTimeout: time.Minute, WriteTimeout: time.Minute, ErrorLog: nil,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer close(done)
			if err = pace.Hold(w, r); err != nil {
				return
			}
			began := time.Now()
			_, err = io.Copy(io.Discard, r.Body)
			took = time.Since(began)
		}),
	}
	go func() { _ = s.Serve(listener) }()
	mine, its := net.Pipe()
	listener <- its
	var all sync.WaitGroup
	all.Go(func() { _, _ = io.Copy(io.Discard, mine) })
	all.Go(func() {
		_, _ = fmt.Fprintf(mine, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", size)
		for sent := 0; sent < size; sent += bytes {
			if _, err := mine.Write(make([]byte, min(bytes, size-sent))); err != nil {
				return
			}
			select {
			case <-time.After(every):
			case <-done:
			}
		}
	})
	<-done
	_ = mine.Close()
	_ = s.Close()
	all.Wait()
	return took, err
}
