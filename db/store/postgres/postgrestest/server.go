//go:build unix

// Package postgrestest starts a Postgres server for tests, of the machine's own
// packages, on a Unix socket in a temporary folder, and gives each test a database
// of its own.
package postgrestest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of the server's own databases

	"dailies/db/store/postgres"
)

// ErrMissing says that this machine has no Postgres server. Debian's package is
// postgresql.
var ErrMissing = errors.New("this machine has no Postgres server; Debian's package postgresql has one")

// Server is a server that runs. Its databases live as long as it does.
type Server struct {
	dir     string
	process *exec.Cmd
	made    atomic.Int64
}

const (
	template = "dailies_template"
	started  = 60 * time.Second // within which a server has to answer
)

// Start makes a server with the settings of postgresql.conf, such as "fsync=off",
// and waits until it answers. Stop has to be called.
func Start(ctx context.Context, settings ...string) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "dailies-pg-") // short: a socket's path has some 100 bytes
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	if err := s.start(ctx, bin, settings); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// programs returns the folder of the newest server's programs.
func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err == nil && len(found) == 0 {
		err = ErrMissing
	}
	if err != nil {
		return "", err
	}
	return filepath.Dir(slices.Max(found)), nil
}

func (s *Server) start(ctx context.Context, bin string, settings []string) error {
	as, err := account(s.dir)
	if err != nil {
		return err
	}
	initdb := command(ctx, as, filepath.Join(bin, "initdb"), "--pgdata", s.path("data"), "--username", "dailies",
		"--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
	if said, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, said)
	}
	if err := s.run(ctx, as, bin, settings); err != nil {
		return err
	}
	return s.fill(ctx)
}

// run starts the server over the files that are there, and waits until it answers.
func (s *Server) run(ctx context.Context, as *syscall.Credential, bin string, settings []string) error {
	args := []string{"-D", s.path("data"), "-k", s.dir, "-c", "listen_addresses=", "-c", "max_connections=200"}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	s.process = command(context.WithoutCancel(ctx), as, filepath.Join(bin, "postgres"), args...)
	log, err := os.Create(s.path("log"))
	if err != nil {
		return err
	}
	defer log.Close()
	s.process.Stdout, s.process.Stderr = log, log
	if err := s.process.Start(); err != nil {
		return err
	}
	if err := answers(ctx, s.address("postgres")); err != nil {
		said, _ := os.ReadFile(s.path("log")) // it is missing where nothing was said
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

func (s *Server) path(name string) string { return filepath.Join(s.dir, name) }

// account gives the folder to the user that the server runs as: root may not.
func account(dir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(dir, int(uid), int(gid))
	}
	return nil, errors.New("there is no user postgres or nobody to run the server as")
}

// command is a program of the server that ends with this process.
func command(ctx context.Context, as *syscall.Credential, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = "/"
	c.SysProcAttr = attributes(as)
	return c
}

// fill makes the database that the others are copies of.
func (s *Server) fill(ctx context.Context) error {
	if err := s.create(ctx, template, "template0"); err != nil {
		return err
	}
	migrated, err := postgres.Open(ctx, s.address(template))
	if err != nil {
		return err
	}
	return migrated.Close()
}

func (s *Server) create(ctx context.Context, name, of string) error {
	pool, err := sql.Open("pgx", s.address("postgres"))
	if err != nil {
		return err
	}
	defer pool.Close()
	_, err = pool.ExecContext(ctx, `CREATE DATABASE `+name+` TEMPLATE `+of)
	return err
}

// Database makes a database with the tables of this program and nothing in them,
// and returns its address.
func (s *Server) Database(ctx context.Context) (address string, err error) {
	name := fmt.Sprint("test", s.made.Add(1))
	return s.address(name), s.create(ctx, name, template)
}

// Empty makes a database without tables, and returns its address.
func (s *Server) Empty(ctx context.Context) (address string, err error) {
	name := fmt.Sprint("empty", s.made.Add(1))
	return s.address(name), s.create(ctx, name, "template0")
}

func (s *Server) address(database string) string {
	return address(database, url.Values{"host": {s.dir}})
}

func address(database string, query url.Values) string {
	return (&url.URL{Scheme: "postgres", User: url.User("dailies"), Path: "/" + database, RawQuery: query.Encode()}).String()
}

// Stop ends the server at once and removes its files.
func (s *Server) Stop() error {
	s.kill()
	return os.RemoveAll(s.dir)
}

// kill ends the server at once, as a crash does. Its files stay.
func (s *Server) kill() {
	if s.process != nil && s.process.Process != nil {
		_ = s.process.Process.Signal(syscall.SIGQUIT) // an immediate shutdown
		_ = s.process.Wait()                          // which is no success
		s.process = nil
	}
}
