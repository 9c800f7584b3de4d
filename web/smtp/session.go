package smtp

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// A session opens the connection of one SMTP session, and can end it.
type session struct {
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
	settings *tls.Config // for implicit TLS; nil for STARTTLS or none

	mu    sync.Mutex
	conn  net.Conn
	least time.Time // no deadline before the final one is earlier
	last  time.Time // final deadline; zero until the session has to end
}

// open connects to the server, with implicit TLS if that is configured.
func (s *session) open(ctx context.Context, network, address string) (net.Conn, error) {
	dial := s.dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	raw, err := dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.conn = raw
	s.mu.Unlock()
	conn := &bounded{raw, s}
	if s.settings == nil {
		return conn, nil
	}
	secure := tls.Client(conn, s.settings)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, err
	}
	return secure, nil
}

// extend makes all further deadlines at least that long from now.
func (s *session) extend(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.least = time.Now().Add(d)
}

// close closes the connection, unless that was done.
func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		_ = s.conn.Close()
	}
}

// end gives the session graceTime to end. Further calls do nothing.
func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() {
		return
	}
	s.last = time.Now().Add(graceTime)
	if s.conn != nil {
		_ = s.conn.SetDeadline(s.last)
	}
}

// A bounded connection keeps its deadlines within the limits of its session.
type bounded struct {
	net.Conn
	session *session
}

// SetDeadline implements net.Conn.
func (b *bounded) SetDeadline(t time.Time) error {
	b.session.mu.Lock()
	defer b.session.mu.Unlock()
	if t.Before(b.session.least) {
		t = b.session.least
	}
	if last := b.session.last; !last.IsZero() && (t.IsZero() || t.After(last)) {
		t = last
	}
	return b.Conn.SetDeadline(t)
}
