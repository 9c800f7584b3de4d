//go:build unix

package postgrestest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// ErrNoPooler says that this machine has no pgbouncer. Debian's package is
// pgbouncer.
var ErrNoPooler = errors.New("this machine has no pgbouncer; Debian's package pgbouncer has one")

// A Pooler is a pgbouncer in front of all databases of a server. It may run each
// transaction on another of its few connections.
type Pooler struct {
	process *exec.Cmd
	dir     string
}

// poolerPort is a part of the name of the pooler's Unix socket.
const poolerPort = "6432"

// StartPooler starts pgbouncer in front of the server, with these settings in its
// section [pgbouncer], such as "default_pool_size=2", and waits until it responds.
// The caller must call Stop before it stops the server.
func (s *Server) StartPooler(ctx context.Context, settings ...string) (*Pooler, error) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			return nil, ErrNoPooler
		}
	}
	dir, err := os.MkdirTemp("", "dailies-pool-")
	if err != nil {
		return nil, err
	}
	p := &Pooler{dir: dir}
	if err := p.start(ctx, program, s.dir, settings); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

func (p *Pooler) start(ctx context.Context, program, server string, settings []string) error {
	file, logs := filepath.Join(p.dir, "pgbouncer.ini"), filepath.Join(p.dir, "log")
	lines := append([]string{
		"[databases]", "* = host=" + server + " user=dailies", "[pgbouncer]",
		"listen_addr=", "listen_port=" + poolerPort, "unix_socket_dir=" + p.dir, "auth_type=any", "pool_mode=transaction",
		"max_client_conn=500", "server_idle_timeout=1",
	}, settings...)
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	as, err := account(p.dir)
	if err != nil {
		return err
	}
	log, err := os.Create(logs)
	if err != nil {
		return err
	}
	defer log.Close()
	p.process = command(context.WithoutCancel(ctx), as, program, "-q", file)
	p.process.Stdout, p.process.Stderr = log, log
	if err := p.process.Start(); err != nil {
		return err
	}
	if err := answers(ctx, p.address("postgres")+"&default_query_exec_mode=exec"); err != nil {
		said, _ := os.ReadFile(logs) // there is no file if nothing was logged
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

// answers waits until the database at the address responds.
func answers(ctx context.Context, address string) error {
	ctx, stop := context.WithTimeout(ctx, started)
	defer stop()
	pool, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	defer pool.Close()
	for {
		if err = pool.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (p *Pooler) address(database string) string {
	return address(database, url.Values{"host": {p.dir}, "port": {poolerPort}})
}

// Behind returns the address of the same database through the pooler.
func (p *Pooler) Behind(direct string) string {
	u, err := url.Parse(direct)
	if err != nil {
		return direct
	}
	return p.address(strings.Trim(u.Path, "/"))
}

// Stop stops the pooler immediately and removes its files.
func (p *Pooler) Stop() error {
	if p.process != nil && p.process.Process != nil {
		_ = p.process.Process.Signal(syscall.SIGTERM) // an immediate shutdown
		_ = p.process.Wait()
	}
	return os.RemoveAll(p.dir)
}
