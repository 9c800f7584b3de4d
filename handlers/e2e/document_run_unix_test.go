//go:build unix

package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dailies/db/media/buckettest"
	"dailies/db/store/postgres/postgrestest"
)

// A place is a folder in which a shell runs the commands of one block. It has what a reader
// would have: the program, a clone, and a data folder in which Ada is the admin.
type place struct {
	dir     string
	addr    string   // where the program listens there
	exports []string // lines that set variables for the following commands
	replace *strings.Replacer
	environ []string
}

// Each block of commands runs in a place of its own. Examples stand for something that
// the test has: a file, a folder, a secret, a database, a bucket, a free port. Where the
// machine has no Postgres or no versitygw, what needs it is skipped.
func TestCommandsInDocumentsRun(t *testing.T) {
	t.Parallel()
	start, runnable := beginning(t), 0
	for _, name := range documents {
		for _, block := range readDocument(t, name).commands() {
			commands := steps(block)
			if len(commands) == 0 {
				continue
			}
			runnable += len(commands)
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(name), block[0].line), func(t *testing.T) {
				p := newPlace(t, start, commands)
				for _, c := range commands {
					args, runs := c.program()
					switch {
					case !runs:
						p.exports = append(p.exports, c.exported())
					case serves(args):
						p.serve(t, c)
					default:
						p.finish(t, c, args)
					}
				}
			})
		}
	}
	if runnable < 25 {
		t.Errorf("only %d commands were found", runnable)
	}
}

// steps returns the commands of the block that run the program, and those before them
// that set variables.
func steps(block []documented) (steps []documented) {
	found := false
	for _, c := range block {
		why := c.kept()
		if why != nil && why.rest {
			break
		}
		_, runs := c.program()
		found = found || runs && why == nil
		if why == nil && (runs || c.exported() != "") {
			steps = append(steps, c)
		}
	}
	if !found {
		return nil
	}
	return steps
}

// serves reports whether the program with these arguments runs until it is stopped.
func serves(args []string) bool {
	return len(args) == 0 || args[0] == "sandbox" || strings.HasPrefix(args[0], "-") && args[0] != "-h"
}

// exported returns the shell's line for a command that only sets variables, or "".
func (c documented) exported() string {
	if len(c.words) == 0 && len(c.set) > 0 {
		return "export " + c.text
	}
	if len(c.words) > 0 && c.words[0] == "export" {
		return c.text
	}
	return ""
}

// beginning returns a data folder in which Ada is the admin, Lee a member, and nobody else.
func beginning(t *testing.T) string {
	t.Helper()
	s := newPlainServer(t)
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	s.stop()
	if status, said := ask(t, "user", "add", "lee@example.com", "-name", "Lee", "-data", s.dir); status != 0 {
		t.Fatal(said)
	}
	return s.dir
}

func newPlace(t *testing.T, start string, commands []documented) *place {
	t.Helper()
	p := &place{dir: t.TempDir(), addr: freeAddress(t)}
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(p.dir, "bin")
	script := "#!/bin/sh\n[ \"$1 $2\" = 'run .' ] || exit 99\nshift 2\nexec dailies \"$@\"\n"
	for _, err := range []error{os.Mkdir(bin, 0o700), os.Symlink(program, filepath.Join(bin, "dailies")), os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", start, filepath.Join(p.dir, "data")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p.environ = append(environ(), "DAILIES_ADDR="+p.addr, "PATH="+bin+":"+os.Getenv("PATH"))
	replaced := []string{
		"127.0.0.1:9090", p.addr, "0.0.0.0:8080", p.addr,
		" FILE", " team.zip", " FOLDER", " backups", " OLD", ` "$(cat data/secret)"`, " NEW", " a-secret-of-this-test-that-nobody-guesses-9431",
	}
	for _, c := range commands {
		if strings.Contains(c.text, postgresExample) {
			replaced = append(replaced, postgresExample, database(t))
			break
		}
	}
	for _, c := range commands {
		if strings.Contains(c.text, bucketExample) {
			b := buckettest.New(t)
			replaced = append(replaced, bucketExample, b.URL("team"))
			p.environ = append(p.environ, "DAILIES_S3_ACCESS_KEY="+buckettest.AccessKey, "DAILIES_S3_SECRET_KEY="+buckettest.SecretKey)
			break
		}
	}
	p.replace = strings.NewReplacer(replaced...)
	return p
}

const (
	postgresExample = "postgres://dailies@db.example.com/dailies"
	bucketExample   = "s3://videos/team?endpoint=https://s3.example.com&region=eu-central-1"
)

// database returns the address of an empty database.
func database(t *testing.T) string {
	t.Helper()
	address, err := postgrestest.Need(t).Empty(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// shell returns the command as a shell would run it in the place, as the leader of a
// group of processes.
func (p *place) shell(ctx context.Context, c documented) *exec.Cmd {
	lines := append([]string{"set -e", "trap : TERM"}, p.exports...) // the shell waits for the program to stop
	sh := exec.CommandContext(ctx, "sh", "-c", p.replace.Replace(strings.Join(append(lines, c.text), "\n")))
	sh.Dir, sh.Env, sh.WaitDelay = p.dir, p.environ, time.Second
	sh.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	sh.Cancel = func() error { return syscall.Kill(-sh.Process.Pid, syscall.SIGKILL) }
	return sh
}

// finish runs a command that ends by itself. It must succeed.
func (p *place) finish(t *testing.T, c documented, args []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	switch {
	case args[0] == "healthcheck":
		stop := p.begin(t, documented{text: "dailies -data ./data"})
		defer stop()
	case args[0] == "password":
		p.run(ctx, t, documented{text: `dailies user add kim@example.com -name "Kim Ito" -data ./data`})
	}
	p.run(ctx, t, c)
}

func (p *place) run(ctx context.Context, t *testing.T, c documented) {
	t.Helper()
	if out, err := p.shell(ctx, c).CombinedOutput(); err != nil {
		t.Errorf("%s:%d: %s: %v\n%s", c.name, c.line, c.text, err, out)
	}
}

// serve starts a command that serves until it is stopped, waits until it is ready, and
// stops it.
func (p *place) serve(t *testing.T, c documented) {
	t.Helper()
	p.begin(t, c)()
}

// begin starts a command that serves, waits until it answers, and returns a function that
// stops it.
func (p *place) begin(t *testing.T, c documented) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	said := &logs{}
	sh := p.shell(ctx, c)
	sh.Stdout, sh.Stderr = said, said
	if err := sh.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- sh.Wait() }()
	for !answers("http://" + p.addr) {
		select {
		case err := <-ended:
			t.Errorf("%s:%d: %s: it ended: %v\n%s", c.name, c.line, c.text, err, said)
			cancel()
			return func() {}
		case <-time.After(20 * time.Millisecond):
		}
	}
	return func() {
		defer cancel()
		err := syscall.Kill(-sh.Process.Pid, syscall.SIGTERM)
		if err = errors.Join(err, <-ended); err != nil {
			t.Errorf("%s:%d: %s: %v\n%s", c.name, c.line, c.text, err, said)
		}
	}
}

// answers reports whether a program at the address says that it is alive.
func answers(base string) bool {
	answer, err := (&http.Client{Timeout: 10 * time.Second}).Get(base + "/healthz")
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
