package e2e

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dailies/web/smtp/smtptest"
)

// setupToken opens /setup of every server here.
const setupToken = "the-setup-token"

// quick is a model whose videos are rendered in a moment. It stands first in
// the catalogue, so that every form offers it.
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

// full is the model that the quick one makes drafts for. It stands last.
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

// catalogue is the built-in one with the quick model and its full one.
var catalogue = sync.OnceValues(func() (string, error) {
	builtIn, err := os.ReadFile(filepath.Join("..", "..", "web", "videoapi", "catalog.toml"))
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "catalog.toml")
	return path, os.WriteFile(path, []byte(quick+string(builtIn)+full), 0o600)
})

// A server is the program, running.
type server struct {
	base, dir string
	plain     bool     // with the models that people get
	settings  []string // beyond those that every server here has
	command   *exec.Cmd
	ended     chan struct{}
	log       *logs
}

// newServer starts the program on a new data folder.
func newServer(t *testing.T) *server {
	t.Helper()
	return startNew(t, &server{dir: t.TempDir(), log: &logs{}})
}

// newPlainServer is newServer with the built-in catalogue, with a mail server, and with
// the pages of those who work on the app.
func newPlainServer(t *testing.T) *server {
	t.Helper()
	return startNew(t, &server{dir: t.TempDir(), log: &logs{}, plain: true, settings: []string{"-dev", "-smtp", mailTo(new(smtptest.Server).Start(t))}})
}

// mailTo returns the setting with which the program hands its mails to the server.
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

// ownServer starts a server that the test may end, and returns it with its
// admin and a tab of theirs in which requests may fail.
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
	p.expect("net::ERR_") // while nobody answers
	p.expect("Failed to fetch")
	return s, who, p
}

// sharedServer is for tests that do not mind each other's videos. It has its
// first account already.
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

// start runs the program until it answers. The second time it gets the same
// address, so that open pages find it again.
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
	s.command = exec.Command(path, append(settings, s.settings...)...)
	s.command.Stderr = s.log
	if err := s.command.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go func(c *exec.Cmd, ended chan struct{}) { _ = c.Wait(); close(ended) }(s.command, s.ended)
	return s.awaitAnswer()
}

func (s *server) awaitAnswer() error {
	client := &http.Client{Timeout: 5 * time.Second}
	deadline := time.Now().Add(time.Minute)
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

// end sends the signal and waits until the program is gone.
func (s *server) end(signal syscall.Signal) error {
	_ = s.command.Process.Signal(signal)
	select {
	case <-s.ended:
		return nil
	case <-time.After(15 * time.Second):
		_ = s.command.Process.Kill()
		return fmt.Errorf("the server does not end on %v", signal)
	}
}

func (s *server) stop() {
	if s.command != nil && s.command.Process != nil {
		_ = s.end(syscall.SIGTERM)
	}
}

// showLog puts what the server says while the test runs into the log of a test
// that fails.
func (s *server) showLog(t *testing.T) {
	before := len(s.log.String())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the server said:\n%s", s.log.String()[before:])
		}
	})
}

// logs keeps what a program writes, for several readers.
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
