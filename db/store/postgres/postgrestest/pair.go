//go:build unix

package postgrestest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dailies/web/scopetest"
)

// A Pair is a primary with a synchronous standby: what the primary has committed is
// stored by both.
type Pair struct{ primary, standby *Server }

// NeedPair is like Need, but starts two servers. What they have written survives
// the death of a process, though not a power cut.
func NeedPair(tb testing.TB) *Pair {
	tb.Helper()
	primary, err := Start(tb.Context(), "fsync=off", "full_page_writes=off")
	if errors.Is(err, ErrMissing) {
		scopetest.Missing(tb, "postgresql")
	}
	if err != nil {
		tb.Fatal(err)
	}
	p := &Pair{primary: primary}
	tb.Cleanup(func() {
		err := primary.Stop()
		if p.standby != nil {
			err = errors.Join(err, p.standby.Stop())
		}
		if err != nil {
			tb.Error(err)
		}
	})
	if err := p.follow(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return p
}

// follow starts the standby, and then makes the primary wait for it with every
// commit.
func (p *Pair) follow(ctx context.Context) error {
	bin, err := programs()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "dailies-pg-")
	if err != nil {
		return err
	}
	p.standby = &Server{dir: dir}
	as, err := account(dir)
	if err != nil {
		return err
	}
	copied := command(ctx, as, filepath.Join(bin, "pg_basebackup"), "--host", p.primary.dir, "--username", "dailies",
		"--pgdata", p.standby.path("data"), "--write-recovery-conf", "--checkpoint", "fast", "--no-sync")
	if said, err := copied.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w\n%s", err, said)
	}
	if err := p.standby.run(ctx, as, bin, []string{"fsync=off", "full_page_writes=off"}); err != nil {
		return err
	}
	return p.primary.ask(ctx, func(primary *sql.DB) error {
		for _, statement := range []string{`ALTER SYSTEM SET synchronous_standby_names = '*'`, `SELECT pg_reload_conf()`} {
			if _, err := primary.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return until(ctx, primary, `SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)
	})
}

// Database creates a database like Server.Database. The address names both servers,
// and leads to the writable one.
func (p *Pair) Database(ctx context.Context) (address string, err error) {
	if address, err = p.primary.Database(ctx); err != nil {
		return "", err
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	u.RawQuery = url.Values{"host": {p.primary.dir + "," + p.standby.dir}, "target_session_attrs": {"read-write"}}.Encode()
	return u.String(), nil
}

// Fail kills the primary.
func (p *Pair) Fail() { p.primary.kill() }

// Promote makes the standby the new primary, and returns when that is done.
func (p *Pair) Promote(ctx context.Context) error {
	return p.standby.ask(ctx, func(standby *sql.DB) error {
		return until(ctx, standby, `SELECT pg_promote()`)
	})
}

// ask calls do with a connection pool for the server's initial database.
func (s *Server) ask(ctx context.Context, do func(*sql.DB) error) error {
	pool, err := sql.Open("pgx", s.address("postgres"))
	if err != nil {
		return err
	}
	return errors.Join(do(pool), pool.Close())
}

// until repeats the query until it returns true.
func until(ctx context.Context, of *sql.DB, question string) error {
	ctx, stop := context.WithTimeout(ctx, started)
	defer stop()
	for {
		var yes bool
		if err := of.QueryRowContext(ctx, question).Scan(&yes); yes || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", question, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
