// Package smtptest runs a mail server on this machine, for tests: it takes mails over
// SMTP, with TLS and passwords, and fails as it is told to.
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

// A Server takes mails. What it does is set before a client comes.
type Server struct {
	STARTTLS bool   // offers it
	TLS      bool   // speaks TLS from the beginning
	User     string // signs in with Password; empty takes mails from everybody
	Password string
	// Answer returns the answer to a command such as "RCPT TO:<kim@example.com>", or
	// to the end of a mail, ".", in place of the usual one; empty is the usual one.
	// With Hang up the connection ends without an answer.
	Answer func(command string) string

	Roots    *x509.CertPool
	listener net.Listener
	config   *tls.Config

	mu    sync.Mutex
	mails []Mail
	lines []string
	open  map[net.Conn]bool
	done  sync.WaitGroup
}

// HangUp is an Answer that ends the connection. HangUpAfter takes the mail first.
const (
	HangUp      = "hang up"
	HangUpAfter = "hang up after"
)

// A Mail is one that the server has taken.
type Mail struct {
	From, To string
	Text     string // with its head
	Secure   bool   // it came in TLS
	As       string // the user who signed in
}

// Start lets the server listen until the test ends.
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

// Dial connects a client without a socket, as within a bubble of testing/synctest. It
// takes the place of smtp.Client.Dial, and serves no TLS. Start is not needed.
func (s *Server) Dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go s.serve(server)
	return client, nil
}

// Addr returns the address that the server listens on.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Mails returns what the server has taken, in order.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail{}, s.mails...)
}

// Lines returns the commands that clients have sent, without those of a sign-in.
func (s *Server) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.lines...)
}

// A talk is one connection.
type talk struct {
	*Server
	conn   net.Conn
	in     *bufio.Reader
	mail   Mail
	secure bool
	as     string
}

func (s *Server) serve(raw net.Conn) {
	defer raw.Close()
	t := &talk{Server: s, conn: raw, secure: s.TLS}
	if s.TLS {
		t.conn = tls.Server(raw, s.config)
	}
	t.in = bufio.NewReader(t.conn)
	if !t.say("220 " + Host + " ESMTP") {
		return
	}
	for {
		_ = raw.SetDeadline(time.Now().Add(30 * time.Second))
		line, err := t.in.ReadString('\n')
		if err != nil {
			return
		}
		if !t.obey(strings.TrimRight(line, "\r\n")) {
			return
		}
	}
}

// say answers, and reports whether the connection goes on.
func (t *talk) say(lines ...string) bool {
	_, err := t.conn.Write([]byte(strings.Join(lines, "\r\n") + "\r\n"))
	return err == nil
}

func (t *talk) obey(line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	verb = strings.ToUpper(verb)
	if verb != "AUTH" {
		t.mu.Lock()
		t.lines = append(t.lines, line)
		t.mu.Unlock()
	}
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

// answer gives the answer that the test wants, if it wants one.
func (t *talk) answer(line string) (goes, answered bool) {
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

func (t *talk) greet() bool {
	lines := []string{"250-" + Host, "250-8BITMIME"}
	if t.STARTTLS && !t.secure {
		lines = append(lines, "250-STARTTLS")
	}
	if t.User != "" {
		lines = append(lines, "250-AUTH PLAIN LOGIN")
	}
	return t.say(append(lines, "250 ENHANCEDSTATUSCODES")...)
}

func (t *talk) signIn(how string) bool {
	_, text, _ := strings.Cut(how, " ")
	given, _ := base64.StdEncoding.DecodeString(text)
	if string(given) != "\x00"+t.User+"\x00"+t.Password {
		return t.say("535 5.7.8 wrong user or password")
	}
	t.as = t.User
	return t.say("235 welcome")
}

// take reads a mail up to its end.
func (t *talk) take() bool {
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

func (t *talk) keep() {
	t.mu.Lock()
	t.mails = append(t.mails, t.mail)
	t.mu.Unlock()
}

func between(s string) string {
	_, s, _ = strings.Cut(s, "<")
	s, _, _ = strings.Cut(s, ">")
	return s
}

// certify makes a certificate that the server's Roots vouch for.
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
