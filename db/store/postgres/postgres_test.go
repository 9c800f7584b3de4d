//go:build unix

package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db/store/engine"
	"dailies/db/store/postgres"
	"dailies/db/store/postgres/postgrestest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestSettingsThatCannotBeUsedAreOneClearLine(t *testing.T) {
	server := postgrestest.Need(t)
	there, err := server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		strings.Replace(there, "/test1", "/nothing", 1):           "has no such database",
		"postgres://ann:geheim@127.0.0.1:1/dailies":               "cannot be reached",
		"postgres://ann:geheim@/dailies?port=geheim":              "address cannot be used",
		"postgres://ann:geheim@127.0.0.1:1/dailies?sslmode=often": "address cannot be used",
	} {
		_, err := postgres.Open(t.Context(), address)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "geheim") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Since Postgres 15, only the owner of a database may make tables in it.
func TestAUserWithoutRightsGetsAdvice(t *testing.T) {
	server := postgrestest.Need(t)
	empty, err := server.Empty(t.Context())
	must(t, err)
	full, err := server.Database(t.Context())
	must(t, err)
	for address, want := range map[string]string{empty: `OWNER TO "guest-of-the-house"`, full: "the tables belong to the user "} {
		opens := map[string]func(context.Context, string) (*postgres.DB, error){"Open": postgres.Open, "OpenExisting": postgres.OpenExisting}
		if address == empty {
			want = strings.TrimPrefix(mustParse(t, address).Path, "/") + " " + want
			delete(opens, "OpenExisting") // it finds no tables, and makes none
		}
		to := guestOf(t, address)
		for name, open := range opens {
			if _, err := open(t.Context(), to); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: got %v, want %s", name, err, want)
			}
		}
	}
}

