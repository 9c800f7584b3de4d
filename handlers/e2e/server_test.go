package e2e

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dailies/web/smtp/smtptest"
)

// setupToken is the setup token of every server here.
const setupToken = "the-setup-token"

// quick is a model whose videos are rendered very fast. It comes first in the
// catalogue, so that every form offers it.
const quick = `
[[model]]
id = "quick"
name = "Quick"
note = "For tests"
scenes = ["text-to-video", "image-to-video", "frames-to-video", "reference-to-video"]
durations = [1, 2, 10]
duration = 2
resolutions = ["480p"]
resolution = "480p"
ratios = ["16:9", "1:1"]
  [[model.price]]
  credits = 2
`

// full is a model for which quick makes drafts. It comes last.
const full = `
[[model]]
id = "full"
name = "Full"
note = "For finals"
scenes = ["text-to-video"]
draft = "quick"
durations = [1, 2]
resolutions = ["480p"]
ratios = ["16:9", "1:1"]
  [[model.price]]
  credits = 5
`

// catalogue writes the built-in catalogue with these two models to a file and returns
// its path.
var catalogue = sync.OnceValues(func() (string, error) {
	builtIn, err := os.ReadFile(filepath.Join("..", "..", "web", "videoapi", "catalog.toml"))
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "catalog.toml")
	return path, os.WriteFile(path, []byte(quick+string(builtIn)+full), 0o600)
})

// A server is a running instance of the program.
type server struct {
	base, dir string
	plain     bool     // with only the built-in models
	settings  []string // in addition to those of every server here
	under     []string // the command that runs the program; empty to run it directly
	command   *exec.Cmd
	ended     chan struct{}
	log       *logs
}

// newServer starts the program with a new data folder.
func newServer(t *testing.T) *server {
	t.Helper()
	return startNew(t, &server{dir: t.TempDir(), log: &logs{}})
}

// newPlainServer is like newServer, with the built-in catalogue, a mail server and the
// developers' pages.
func newPlainServer(t *testing.T) *server {
	t.Helper()
	return startNew(t, &server{dir: t.TempDir(), log: &logs{}, plain: true, settings: []string{"-dev", "-smtp", mailTo(new(smtptest.Server).Start(t))}})
}

// mailTo returns the value of -smtp for the mail server.
func mailTo(s *smtptest.Server) string { return "smtp://" + s.Addr() + "?from=dailies@example.com" }

func startNew(t *testing.T, s *server) *server {
	t.Helper()
	t.Cleanup(s.stop)
	s.showLog(t)
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	return s
}

var (
	startShared = sync.OnceValues(func() (*server, error) {
		s := &server{dir: filepath.Join(folder, "data"), log: &logs{}}
		if err := s.start(); err != nil {
			return nil, err
		}
		stopShared = s.stop
		return s, s.setUp()
	})
	stopShared = func() {}
)

// ownServer starts a server that the test may stop, and returns it with its admin and
// the admin's tab, in which requests may fail.
func ownServer(t *testing.T) (*server, *person, *tab) {
	t.Helper()
	needBrowser(t)
	s := newServer(t)
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	who, err := s.admin()
	if err != nil {
		t.Fatal(err)
	}
	p := newTabOf(t, who)
	p.expect("net::ERR_") // errors while the server is stopped
	p.expect("Failed to fetch")
	return s, who, p
}

// sharedServer returns a server for tests that are not disturbed by each other's
// videos. Its first account exists already.
func sharedServer(t *testing.T) *server {
	t.Helper()
	s, err := startShared()
	if s != nil {
		s.showLog(t)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// start runs the program and waits until it responds. On a second start it gets the
// same address, so that open pages find it again.
func (s *server) start() error {
	path, err := binary()
	if err != nil {
		return err
	}
	if s.base == "" {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		s.base = "http://" + listener.Addr().String()
		listener.Close()
	}
	settings := []string{"-addr", strings.TrimPrefix(s.base, "http://"), "-data", s.dir,
		"-setup-token", setupToken, "-poll", "200ms", "-allow-private"}
	if !s.plain {
		models, err := catalogue()
		if err != nil {
			return err
		}
		settings = append(settings, "-catalog", models)
	}
	words := append(append(slices.Clone(s.under), path), append(settings, s.settings...)...)
	s.command = exec.Command(words[0], words[1:]...)
	s.command.Env = environ()
	s.command.Stderr = s.log
	if err := s.command.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go func(c *exec.Cmd, ended chan struct{}) { _ = c.Wait(); close(ended) }(s.command, s.ended)
	return s.awaitAnswer()
}

func (s *server) awaitAnswer() error {
	client := &http.Client{Timeout: time.Minute}
	deadline := time.Now().Add(2 * time.Minute)
	for time.Now().Before(deadline) {
		if answer, err := client.Get(s.base + "/healthz"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-s.ended:
			return fmt.Errorf("the server ended at once:\n%s", s.log)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return fmt.Errorf("the server does not answer:\n%s", s.log)
}

// end sends the signal and waits until the program has exited.
func (s *server) end(signal syscall.Signal) error {
	_ = s.command.Process.Signal(signal)
	select {
	case <-s.ended:
		return nil
	case <-time.After(time.Minute):
		_ = s.command.Process.Kill()
		return fmt.Errorf("the server does not end on %v", signal)
	}
}

func (s *server) stop() {
	if s.command != nil && s.command.Process != nil {
		_ = s.end(syscall.SIGTERM)
	}
}

// showLog adds what the server logs during the test to the output of a failed test.
func (s *server) showLog(t *testing.T) {
	before := len(s.log.String())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the server said:\n%s", s.log.String()[before:])
		}
	})
}

// logs collects the output of a program and is safe for concurrent use.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
