// Package smtptest runs a mail server for tests: it accepts mails over SMTP, with TLS and
// passwords, and fails in the ways that a test specifies.
package smtptest

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// Host is the name that the server's certificate is for.
const Host = "mail.example.com"

// A Server accepts mails. Its exported fields must be set before a client connects.
type Server struct {
	STARTTLS bool   // whether to offer STARTTLS
	TLS      bool   // whether to use implicit TLS
	User     string // that must sign in with Password; empty needs no authentication
	Password string
	// Answer returns the response to a command such as "RCPT TO:<kim@example.com>", or
	// to the end of a mail, ".". If it returns "", the server sends its usual response.
	// With HangUp, the server closes the connection without a response.
	Answer func(command string) string

	Roots    *x509.CertPool
	listener net.Listener
	config   *tls.Config

	mu    sync.Mutex
	mails []Mail
	open  map[net.Conn]bool
	done  sync.WaitGroup
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
	s.open = map[net.Conn]bool{}
	s.done.Go(func() {
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.open[conn] = true
			s.mu.Unlock()
			s.done.Go(func() { s.serve(conn) })
		}
	})
	tb.Cleanup(s.stop)
	return s
}

func (s *Server) stop() {
	_ = s.listener.Close()
	s.mu.Lock()
	for conn := range s.open {
		_ = conn.Close()
	}
	s.mu.Unlock()
	s.done.Wait()
}

// Dial connects a client without a socket, for use within a bubble of testing/synctest.
// It can be assigned to smtp.Client.Dial. It does not support TLS, and Start is not
// needed.
func (s *Server) Dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go s.serve(server)
	return client, nil
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
	*Server
	conn   net.Conn
	in     *bufio.Reader
	mail   Mail
	secure bool
	as     string
}

func (s *Server) serve(raw net.Conn) {
	defer raw.Close()
	t := &session{Server: s, conn: raw, secure: s.TLS}
	if s.TLS {
		t.conn = tls.Server(raw, s.config)
	}
	t.in = bufio.NewReader(t.conn)
	if !t.say("220 " + Host + " ESMTP") {
		return
	}
	for {
		_ = raw.SetReadDeadline(time.Now().Add(30 * time.Second))
		line, err := t.in.ReadString('\n')
		if err != nil {
			return
		}
		if !t.handle(strings.TrimRight(line, "\r\n")) {
			return
		}
	}
}

// say sends a response, and reports whether the session continues.
func (t *session) say(lines ...string) bool {
	_, err := t.conn.Write([]byte(strings.Join(lines, "\r\n") + "\r\n"))
	return err == nil
}

func (t *session) handle(line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	verb = strings.ToUpper(verb)
	if goes, answered := t.answer(line); answered {
		return goes
	}
	switch verb {
	case "EHLO":
		return t.greet()
	case "STARTTLS":
		if !t.say("220 go on") {
			return false
		}
		t.conn, t.secure = tls.Server(t.conn, t.config), true
		t.in = bufio.NewReader(t.conn)
		return true
	case "AUTH":
		return t.signIn(rest)
	case "MAIL":
		if t.User != "" && t.as == "" {
			return t.say("530 5.7.0 sign in first")
		}
		t.mail = Mail{From: between(rest), Secure: t.secure, As: t.as}
	case "RCPT":
		t.mail.To = between(rest)
	case "DATA":
		return t.say("354 go on") && t.take()
	case "QUIT":
		t.say("221 bye")
		return false
	}
	return t.say("250 ok")
}

// answer sends the response that the test specifies for the line, if any. goes reports
// whether the session continues.
func (t *session) answer(line string) (goes, answered bool) {
	if t.Answer == nil {
		return true, false
	}
	switch wanted := t.Answer(line); wanted {
	case "":
		return true, false
	case HangUp:
		return false, true
	case HangUpAfter:
		t.keep()
		return false, true
	default:
		return t.say(wanted), true
	}
}

func (t *session) greet() bool {
	lines := []string{"250-" + Host, "250-8BITMIME"}
	if t.STARTTLS && !t.secure {
		lines = append(lines, "250-STARTTLS")
	}
	if t.User != "" {
		lines = append(lines, "250-AUTH PLAIN LOGIN")
	}
	return t.say(append(lines, "250 ENHANCEDSTATUSCODES")...)
}

func (t *session) signIn(how string) bool {
	_, text, _ := strings.Cut(how, " ")
	given, _ := base64.StdEncoding.DecodeString(text)
	if string(given) != "\x00"+t.User+"\x00"+t.Password {
		return t.say("535 5.7.8 wrong user or password")
	}
	t.as = t.User
	return t.say("235 welcome")
}

// take receives the content of a mail.
func (t *session) take() bool {
	var text strings.Builder
	for {
		line, err := t.in.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			break
		}
		text.WriteString(strings.TrimPrefix(line, "."))
	}
	t.mail.Text = text.String()
	if goes, answered := t.answer("."); answered {
		return goes
	}
	t.keep()
	return t.say("250 taken")
}

func (t *session) keep() {
	t.mu.Lock()
	t.mails = append(t.mails, t.mail)
	t.mu.Unlock()
}

func between(s string) string {
	_, s, _ = strings.Cut(s, "<")
	s, _, _ = strings.Cut(s, ">")
	return s
}

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