// guestOf makes a user who may read nothing and make nothing in the database, and
// returns the address for it.
func guestOf(t *testing.T, address string) string {
	t.Helper()
	admin, err := sql.Open("pgx", address)
	must(t, err)
	defer admin.Close()
	for _, statement := range []string{
		`DO $$ BEGIN CREATE ROLE "guest-of-the-house" LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
		`REVOKE CREATE ON SCHEMA public FROM PUBLIC`,
	} {
		_, err = admin.ExecContext(t.Context(), statement)
		must(t, err)
	}
	to := mustParse(t, address)
	query := to.Query()
	query.Set("user", "guest-of-the-house")
	to.User, to.RawQuery = nil, query.Encode()
	return to.String()
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	to, err := url.Parse(address)
	must(t, err)
	return to
}

func TestTablesOfANewerProgramAreRefused(t *testing.T) {
	server := postgrestest.Need(t)
	address, err := server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, address)
	if _, err := d.Writes.ExecContext(t.Context(), `UPDATE schema_version SET version = 1000, oldest = 1000`); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Open(t.Context(), address); err == nil || !strings.Contains(err.Error(), "newer Dailies") {
		t.Errorf("got %v", err)
	}
	if _, err := postgres.OpenExisting(t.Context(), address); !errors.Is(err, postgres.ErrOtherVersion) {
		t.Errorf("got %v", err)
	}
	empty, err := server.Empty(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.OpenExisting(t.Context(), empty); !errors.Is(err, postgres.ErrOtherVersion) {
		t.Errorf("an empty database: %v", err)
	}
}

// A process of the previous version may read two tables in another order than the
// migrations of the new version change them.
func TestTablesThatAVersionNeverHadAreExplained(t *testing.T) {
	server := postgrestest.Need(t)
	address, err := server.Database(t.Context())
	must(t, err)
	d := open(t, address)
	_, err = d.Writes.ExecContext(t.Context(), `UPDATE schema_version SET version = 3`)
	must(t, err)
	_, err = postgres.Open(t.Context(), address)
	if !errors.Is(err, postgres.ErrDevelopment) || !strings.Contains(err.Error(), "version 3") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

func TestTablesAreChangedBesideSomebodyWhoReadsThem(t *testing.T) {
	address, err := postgrestest.Need(t).Empty(t.Context())
	must(t, err)
	before, err := sql.Open("pgx", address)
	must(t, err)
	defer before.Close()
	const had = 3
	statements := []string{`CREATE TABLE schema_version (id BIGINT PRIMARY KEY, version BIGINT NOT NULL)`, fmt.Sprintf(`INSERT INTO schema_version VALUES (1, %d)`, had)}
	names, err := fs.Glob(postgres.Migrations, "migrations/*.sql")
	must(t, err)
	for _, name := range names[:had] {
		text, err := fs.ReadFile(postgres.Migrations, name)
		must(t, err)
		statements = append(statements, string(text))
	}
	for _, s := range statements {
		_, err := before.ExecContext(t.Context(), s)
		must(t, err)
	}

	reader, err := before.BeginTx(t.Context(), nil)
	must(t, err)
	defer func() { _ = reader.Rollback() }()
	for _, s := range []string{`SET LOCAL deadlock_timeout = '1min'`, `SELECT id FROM tasks`} { // a long timeout, so that the server aborts the other side
		_, err := reader.ExecContext(t.Context(), s)
		must(t, err)
	}
	opened := make(chan error, 1)
	go func() {
		d, err := postgres.Open(t.Context(), address)
		if err == nil {
			err = d.Close()
		}
		opened <- err
	}()
	for waits := false; !waits; {
		must(t, before.QueryRowContext(t.Context(), `
			SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND relation = to_regclass('tasks'))`).Scan(&waits))
		if len(opened) > 0 {
			t.Fatalf("it waits for nobody: %v", <-opened)
		}
	}
	_, err = reader.ExecContext(t.Context(), `SELECT id FROM users`)
	must(t, err)
	must(t, reader.Rollback())
	must(t, <-opened)
	var version int
	must(t, before.QueryRowContext(t.Context(), `SELECT version FROM schema_version`).Scan(&version))
	if version != len(names) {
		t.Errorf("the tables are of version %d", version)
	}
}

func TestAProcessThatIsAloneHasTheDatabase(t *testing.T) {
	address, err := postgrestest.Need(t).Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one, other := open(t, address), open(t, address)
	if err := one.Enter(t.Context(), true, engine.Home{}); err != nil {
		t.Fatal(err)
	}
	soon, stop := context.WithCancel(t.Context())
	stop()
	for _, alone := range []bool{true, false} {
		if err := other.Enter(soon, alone, engine.Home{}); !errors.Is(err, context.Canceled) {
			t.Errorf("the other has it as well: %v", err)
		}
	}
	// When one has not been seen for long, other takes its place, and one notices
	// that.
	unseen(t, one, time.Hour)
	if err := other.Enter(t.Context(), true, engine.Home{}); err != nil {
		t.Fatal(err)
	}
	if err := one.Stay(t.Context()); !errors.Is(err, engine.ErrTaken) {
		t.Errorf("the one goes on: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if err := one.Enter(t.Context(), true, engine.Home{}); err != nil { // at once, because other has left
		t.Error(err)
	}
}

func TestProcessesWorkSideBySide(t *testing.T) {
	address, err := postgrestest.Need(t).Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one, other := open(t, address), open(t, address)
	for _, d := range []*postgres.DB{one, other} {
		if err := d.Enter(t.Context(), false, engine.Home{}); err != nil {
			t.Fatal(err)
		}
	}
	soon, stop := context.WithCancel(t.Context())
	stop()
	if err := open(t, address).Enter(soon, true, engine.Home{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a third one is alone with them: %v", err)
	}
	others := func() (others []engine.Process) {
		t.Helper()
		err := one.Write(t.Context(), func(tx *sql.Tx) (err error) {
			others, err = one.Others(t.Context(), tx)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return others
	}
	// A process that was not seen for a while may still be making a create call.
	if list := others(); len(list) != 1 || list[0] != (engine.Process{Name: other.Process()}) {
		t.Errorf("beside it are %v, want %q", list, other.Process())
	}
	unseen(t, other, postgres.Gone-time.Minute)
	if list := others(); len(list) != 1 || list[0].Name != other.Process() || list[0].GoneAt.Sub(one.Now()) > time.Minute || list[0].GoneAt.Before(one.Now()) {
		t.Errorf("beside it are %v, want %q, to be gone within a minute", list, other.Process())
	}
	unseen(t, other, postgres.Gone)
	if list := others(); len(list) > 0 {
		t.Errorf("still there are %v", list)
	}
	// A clock that was a day ahead does not make a process count as present for a
	// day.
	unseen(t, other, -24*time.Hour)
	if err := one.Enter(t.Context(), false, engine.Home{}); err != nil {
		t.Fatal(err)
	}
	unseen(t, other, postgres.Gone+time.Minute) // a minute more, because all this may take less than a millisecond
	if list := others(); len(list) > 0 {
		t.Errorf("after the clock was put right there are %v", list)
	}
	if err := open(t, address).Enter(t.Context(), false, engine.Home{}); err != nil { // which removes the processes that are gone
		t.Error(err)
	}
	// Both go on. The other one was only paused, and is counted again.
	soon, stop = context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	stayed := make(chan error)
	go func() { stayed <- other.Stay(soon) }()
	for len(others()) < 2 && soon.Err() == nil {
		time.Sleep(100 * time.Millisecond)
	}
	if list := others(); !slices.Contains(list, engine.Process{Name: other.Process()}) {
		t.Errorf("one that was only paused is not among %v", list)
	}
	stop()
	if err := <-stayed; err != nil {
		t.Error(err)
	}
	if _, err := one.Writes.ExecContext(t.Context(), `INSERT INTO settings (name, value) VALUES ('moving', 'elsewhere')`); err != nil {
		t.Error(err)
	}
	if err := one.Stay(t.Context()); !errors.Is(err, engine.ErrTaken) {
		t.Errorf("one goes on where the database was moved: %v", err)
	}
	if ahead := one.Now().Sub(other.Now()).Abs(); ahead > time.Minute {
		t.Errorf("their times are %v apart", ahead)
	}
}

// unseen makes it look as if the process was last seen that much longer ago.
func unseen(t *testing.T, d *postgres.DB, ago time.Duration) {
	t.Helper()
	_, err := d.Writes.ExecContext(t.Context(), `UPDATE processes SET seen_at = seen_at - $1 WHERE name = $2`, ago.Milliseconds(), d.Process())
	if err != nil {
		t.Fatal(err)
	}
}

func TestOneTransactionAtATimeWrites(t *testing.T) {
	address, err := postgrestest.Need(t).Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one, other := open(t, address), open(t, address)
	failed := make(chan error)
	add := func(d *postgres.DB) {
		for range 50 {
			err := d.Write(context.Background(), func(tx *sql.Tx) error {
				var n int
				if err := tx.QueryRow(`SELECT count(*) FROM leftovers`).Scan(&n); err != nil {
					return err
				}
				_, err := tx.Exec(`INSERT INTO leftovers (hash, at) VALUES (CAST($1 AS TEXT), 0)`, string(rune('a'+n)))
				return err
			})
			if err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}
	go add(one)
	go add(other)
	if err := errors.Join(<-failed, <-failed); err != nil {
		t.Error(err)
	}
}

// A cached plan does not know how frequent the word or tag in a parameter is, so
// such statements are planned each time. None is compiled.
func TestStatementsArePlannedForTheirParameters(t *testing.T) {
	address, err := postgrestest.Need(t).Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, address)
	settings := func(tx *sql.Tx) (all string) {
		t.Helper()
		err := tx.QueryRow(`SELECT concat_ws(' ', current_setting('jit'), current_setting('plan_cache_mode'), current_setting('work_mem'))`).Scan(&all)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, planned := range []bool{true, false} { // then once more on the same connection
		want := "off auto 4MB"
		err := d.Read(t.Context(), func(tx *sql.Tx) error {
			if planned {
				want = "off force_custom_plan 32MB"
				if err := d.PlanEach(t.Context(), tx); err != nil {
					return err
				}
			}
			if got := settings(tx); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func open(t *testing.T, address string) *postgres.DB {
	t.Helper()
	d, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil && !strings.Contains(err.Error(), "database is closed") {
			t.Error(err)
		}
	})
	return d
}

// FuzzRewrite checks that Rewrite ends for every statement, and that its result is
// not much longer.
func FuzzRewrite(f *testing.F) {
	f.Add("SELECT 1 FROM gallery g INDEXED BY gallery_by_model WHERE g.id = $1")
	f.Add("SELECT 1 FROM task_tags l\n\tCROSS JOIN gallery g ON g.id = l.task_id NOT INDEXED")
	f.Add(" INDEXED BY  INDEXED BY a")
	f.Fuzz(func(t *testing.T, text string) {
		if got := postgres.Rewrite(text); len(got) > 2*len(text) {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
