package smtp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"strings"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// A Client sends mails through one server.
type Client struct {
	Address  Address
	Password string
	Roots    *x509.CertPool // root CAs for the server's certificate; nil means those of the system
	// Dial connects to the server; nil means net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// A Mail is a message to one recipient. Text and HTML have the same content.
type Mail struct {
	ID      string // letters and digits; the same for every attempt, so that duplicates can be recognised
	Name    string // of the recipient; may be empty
	To      string // e-mail address
	Subject string
	Text    string
	HTML    string
	At      time.Time
	// Stop is the URL that stops such mails; empty if there is none. With https, mail programs
	// can stop them with one click, by a POST of List-Unsubscribe=One-Click (RFC 8058).
	Stop string
}

const (
	// stepTimeout limits connecting, and then signing in.
	stepTimeout = 15 * time.Second
	// sendTimeout limits the submission of the mail. Some servers examine a mail for a
	// minute before they answer, and if nobody waits for the answer, the mail is sent
	// again although it was delivered.
	sendTimeout = 2 * time.Minute
	// graceTime is how long a session may continue after its context is done. If it
	// ended at once, a mail that the server has just accepted would be sent again.
	graceTime = 3 * time.Second
)

// Longest is longer than any call of Send takes.
const Longest = 2*stepTimeout + sendTimeout + graceTime + 10*time.Second

// ErrRefused means that the server permanently rejects this mail.
var ErrRefused = errors.New("the mail server refuses this mail")

// ErrUnanswered means that the whole mail was sent, but the server's answer did not
// arrive. Another attempt may deliver the mail a second time.
var ErrUnanswered = errors.New("the mail may have arrived, but the mail server did not confirm it")

// Send submits the mail. It returns ErrRefused if another attempt is of no use, and
// ErrUnanswered if the mail may have been delivered.
func (c *Client) Send(ctx context.Context, m Mail) error {
	msg, err := c.message(m)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	s := &session{dial: c.Dial}
	client, err := c.client(s)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, s.end)
	defer stop()
	defer s.close()
	conn, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	s.extend(sendTimeout)
	err = client.SendWithSMTPClient(conn, msg)
	s.end()
	_ = client.CloseWithSMTPClient(conn) // the outcome is known already
	if msg.IsDelivered() {
		return nil // even if a later step has failed
	}
	refused := new(gomail.SendError)
	switch {
	case errors.As(err, &refused) && isPermanent(refused):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	case refused.Reason == gomail.ErrSMTPDataClose && refused.ErrorCode() == 0:
		return fmt.Errorf("%w: %w", ErrUnanswered, err)
	}
	return err
}

// Check connects to the server and signs in, without sending anything.
func (c *Client) Check(ctx context.Context) error {
	s := &session{dial: c.Dial}
	client, err := c.client(s)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, s.end)
	defer stop()
	defer s.close()
	conn, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	s.end()
	_ = client.CloseWithSMTPClient(conn) // the outcome is known already
	return nil
}

// isPermanent reports whether the server has permanently rejected the recipient or the
// content. Rejection of the sender does not count, because correcting the settings may
// help.
func isPermanent(e *gomail.SendError) bool {
	switch e.Reason {
	case gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose:
		return e.ErrorCode()/100 == 5
	}
	return false
}

// message builds the mail. It returns an error if a header field contains a line break.
func (c *Client) message(m Mail) (*gomail.Msg, error) {
	if strings.ContainsAny(m.ID+m.Name+m.To+m.Subject+m.Stop, "\r\n\x00") {
		return nil, errors.New("a line of its head is broken")
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	from := c.Address.From
	to, err := mail.ParseAddress(m.To)
	if err != nil || to.Address != m.To {
		return nil, errors.New("the recipient's address is none")
	}
	msg.FromMailAddress(&from)
	msg.ToMailAddress(&mail.Address{Name: m.Name, Address: m.To})
	_, domain, _ := strings.Cut(from.Address, "@")
	msg.SetMessageIDWithValue(m.ID + "@" + domain)
	msg.SetDateWithValue(m.At)
	msg.Subject(m.Subject)
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // prevents automatic replies
	if m.Stop != "" {
		msg.SetGenHeaderPreformatted("List-Unsubscribe", "<"+m.Stop+">")
		if strings.HasPrefix(m.Stop, "https://") {
			msg.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
		}
	}
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	return msg, nil
}

func (c *Client) client(s *session) (*gomail.Client, error) {
	a := c.Address
	// The certificate of a server on this machine, if it has one, is for its public
	// name. It need not be verified because the connection stays on the machine.
	settings := &tls.Config{ServerName: a.Host, RootCAs: c.Roots, MinVersion: tls.VersionTLS12, InsecureSkipVerify: a.IsLoopback()} // #nosec G402
	options := []gomail.Option{
		gomail.WithPort(a.Port), gomail.WithTimeout(stepTimeout), gomail.WithTLSConfig(settings),
		gomail.WithDialContextFunc(s.open), gomail.WithoutNoop(),
	}
	switch {
	case a.TLS:
		options = append(options, gomail.WithSSL())
		s.settings = settings
	case a.IsLoopback():
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if a.User != "" {
		options = append(options, gomail.WithUsername(a.User), gomail.WithPassword(c.Password))
		ways := []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthCramMD5,
			gomail.SMTPAuthPlain, gomail.SMTPAuthLogin}
		if a.IsLoopback() && !a.TLS {
			ways = []gomail.SMTPAuthType{gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc}
		}
		options = append(options, gomail.WithOpportunisticSMTPAuth(ways...))
	}
	return gomail.NewClient(a.Host, options...)
}

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
