package smtp

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// A line opens the connection of one conversation, and can end it.
type line struct {
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
	settings *tls.Config // of TLS from the beginning; nil without

	mu   sync.Mutex
	conn net.Conn
	last time.Time // when everything has to be over; zero while the context lasts
}

// open connects.
func (l *line) open(ctx context.Context, network, address string) (net.Conn, error) {
	dial := l.dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	raw, err := dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.conn = raw
	l.mu.Unlock()
	conn := &bounded{raw, l}
	if l.settings == nil {
		return conn, nil
	}
	secure := tls.Client(conn, l.settings)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, err
	}
	return secure, nil
}

// part lets the conversation come to its end, which must be soon.
func (l *line) part() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = time.Now().Add(parting)
	if l.conn != nil {
		_ = l.conn.SetDeadline(l.last)
	}
}

// A bounded connection has no later deadline than its line.
type bounded struct {
	net.Conn
	line *line
}

// SetDeadline implements net.Conn.
func (b *bounded) SetDeadline(t time.Time) error {
	b.line.mu.Lock()
	defer b.line.mu.Unlock()
	if last := b.line.last; !last.IsZero() && (t.IsZero() || t.After(last)) {
		t = last
	}
	return b.Conn.SetDeadline(t)
}
