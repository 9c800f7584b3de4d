package smtp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"testing"
	"time"

	"dailies/web/smtp"
	"dailies/web/smtp/smtptest"
)

var note = smtp.Mail{ID: "abc123", Name: "Kim", To: "kim@example.com", Subject: "Hello", Text: "Hello Kim.\n", HTML: "<p>Hello Kim.</p>", At: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}

// client returns a client for the server at the host, whatever that resolves to.
func client(s *smtptest.Server, host string) *smtp.Client {
	return &smtp.Client{
		Address:  smtp.Address{Host: host, Port: 25, User: s.User, TLS: s.TLS, From: mail.Address{Name: "Dailies", Address: "dailies@example.com"}},
		Password: s.Password, Roots: s.Roots,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.Addr())
		},
	}
}

func TestMailsArriveOverEachKindOfConnection(t *testing.T) {
	for name, server := range map[string]*smtptest.Server{
		"STARTTLS":          {STARTTLS: true},
		"TLS":               {TLS: true},
		"STARTTLS and user": {STARTTLS: true, User: "kim", Password: "geheim"},
		"TLS and user":      {TLS: true, User: "kim", Password: "geheim"},
	} {
		t.Run(name, func(t *testing.T) {
			server.Start(t)
			if err := client(server, smtptest.Host).Send(t.Context(), note); err != nil {
				t.Fatal(err)
			}
			got := server.Mails()
			if len(got) != 1 || got[0].From != "dailies@example.com" || got[0].To != "kim@example.com" || !got[0].Secure || got[0].As != server.User {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestMailsToThisMachineMayBeInTheClear(t *testing.T) {
	for _, server := range []*smtptest.Server{{}, {STARTTLS: true}, {User: "kim", Password: "geheim"}, {TLS: true}} {
		server.Start(t)
		if err := client(server, "127.0.0.1").Send(t.Context(), note); err != nil {
			t.Fatal(err)
		}
		if got := server.Mails(); len(got) != 1 || got[0].Secure != (server.STARTTLS || server.TLS) {
			t.Errorf("got %+v", got)
		}
	}
}

// Neither a mail nor a password is sent to a server without a valid certificate.
func TestServersThatAreNotSecureGetNothing(t *testing.T) {
	for name, c := range map[string]*smtp.Client{
		"no STARTTLS": client((&smtptest.Server{User: "kim", Password: "geheim"}).Start(t), smtptest.Host),
		"other name":  client((&smtptest.Server{STARTTLS: true}).Start(t), "other.example.com"),
		"other root":  {Address: smtp.Address{Host: smtptest.Host, Port: 25, TLS: true, From: mail.Address{Address: "a@example.com"}}, Dial: client((&smtptest.Server{TLS: true}).Start(t), "").Dial},
	} {
		if err := c.Send(t.Context(), note); err == nil || errors.Is(err, smtp.ErrRefused) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrorsTellWhetherARetryIsUseful(t *testing.T) {
	for _, c := range []struct {
		begins, answer string
		refused        bool
	}{
		{"MAIL", "451 4.3.0 later", false},
		{"MAIL", "550 5.7.1 this sender may not", false}, // the settings can be corrected
		{"RCPT", "450 4.2.0 later", false},
		{"RCPT", "550 5.1.1 nobody of that name", true},
		{".", "452 4.2.2 later", false},
		{".", "554 5.7.1 spam", true},
		{"RCPT", smtptest.HangUp, false},
		{".", smtptest.HangUp, false},
	} {
		server := (&smtptest.Server{STARTTLS: true, Answer: func(line string) string {
			if strings.HasPrefix(line, c.begins) {
				return c.answer
			}
			return ""
		}}).Start(t)
		err := client(server, smtptest.Host).Send(t.Context(), note)
		if err == nil || errors.Is(err, smtp.ErrRefused) != c.refused {
			t.Errorf("%s: %s: %v", c.begins, c.answer, err)
		} else if c.refused && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is not one sentence", err)
		}
	}
	wrong := client((&smtptest.Server{STARTTLS: true, User: "kim", Password: "geheim"}).Start(t), smtptest.Host)
	wrong.Password = "falsch"
	if err := wrong.Send(t.Context(), note); err == nil || errors.Is(err, smtp.ErrRefused) || strings.Contains(err.Error(), "falsch") {
		t.Errorf("a wrong password: %v", err)
	}
}

// The server answers DATA itself with a refusal, before it has seen the mail.
func TestARefusalBeforeTheContentTellsWhetherARetryIsUseful(t *testing.T) {
	for refusal, refused := range map[string]bool{"451 later": false, "554 5.7.1 no mails from you": true} {
		conn, server := net.Pipe()
		go func() {
			defer server.Close()
			commands := bufio.NewReader(server)
			for _, answer := range []string{"220 welcome", "250 hello", "250 a sender", "250 a recipient", refusal} {
				if _, err := io.WriteString(server, answer+"\r\n"); err != nil {
					return
				}
				_, _ = commands.ReadString('\n')
			}
		}()
		c := client(&smtptest.Server{}, "127.0.0.1")
		c.Dial = func(context.Context, string, string) (net.Conn, error) { return conn, nil }
		if err := c.Send(t.Context(), note); err == nil || errors.Is(err, smtp.ErrRefused) != refused {
			t.Errorf("%s: %v", refusal, err)
		}
	}
}

// A mail that the server has accepted is not sent again, even if a later step fails.
func TestAnAcceptedMailCountsAsSent(t *testing.T) {
	server := (&smtptest.Server{STARTTLS: true, Answer: func(line string) string {
		if line == "RSET" {
			return smtptest.HangUp
		}
		return ""
	}}).Start(t)
	if err := client(server, smtptest.Host).Send(t.Context(), note); err != nil || len(server.Mails()) != 1 {
		t.Errorf("%v, %d mails", err, len(server.Mails()))
	}
}

func TestHeadersCannotBeInjected(t *testing.T) {
	server := (&smtptest.Server{STARTTLS: true}).Start(t)
	c := client(server, smtptest.Host)
	for _, m := range []smtp.Mail{
		{Subject: "a\r\nBcc: lee@example.com"}, {Name: "Kim\nBcc: lee@example.com"}, {To: "kim@example.com>\r\nRCPT TO:<lee@example.com"},
		{To: "kim@example.com, lee@example.com"}, {To: "no address"}, {ID: "a\r\nb"},
	} {
		full := note
		if m.Subject != "" {
			full.Subject = m.Subject
		}
		if m.Name != "" {
			full.Name = m.Name
		}
		if m.To != "" {
			full.To = m.To
		}
		if m.ID != "" {
			full.ID = m.ID
		}
		if err := c.Send(t.Context(), full); !errors.Is(err, smtp.ErrRefused) {
			t.Errorf("%+v: %v", m, err)
		}
	}
	if n := len(server.Mails()); n != 0 {
		t.Errorf("%d mails were sent", n)
	}
}

// All characters are preserved, and lines are ASCII and short enough for every server.
func TestAllCharactersArrive(t *testing.T) {
	server := (&smtptest.Server{STARTTLS: true}).Start(t)
	m := note
	m.Name, m.Subject = "Jürgen \"Ü\" 山田", strings.Repeat("Größe 山田 ", 30)
	m.Text, m.HTML = strings.Repeat("山", 2000)+"\n.\n.. a dot\n", "<p>"+strings.Repeat("ü", 5000)+"</p>"
	if err := client(server, smtptest.Host).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	raw := server.Mails()[0].Text
	for line := range strings.Lines(raw) {
		if len(line) > 200 || !ascii(line) {
			t.Fatalf("a line is %d bytes: %.100q", len(line), line)
		}
	}
	got, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
	if err != nil || subject != m.Subject {
		t.Errorf("subject %q, %v", subject, err)
	}
	to, err := got.Header.AddressList("To")
	if err != nil || len(to) != 1 || to[0].Name != m.Name || to[0].Address != m.To {
		t.Errorf("to %v, %v", to, err)
	}
	if id := got.Header.Get("Message-Id"); id != "<abc123@example.com>" {
		t.Errorf("id %s", id)
	}
	parts := read(t, got)
	if len(parts) != 2 || strings.ReplaceAll(parts[0], "\r\n", "\n") != m.Text || parts[1] != m.HTML {
		t.Errorf("%d parts: %.200q", len(parts), parts)
	}
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > '~' })
}

func read(t *testing.T, m *mail.Message) (parts []string) {
	t.Helper()
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	all := multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := all.NextRawPart()
		if errors.Is(err, io.EOF) {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(raw)))
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, string(text))
	}
}

// After the context is done, Send does not wait for a silent server.
func TestASilentServerDoesNotDelayShutdown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := (&smtptest.Server{STARTTLS: true, Answer: func(line string) string {
		if line == "." {
			cancel()
			<-t.Context().Done()
			return smtptest.HangUp
		}
		return ""
	}}).Start(t)
	done := make(chan error, 1)
	go func() { done <- client(server, smtptest.Host).Send(ctx, note) }()
	select {
	case err := <-done:
		if err == nil {
			t.Error("it is said to be sent")
		}
	case <-time.After(time.Minute):
		t.Error("it waits for ever")
	}
}

func TestACheckSignsInAndSendsNothing(t *testing.T) {
	server := (&smtptest.Server{STARTTLS: true, User: "kim", Password: "geheim"}).Start(t)
	c := client(server, smtptest.Host)
	if err := c.Check(t.Context()); err != nil || len(server.Mails()) != 0 {
		t.Errorf("%v, %d mails", err, len(server.Mails()))
	}
	c.Password = "falsch"
	if err := c.Check(t.Context()); err == nil || strings.Contains(err.Error(), "falsch") {
		t.Errorf("with a wrong password: %v", err)
	}
	if err := client((&smtptest.Server{}).Start(t), smtptest.Host).Check(t.Context()); err == nil {
		t.Error("a server without TLS passes")
	}
}
