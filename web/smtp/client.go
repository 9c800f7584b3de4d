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
	"time"

	gomail "github.com/wneessen/go-mail"
)

// A Client sends mails through one server.
type Client struct {
	Address  Address
	Password string
	Roots    *x509.CertPool // that the server's certificate is held against; nil means those of the machine
	// Dial connects to the server; nil means net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// A Mail is for one recipient. Its texts say the same.
type Mail struct {
	ID      string // letters and digits; the same for every try, so that a second one can be recognised
	Name    string // of the recipient; may be empty
	To      string // e-mail address
	Subject string
	Text    string
	HTML    string
	At      time.Time
}

const (
	// patience bounds each step of a conversation with the server.
	patience = 15 * time.Second
	// parting is how long a conversation may still take once its context has ended:
	// a mail that the server has just taken would be sent again.
	parting = 3 * time.Second
)

// ErrRefused says that the server will not take this mail, however often it is tried.
var ErrRefused = errors.New("the mail server refuses this mail")

// Send hands the mail over. An error is ErrRefused where another try is of no use;
// after any other one the mail may have arrived all the same.
func (c *Client) Send(ctx context.Context, m Mail) error {
	msg, err := c.message(m)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	line := &line{dial: c.Dial}
	client, err := c.client(line)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, line.part)
	defer stop()
	err = client.DialAndSendWithContext(ctx, msg)
	if msg.IsDelivered() {
		return nil // whatever went wrong after that
	}
	if refused := new(gomail.SendError); errors.As(err, &refused) && isFinal(refused) {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

// isFinal reports whether the server has refused the recipient or the content for
// good. That it refuses the sender is a matter of settings, which may be put right.
func isFinal(e *gomail.SendError) bool {
	switch e.Reason {
	case gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose:
		return e.ErrorCode()/100 == 5
	}
	return false
}

// message builds the mail. What could end a header line early is an error.
func (c *Client) message(m Mail) (*gomail.Msg, error) {
	if strings.ContainsAny(m.ID+m.Name+m.To+m.Subject, "\r\n\x00") {
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
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // no robot answers it
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	return msg, nil
}

func (c *Client) client(l *line) (*gomail.Client, error) {
	a := c.Address
	// A server on this machine has a certificate for its public name, if any, and
	// nobody stands between.
	settings := &tls.Config{ServerName: a.Host, RootCAs: c.Roots, MinVersion: tls.VersionTLS12, InsecureSkipVerify: a.IsLoopback()} // #nosec G402
	options := []gomail.Option{
		gomail.WithPort(a.Port), gomail.WithTimeout(patience), gomail.WithTLSConfig(settings), gomail.WithDialContextFunc(l.open), gomail.WithoutNoop(),
	}
	switch {
	case a.TLS:
		options = append(options, gomail.WithSSL())
		l.settings = settings
	case a.IsLoopback():
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if a.User != "" {
		options = append(options, gomail.WithUsername(a.User), gomail.WithPassword(c.Password))
		ways := []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthCramMD5, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin}
		if a.IsLoopback() && !a.TLS {
			ways = []gomail.SMTPAuthType{gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc}
		}
		options = append(options, gomail.WithOpportunisticSMTPAuth(ways...))
	}
	return gomail.NewClient(a.Host, options...)
}
