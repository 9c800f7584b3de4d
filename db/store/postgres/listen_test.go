//go:build unix

package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"dailies/db/store/engine"
	"dailies/db/store/postgres"
	"dailies/db/store/postgres/postgrestest"
	"dailies/web/scopetest"
)

// patience limits the wait for an expected event.
const patience = time.Minute

func TestProcessesHearEachOther(t *testing.T) {
	address := database(t, postgrestest.Need(t))
	one, other := open(t, address), open(t, address)
	heard, deaf := listen(t, one)
	next(t, heard, "")
	tell(t, one, "by itself")
	tell(t, other, "first")
	taken := errors.New("taken back")
	err := other.Write(t.Context(), func(tx *sql.Tx) error {
		return errors.Join(other.Notify(t.Context(), tx, "never"), taken)
	})
	if !errors.Is(err, taken) {
		t.Error(err)
	}
	tell(t, other, "second")
	next(t, heard, "first")
	next(t, heard, "second")

	// The server closes the connection. Each time this is reported once, and what
	// may have been missed is looked for.
	for _, again := range []string{"third", "fourth"} {
		if _, err := other.Writes.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dailies listening'`); err != nil {
			t.Fatal(err)
		}
		select {
		case <-deaf:
		case <-time.After(patience):
			t.Fatal("that nothing is heard was not told")
		}
		next(t, heard, "")
		tell(t, other, again)
		next(t, heard, again)
	}
	if len(deaf) > 0 {
		t.Errorf("it was told more often than it happened: %v", <-deaf)
	}
}

// A connection that is silent for long is tested, and kept.
func TestListeningGoesOnWhileNothingIsSaid(t *testing.T) {
	t.Cleanup(postgres.BeQuietFor(200 * time.Millisecond))
	address := database(t, postgrestest.Need(t))
	one, other := open(t, address), open(t, address)
	heard, deaf := listen(t, one)
	next(t, heard, "")
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	for tried := false; !tried; {
		err := other.Reads.QueryRowContext(ctx, `
			SELECT count(*) > 0 FROM pg_stat_activity
			WHERE application_name = 'dailies listening' AND query LIKE '%ping%'`).Scan(&tried)
		if err != nil {
			t.Fatal(err)
		}
	}
	tell(t, other, "at last")
	next(t, heard, "at last")
	if len(deaf) > 0 {
		t.Error(<-deaf)
	}
}

// TestBehindAPooler runs with pgbouncer, which may run each transaction on another
// of its few connections.
func TestBehindAPooler(t *testing.T) {
	scopetest.Whole(t)
	server := postgrestest.Need(t)
	for name, settings := range map[string][]string{
		"which refuses settings": {"default_pool_size=2"},
		"which ignores settings": {"default_pool_size=2", "ignore_startup_parameters=lock_timeout,idle_in_transaction_session_timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			pooler, direct := postgrestest.NeedPooler(t, server, settings...), database(t, server)
			one, other := open(t, pooler.Behind(direct)), open(t, pooler.Behind(direct)+" "+direct)
			nothingIsHeard(t, one)
			heard, _ := listen(t, other)
			next(t, heard, "")
			tell(t, one, "through the pooler")
			next(t, heard, "through the pooler")
			waitsAreBounded(t, one)
			nothingIsPrepared(t, one)
		})
	}
	t.Run("a second address that hears nothing is one clear line", func(t *testing.T) {
		direct, another := database(t, server), database(t, server)
		behind := postgrestest.NeedPooler(t, server).Behind(direct)
		if d, err := postgres.OpenExisting(t.Context(), behind+" postgres://ann@127.0.0.1:1/dailies"); err != nil {
			t.Errorf("a command that does not listen: %v", err)
		} else if err := d.Close(); err != nil {
			t.Error(err)
		}
		for second, want := range map[string]string{
			behind:  "is it a pooler, too",
			another: "another database",
			"postgres://ann:geheim@127.0.0.1:1/dailies": "cannot be reached",
			strings.Replace(direct, "/test", "/no", 1):  "has no such database",
			"postgres://ann:geheim@":                    "cannot be used",
			direct + " " + direct:                       "two of the same database",
		} {
			t.Run(want, func(t *testing.T) {
				t.Parallel()
				_, err := postgres.Open(t.Context(), behind+"\n"+second)
				if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "geheim") || strings.Contains(err.Error(), "\n") {
					t.Errorf("%v, want %s", err, want)
				}
			})
		}
	})
}

