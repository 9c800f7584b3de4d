//go:build unix

// Package postgrestest starts a Postgres server for tests, from the machine's own
// packages, on a Unix socket in a temporary folder, and creates a database for each
// test.
package postgrestest

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
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

	_ "github.com/jackc/pgx/v5/stdlib" // the driver for databases that package postgres does not open

	"dailies/db/store/postgres"
	"dailies/web/scopetest"
)

// ErrMissing says that this machine has no Postgres server. Debian's package is
// postgresql.
var ErrMissing = errors.New("this machine has no Postgres server; Debian's package postgresql has one")

// Server is a running server. Its databases exist until it is stopped.
type Server struct {
	dir     string
	process *exec.Cmd
	made    atomic.Int64
}

const (
	template = "dailies_template"
	started  = 60 * time.Second // limits the time until a server responds
)

// Start starts a new server with these settings of postgresql.conf, such as
// "fsync=off", and waits until it responds. The caller must call Stop.
func Start(ctx context.Context, settings ...string) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "dailies-pg-") // short, because the path of a socket is limited to some 100 bytes
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	if err := s.start(ctx, bin, settings); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// programs returns the folder with the programs of the newest installed server.
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

// Program returns a command that runs a program of the newest installed server, such as
// initdb, as the account that a server of this package runs as. The folder is made for it
// unless it exists, and belongs to that account.
func Program(ctx context.Context, folder, name string, args ...string) (*exec.Cmd, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	as, err := account(folder)
	if err != nil {
		return nil, err
	}
	return command(ctx, as, filepath.Join(bin, name), args...), nil
}

func (s *Server) start(ctx context.Context, bin string, settings []string) error {
	as, err := account(s.dir)
	if err != nil {
		return err
	}
	ready, err := readyFiles(ctx, bin)
	if err != nil {
		return err
	}
	if err := copyFiles(ctx, ready, s.path("data")); err != nil {
		return err
	}
	return s.run(ctx, as, bin, settings)
}

// readyFiles returns the folder of a server that has the template of all databases, which
// every other begins as a copy of. It takes seconds to make, and stays for later runs.
func readyFiles(ctx context.Context, bin string) (string, error) {
	key := sha256.New()
	fmt.Fprintln(key, bin, os.Geteuid())
	err := fs.WalkDir(postgres.Migrations, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		migration, err := postgres.Migrations.ReadFile(path)
		fmt.Fprintln(key, path, len(migration))
		key.Write(migration)
		return err
	})
	if err != nil {
		return "", err
	}
	ready := filepath.Join(scopetest.Folder(), fmt.Sprintf("postgres-%.8x", key.Sum(nil)))
	if _, err := os.Stat(ready); err == nil {
		return ready, nil
	}
	if err := os.MkdirAll(scopetest.Folder(), 0o755); err != nil {
		return "", err
	}
	making, err := os.MkdirTemp(scopetest.Folder(), "postgres-*.making")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(making)
	files := filepath.Join(making, "data")
	if err := makeFiles(ctx, bin, files); err != nil {
		return "", err
	}
	if err := os.Rename(files, ready); err != nil {
		if _, other := os.Stat(ready); other != nil { // no other process was first
			return "", err
		}
	}
	return ready, nil
}

// makeFiles makes the files of a server in the folder, which does not exist yet.
func makeFiles(ctx context.Context, bin, files string) error {
	dir, err := os.MkdirTemp("", "dailies-pg-")
	if err != nil {
		return err
	}
	s := &Server{dir: dir}
	as, err := account(dir)
	if err != nil {
		return errors.Join(err, s.Stop())
	}
	initdb := command(ctx, as, filepath.Join(bin, "initdb"), "--pgdata", s.path("data"), "--username", "dailies",
		"--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
	if said, err := initdb.CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("initdb: %w\n%s", err, said), s.Stop())
	}
	err = s.run(ctx, as, bin, []string{"fsync=off", "full_page_writes=off"})
	if err == nil {
		err = s.fill(ctx)
	}
	if err == nil {
		err = s.process.Process.Signal(syscall.SIGINT) // it writes everything, and ends
	}
	if err == nil {
		err = s.process.Wait()
		s.process = nil
	}
	if err == nil {
		err = copyFiles(ctx, s.path("data"), files)
	}
	return errors.Join(err, s.Stop())
}

// copyFiles copies a folder with the owners and rights of its files.
func copyFiles(ctx context.Context, from, to string) error {
	said, err := exec.CommandContext(ctx, "cp", "-a", from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("cp: %w\n%s", err, said)
	}
	return nil
}

// run starts the server with the existing files, and waits until it responds.
func (s *Server) run(ctx context.Context, as *syscall.Credential, bin string, settings []string) error {
	// With hundreds of databases, autovacuum would start several processes a second.
	args := []string{"-D", s.path("data"), "-k", s.dir, "-c", "listen_addresses=", "-c", "max_connections=200", "-c", "autovacuum=off"}
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
		said, _ := os.ReadFile(s.path("log")) // there is no file if nothing was logged
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

func (s *Server) path(name string) string { return filepath.Join(s.dir, name) }

// account makes the user that the server runs as the owner of the folder, if this
// process is root, as which the server refuses to run.
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

// command returns a program of the server that ends with this process.
func command(ctx context.Context, as *syscall.Credential, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = "/"
	c.SysProcAttr = attributes(as)
	return c
}

// fill creates the database of which all others are copies.
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
	// Its files are copied, which takes less than writing every block of them to the log.
	_, err = pool.ExecContext(ctx, `CREATE DATABASE `+name+` TEMPLATE `+of+` STRATEGY FILE_COPY`)
	return err
}

// Database creates a database with the tables of this program and no rows, and
// returns its address.
func (s *Server) Database(ctx context.Context) (address string, err error) {
	name := fmt.Sprint("test", s.made.Add(1))
	return s.address(name), s.create(ctx, name, template)
}

// Empty creates a database without tables, and returns its address.
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

// Stop stops the server immediately and removes its files.
func (s *Server) Stop() error {
	s.kill()
	return os.RemoveAll(s.dir)
}

// kill ends the server immediately, like a crash. Its files remain.
func (s *Server) kill() {
	if s.process != nil && s.process.Process != nil {
		_ = s.process.Process.Signal(syscall.SIGQUIT) // an immediate shutdown
		_ = s.process.Wait()                          // it returns an error, because the server was killed
		s.process = nil
	}
}
