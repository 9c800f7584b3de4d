package web_test

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
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