// nothingIsHeard checks that Listen reports ErrNoListener without a direct address.
func nothingIsHeard(t *testing.T, d *postgres.DB) {
	t.Helper()
	heard, deaf := listen(t, d)
	select {
	case err := <-deaf:
		if !errors.Is(err, engine.ErrNoListener) {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("that nothing is heard was not told")
	}
	if len(heard) > 0 {
		t.Error("something was heard")
	}
}

// waitsAreBounded checks that waiting for locks is limited, and that a read
// transaction sees a single state of the database.
func waitsAreBounded(t *testing.T, d *postgres.DB) {
	t.Helper()
	var a, b string
	err := d.Write(t.Context(), func(tx *sql.Tx) error {
		return tx.QueryRow(`SELECT current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout')`).Scan(&a, &b)
	})
	if err != nil || a != "10s" || b != "20s" {
		t.Errorf("writing is bounded by %q and %q: %v", a, b, err)
	}
	err = d.Read(t.Context(), func(tx *sql.Tx) error {
		return tx.QueryRow(`SELECT current_setting('transaction_read_only'), current_setting('transaction_isolation')`).Scan(&a, &b)
	})
	if err != nil || a != "on" || b != "repeatable read" {
		t.Errorf("reading is %q and %q: %v", a, b, err)
	}
}

// nothingIsPrepared runs statements on more connections than the pooler has to the
// server, where a prepared statement would often be missing.
func nothingIsPrepared(t *testing.T, d *postgres.DB) {
	t.Helper()
	failed := make(chan error)
	for range 8 {
		go func() {
			var err error
			for range 20 {
				err = errors.Join(err, d.Read(t.Context(), func(tx *sql.Tx) error {
					var n int
					return tx.QueryRow(`SELECT count(*) FROM leftovers WHERE hash = $1`, "a").Scan(&n)
				}), d.Write(t.Context(), func(tx *sql.Tx) error {
					_, err := tx.Exec(`DELETE FROM leftovers WHERE hash = $1 AND at = $2`, "a", 7)
					return err
				}))
			}
			failed <- err
		}()
	}
	for range 8 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

// database creates a database and returns its address.
func database(t *testing.T, server *postgrestest.Server) string {
	t.Helper()
	address, err := server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// listen returns what the database receives until the test ends.
func listen(t *testing.T, d *postgres.DB) (heard <-chan string, deaf <-chan error) {
	t.Helper()
	words, losses, ended := make(chan string, 100), make(chan error, 100), make(chan error)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		ended <- d.Listen(ctx, func(what string) { words <- what }, func(err error) { losses <- err })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return words, losses
}

func tell(t *testing.T, d *postgres.DB, what string) {
	t.Helper()
	if err := d.Write(t.Context(), func(tx *sql.Tx) error { return d.Notify(t.Context(), tx, what) }); err != nil {
		t.Fatal(err)
	}
}

func next(t *testing.T, heard <-chan string, want string) {
	t.Helper()
	select {
	case got := <-heard:
		if got != want {
			t.Fatalf("heard %q, want %q", got, want)
		}
	case <-time.After(patience):
		t.Fatalf("%q is not heard", want)
	}
}

// FuzzAddresses checks that parsed addresses parse the same again, and that no
// error and no name contains a password.
func FuzzAddresses(f *testing.F) {
	for _, text := range []string{
		"postgres://ann@db/dailies", "postgres://ann:geheim@pool/dailies postgres://ann:geheim@db/dailies",
		"postgres://a/b\n\tpostgresql://c/d\r\n", "postgres://a/b postgres://c/d postgres://e/f", "postgres://a/b c", " ", "mysql://a/b",
		"postgres://ann:geheim@one:1,two:2/dailies?sslmode=disable", "postgres:// postgres:///", "postgres:///dailies?host=/run",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		database, direct, err := postgres.Addresses(text)
		if strings.Contains(text, "ann:geheim@") && !strings.Contains(strings.ReplaceAll(text, "ann:geheim@", ""), "geheim") &&
			(strings.Contains(postgres.Name(text), "geheim") || err != nil && strings.Contains(err.Error(), "geheim")) {
			t.Errorf("%q tells the password: %q, %v", text, postgres.Name(text), err)
		}
		if err != nil {
			return
		}
		again, direct2, err := postgres.Addresses(strings.TrimSpace(database + " " + direct))
		if err != nil || again != database || direct2 != direct {
			t.Errorf("%q is %q and %q, and then %q and %q: %v", text, database, direct, again, direct2, err)
		}
	})
}
