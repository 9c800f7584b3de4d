package sandbox

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
)

// A transport serves a handler to clients in the same program. It runs net/http
// on both ends of an in-memory connection, so that such a client sees the same
// behaviour as a client on the network.
type transport struct {
	http.Transport
	server http.Server

	calls  sync.WaitGroup
	mu     sync.Mutex
	closed bool // no more calls are accepted
}

func newTransport(h http.Handler, log *slog.Logger) *transport {
	t := &transport{}
	t.server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelError)
	t.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !t.begin() {
			panic(http.ErrAbortHandler)
		}
		defer t.calls.Done()
		h.ServeHTTP(w, r)
		// An in-memory connection has no buffer, so a client whose body is not read
		// fails to write it and may miss the answer.
		_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 1<<20))
	})
	t.DialContext, t.DialTLSContext = t.dial, t.dial // for every address: there is no network
	t.DisableKeepAlives = true                       // http.Transport may resend a call that fails on a reused connection
	t.DisableCompression = true
	return t
}

// begin counts a call. It reports false after close.
func (t *transport) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.calls.Add(1)
	}
	return !t.closed
}

// close aborts the calls and waits until the handler has returned from each, so
// that the database and the files can be closed.
func (t *transport) close() error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	err := t.server.Close() // does not wait for the handler
	t.calls.Wait()
	return err
}

// dial connects a client to the handler.
func (t *transport) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	if err := t.server.Serve(&oneConn{Conn: there}); !errors.Is(err, io.EOF) {
		return nil, err
	}
	return here, nil
}

// A oneConn is a net.Listener that accepts one connection and then ends; the
// server continues to serve the connection.
type oneConn struct {
	net.Conn
	taken bool
}

// Accept implements net.Listener.
func (l *oneConn) Accept() (net.Conn, error) {
	if l.taken {
		return nil, io.EOF
	}
	l.taken = true
	return l.Conn, nil
}

// Addr implements net.Listener.
func (l *oneConn) Addr() net.Addr { return l.LocalAddr() }

// Close implements net.Listener. The connection stays open.
func (l *oneConn) Close() error { return nil }
