package sandbox

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
)

// A transport serves a handler to clients in the same program. It has net/http
// on both ends of a connection in memory, so that such a client meets whatever
// a client on the network would.
type transport struct {
	http.Transport
	server http.Server
}

func newTransport(h http.Handler, log *slog.Logger) *transport {
	t := &transport{server: http.Server{Handler: h, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError)}}
	t.DialContext, t.DialTLSContext = t.dial, t.dial // whatever the address, there is no network
	t.DisableKeepAlives = true                       // http.Transport sends a call again if it fails on a connection that was used before
	t.DisableCompression = true
	return t
}

// dial connects a client to the handler.
func (t *transport) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	if err := t.server.Serve(&oneConn{Conn: there}); !errors.Is(err, io.EOF) {
		return nil, err
	}
	return here, nil
}

// A oneConn is a net.Listener that accepts one connection and ends, which leaves
// the server with the connection.
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
