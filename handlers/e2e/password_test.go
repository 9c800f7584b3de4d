package e2e

import (
	"bytes"
	"database/sql"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"dailies/web/smtp/smtptest"
)

// command runs the program with the arguments, and returns its output and exit status.
func command(t *testing.T, args ...string) (out, errs string, status int) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), path, args...)
	c.Env = environ()
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
}

// resetLink returns the path of a link with which the user sets a new password.
func (s *server) resetLink(t *testing.T, email string) (path string) {
	t.Helper()
	out, errs, status := command(t, "password", email, "-data", s.dir, "-public-url", s.base)
	path, found := strings.CutPrefix(strings.TrimSpace(out), s.base)
	if status != 0 || !found || !strings.HasPrefix(path, "/reset/") {
		t.Fatalf("status %d: %s%s", status, out, errs)
	}
	return path
}

// change executes the statement in the database of the running program.
func (s *server) change(t *testing.T, statement string) {
	t.Helper()
	data, err := sql.Open("sqlite", "file:"+filepath.Join(s.dir, "dailies.db")+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	if _, err := data.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// mailedLink requests a reset link on the sign-in page, and returns the path of the one
// that arrives by mail.
func (s *server) mailedLink(t *testing.T, office *smtptest.Server, email string) (path string) {
	t.Helper()
	had := len(office.Mails())
	if page, err := newPerson(s.base, "Ada").post("/forgot", url.Values{"email": {email}}); err != nil || !strings.Contains(page, "If we know this address") {
		t.Fatalf("%v: %s", err, page)
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		for _, m := range office.Mails()[had:] { // other mails say that a password was changed
			if path := regexp.MustCompile(`/reset/[A-Z0-9]{26}`).FindString(strings.ReplaceAll(m.Text, "=\r\n", "")); path != "" {
				return path
			}
		}
	}
	t.Fatal("no mail comes")
	return ""
}

func TestForgottenPasswordIsSetWithALink(t *testing.T) {
	office := new(smtptest.Server).Start(t)
	s := startNew(t, &server{dir: t.TempDir(), log: &logs{}, settings: []string{"-smtp", mailTo(office)}})
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	before, err := s.admin()
	if err != nil {
		t.Fatal(err)
	}
	used := func(path, password string) {
		t.Helper()
		if page, err := newPerson(s.base, "Ada").post(path, url.Values{"password": {password}}); err != nil || !strings.Contains(page, "Password set") {
			t.Errorf("%v: %s", err, page)
		}
		if _, err := newPerson(s.base, "Ada").post(path, url.Values{"password": {password}}); err == nil {
			t.Error("the link works twice")
		}
		ada := newPerson(s.base, "Ada")
		ada.password = password
		if page, err := ada.post("/login", ada.account()); err != nil || !strings.Contains(page, "Make the video") {
			t.Errorf("the new password does not sign in: %v", err)
		}
	}
	used(s.resetLink(t, "ada@example.com"), "an entirely new one")
	if page, err := before.get("/settings"); err != nil || !strings.Contains(page, "Forgot your password?") {
		t.Errorf("a session of before is still open: %v", err)
	}
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	path := s.resetLink(t, "ADA@example.com")
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	used(path, "made while it stood still")
	used(s.mailedLink(t, office, " ada@EXAMPLE.com "), "asked for by mail")

	if out, errs, status := command(t, "password", "ada@example.com", "-data", s.dir, "-without-second-factor"); status != 0 ||
		!strings.Contains(out, "/reset/") || !strings.Contains(errs, "has no second step") {
		t.Errorf("of somebody with a password alone: %q, %q, exit status %d", out, errs, status)
	}
	if out, _, _ := command(t, "password", "ada@example.com", "-data", s.dir, "-addr", "0.0.0.0:8099"); !strings.HasPrefix(out, "http://127.0.0.1:8099/reset/") {
		t.Errorf("without -public-url: %s", out)
	}
	for want, args := range map[string][]string{
		"no account has":  {"password", "eve@example.com", "-data", s.dir},
		"no such file":    {"password", "ada@example.com", "-data", filepath.Join(s.dir, "none")},
		"needs an e-mail": {"password"},
	} {
		if out, errs, status := command(t, args...); status == 0 || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: status %d: %s%s", args, status, out, errs)
		}
	}
}

func TestSecretsThatCanBeGuessedAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-secret", "x"}, {"-setup-token", "x"}, {"-trusted-proxy", "x"}} {
		out, errs, status := command(t, append(args, "-data", t.TempDir())...)
		if status != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, args[0]) {
			t.Errorf("%v: status %d: %s", args, status, errs)
		}
	}
}
