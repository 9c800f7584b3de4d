// Package buckettest runs a real S3 server for tests: versitygw with a temporary
// folder.
package buckettest

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"dailies/db/media/bucket"
	"dailies/web/scopetest"
)

// Credentials of every Server. The secret begins with a word that tests look for in
// logs, where it must not appear.
const (
	AccessKey = "dailies-access"
	SecretKey = "unspoken-dailies-secret"
)

// Name is the name of the only bucket of a Server.
const Name = "dailies-media"

// A Server is an S3 server with an empty bucket.
type Server struct {
	Dir     string // folder of the bucket; objects are files in it
	Address string // http://127.0.0.1:…
	program string
	mu      sync.Mutex
	running *exec.Cmd // nil while the server is stopped
}

// New starts a server that stops with the test. If the program is neither at the path in
// DAILIES_VERSITYGW nor in PATH, New ends the test as scopetest.Missing does.
func New(t testing.TB) *Server {
	t.Helper()
	program := scopetest.Installed("DAILIES_VERSITYGW", "versitygw")
	if program == "" {
		program = scopetest.Tool(t, "versitygw", "versitygw")
	}
	root := t.TempDir()
	s := &Server{Dir: filepath.Join(root, "buckets", Name), program: program}
	must(t, os.MkdirAll(s.Dir, 0o700))
	must(t, os.Mkdir(s.notes(), 0o700))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s.Address = "http://" + l.Addr().String()
	must(t, l.Close())
	t.Cleanup(s.Stop)
	s.Start(t)
	return s
}

// notes returns the folder for the server's metadata about objects, because not
// every file system supports the extended attributes it would use otherwise.
func (s *Server) notes() string { return filepath.Join(filepath.Dir(s.Dir), "..", "notes") }

// Start starts the server, at the same address as before, and waits until it
// answers.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = exec.Command(s.program, "--port", s.Address[len("http://"):], "--quiet", "--keep-alive",
		"posix", "--sidecar", s.notes(), filepath.Dir(s.Dir))
	s.running.Env = []string{"ROOT_ACCESS_KEY=" + AccessKey, "ROOT_SECRET_KEY=" + SecretKey,
		"HOME=" + filepath.Dir(s.Dir), "PATH=" + os.Getenv("PATH")}
	said := &lines{}
	s.running.Stdout, s.running.Stderr = said, said
	if err := s.running.Start(); err != nil {
		s.running = nil
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		answer, err := http.Get(s.Address)
		if err == nil {
			answer.Body.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("versitygw does not answer: %v: %s", err, said)
		}
	}
}

// Stop kills the server, so that responses in progress break off.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		_ = s.running.Process.Kill()
		_ = s.running.Wait()
		s.running = nil
	}
}

// URL returns the bucket's address for the setting -media.
func (s *Server) URL(prefix string) string {
	return fmt.Sprintf("s3://%s/%s?endpoint=%s&region=us-east-1", Name, prefix, s.Address)
}

// Open opens the bucket.
func (s *Server) Open(t testing.TB, url string, log *slog.Logger) *bucket.Bucket {
	t.Helper()
	a, err := bucket.Parse(url)
	must(t, err)
	b, err := bucket.Open(context.Background(), a, AccessKey, SecretKey, log)
	must(t, err)
	return b
}

// lines keeps the last 4 KiB of a program's output.
type lines struct {
	mu   sync.Mutex
	text []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	l.text = l.text[max(0, len(l.text)-4096):]
	return len(p), nil
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
