// Package smtptest runs a mail server for tests: it accepts mails over SMTP, with TLS and
// passwords, and fails in the ways that a test specifies. The protocol is that of a library,
// which only tests import.
package smtptest

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Host is the name that the server's certificate is for.
const Host = "mail.example.com"

// A Server accepts mails. Its exported fields must be set before a client connects.
type Server struct {
	STARTTLS bool   // whether to offer STARTTLS
	TLS      bool   // whether to use implicit TLS
	User     string // that must sign in with Password; empty needs no authentication
	Password string
	// Answer returns the response to a step of a mail: "MAIL FROM:<dailies@example.com>",
	// "RCPT TO:<kim@example.com>", "DATA" when its content begins, "." at its end, and "RSET"
	// after it. If it returns "", the server sends its usual response. An answer to "DATA" is
	// sent at the end of the mail, and one to "RSET" can only be HangUp. With HangUp, the
	// server closes the connection without a response.
	Answer func(step string) string

	Roots    *x509.CertPool
	listener net.Listener
	config   *tls.Config

	mu    sync.Mutex
	mails []Mail
}

// HangUp as an Answer closes the connection. HangUpAfter accepts the mail first.
const (
	HangUp      = "hang up"
	HangUpAfter = "hang up after"
)

// A Mail is a mail that the server has accepted.
type Mail struct {
	From, To string
	Text     string // with the header
	Secure   bool   // whether the connection used TLS
	As       string // the user who signed in
}

// Start starts the server, which listens until the test ends.
func (s *Server) Start(tb testing.TB) *Server {
	tb.Helper()
	certificate := s.certify(tb)
	s.config = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		tb.Fatal(err)
	}
	listener, server := s.listener, s.server()
	if s.TLS {
		listener = tls.NewListener(listener, s.config)
	}
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(listener) }) // until it is closed
	tb.Cleanup(func() {
		_ = s.listener.Close() // the library may not know it yet
		done.Wait()
		_ = server.Close()
	})
	return s
}

// server returns a server of the library for this one.
func (s *Server) server() *smtp.Server {
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{server: s, conn: c}, nil
	}))
	server.Domain, server.AllowInsecureAuth, server.ErrorLog = Host, true, log.New(io.Discard, "", 0)
	if s.STARTTLS {
		server.TLSConfig = s.config
	}
	return server
}

// Dial connects a client without a socket, for use within a bubble of testing/synctest.
// It can be assigned to smtp.Client.Dial. It does not support TLS, and Start is not
// needed.
func (s *Server) Dial(context.Context, string, string) (net.Conn, error) {
	client, conn := net.Pipe()
	go func() { _ = s.server().Serve(&single{conn: conn}) }() // returns when there is no other connection
	return client, nil
}

// A single is a listener with one connection.
type single struct {
	net.Listener
	conn net.Conn
}

// Accept returns the connection, and then io.EOF.
func (l *single) Accept() (net.Conn, error) {
	conn := l.conn
	if conn == nil {
		return nil, io.EOF
	}
	l.conn = nil
	return conn, nil
}

// Addr returns the address that the server listens on.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Mails returns the accepted mails in order.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail{}, s.mails...)
}

// A session is an SMTP session.
type session struct {
	server *Server
	conn   *smtp.Conn
	mail   Mail
	as     string
	sent   bool // whether a mail was accepted
}

// errHangUp ends a step whose connection is closed.
var errHangUp = errors.New("the connection is closed")

// answer does what the test specifies for the step, and returns the error that makes the
// library send it.
func (s *session) answer(step string) error {
	if s.server.Answer == nil {
		return nil
	}
	switch wanted := s.server.Answer(step); wanted {
	case "":
		return nil
	case HangUpAfter:
		s.keep()
		fallthrough
	case HangUp:
		_ = s.conn.Conn().Close()
		return errHangUp
	default:
		code, text, _ := strings.Cut(wanted, " ")
		number, err := strconv.Atoi(code)
		return cmp.Or(err, error(&smtp.SMTPError{Code: number, EnhancedCode: smtp.NoEnhancedCode, Message: text}))
	}
}

// AuthMechanisms returns how users can sign in.
func (s *session) AuthMechanisms() []string {
	if s.server.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth returns what decides whether a user may sign in.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.server.User || password != s.server.Password {
			return smtp.ErrAuthFailed
		}
		s.as = user
		return nil
	}), nil
}

// Mail begins a mail.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.server.User != s.as {
		return smtp.ErrAuthRequired
	}
	_, secure := s.conn.TLSConnectionState()
	s.mail = Mail{From: from, Secure: secure, As: s.as}
	return s.answer("MAIL FROM:<" + from + ">")
}

// Rcpt names the recipient.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mail.To = to
	return s.answer("RCPT TO:<" + to + ">")
}

// Data receives the content.
func (s *session) Data(r io.Reader) error {
	if err := s.answer("DATA"); err != nil {
		return err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mail.Text = string(text)
	if err := s.answer("."); err != nil {
		return err
	}
	s.keep()
	return nil
}

func (s *session) keep() {
	s.server.mu.Lock()
	s.server.mails = append(s.server.mails, s.mail)
	s.server.mu.Unlock()
	s.sent = true
}

// Reset forgets the mail.
func (s *session) Reset() {
	if s.sent {
		_ = s.answer("RSET")
	}
	s.mail, s.sent = Mail{}, false
}

// Logout ends the session.
func (*session) Logout() error { return nil }

// certify creates a self-signed certificate and sets Roots so that clients accept it.
func (s *Server) certify(tb testing.TB) tls.Certificate {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	form := x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{Host}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, &form, &form, &key.PublicKey, key)
	if err != nil {
		tb.Fatal(err)
	}
	root, err := x509.ParseCertificate(der)
	if err != nil {
		tb.Fatal(err)
	}
	s.Roots = x509.NewCertPool()
	s.Roots.AddCert(root)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
