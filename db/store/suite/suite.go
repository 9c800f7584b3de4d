// Package suite gives the tests of the store its engines: with Run, the tests of a package
// run on SQLite, on Postgres, and behind a pooler. It has the fixtures that the tests of
// several packages share.
package suite

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"dailies/db/store"
	"dailies/db/store/engine"
	"dailies/db/store/postgres/postgrestest"
	"dailies/db/store/sampletest"
	"dailies/web/scopetest"
)

// server is nil while the tests run on SQLite; pooler is nil unless they run behind
// a pooler.
var (
	server *postgrestest.Server
	pooler *postgrestest.Pooler
)

// behindPooler matches the tests that also run behind a pooler, unless tests are
// chosen with -run. They are about claims, leases and creates, concurrency,
// searches and counts, and sessions.
const behindPooler = "Lease|Claim|Turn|Queue|Create|Job|OneForm|Once|AtOnce|Quota|" +
	"Session|Invite|Search|Answer|Deliver|Notice|Usage|Purge|Setting|Key"

// IsBrief reports whether tests with many combinations should check fewer: in quick
// runs and, unless DAILIES_LONG is set, on Postgres.
func IsBrief() bool { return scopetest.Quick() || server != nil && !scopetest.Long() }

// Run runs all tests of a package on SQLite; then, if the machine has a Postgres server, on
// an instance of it; and then a part of them, or all if DAILIES_LONG is set, behind
// a pooler. Quick runs and fuzzing use only SQLite, because the store's own code is the
// same on both, and so does a run of all tests with the race detector: .ci/run repeats it
// without. The package is named as in reasons. Run returns the exit status.
func Run(m *testing.M, tested string) (code int) {
	flag.Parse()
	chosen := flag.Lookup("test.run").Value.String() != "" || flag.Lookup("test.bench").Value.String() != "" ||
		flag.Lookup("test.skip").Value.String() != ""
	code = m.Run()
	code = max(code, explainOnSQLite())
	if (scopetest.Quick() || scopetest.Race) && !chosen || flag.Lookup("test.fuzz").Value.String() != "" {
		return code
	}
	s, err := postgrestest.Start(context.Background(), "fsync=off", "synchronous_commit=off", "full_page_writes=off")
	switch {
	case errors.Is(err, postgrestest.ErrMissing) && !scopetest.All():
		fmt.Println("not run on Postgres:", err)
	case err != nil:
		fmt.Println(err)
		code = 1
	default:
		fmt.Println("on Postgres:")
		server = s
		code = max(code, m.Run())
		code = max(code, explainOnPostgres())
		if !chosen && code == 0 {
			code = unneeded(tested)
		}
		code = max(code, runBehindPooler(m))
		if err := s.Stop(); err != nil {
			fmt.Println(err)
		}
	}
	return code
}

// runBehindPooler runs tests with pgbouncer in front of the server.
func runBehindPooler(m *testing.M) (code int) {
	if flag.Lookup("test.bench").Value.String() != "" {
		return 0
	}
	p, err := server.StartPooler(context.Background(), "default_pool_size=10")
	switch {
	case errors.Is(err, postgrestest.ErrNoPooler) && !scopetest.All():
		fmt.Println("not run behind a pooler:", err)
		return 0
	case err != nil:
		fmt.Println(err)
		return 1
	}
	fmt.Println("behind a pooler:")
	pooler = p
	if chosen := flag.Lookup("test.run").Value; chosen.String() == "" && !scopetest.Long() {
		err = chosen.Set(behindPooler)
	}
	code = m.Run()
	if err := errors.Join(err, p.Stop()); err != nil {
		fmt.Println(err)
		code = 1
	}
	return code
}

// OnServer reports whether the engine that is being tested is a Postgres server.
func OnServer() bool { return server != nil }

// BehindPooler reports whether there is a pooler in front of the server.
func BehindPooler() bool { return pooler != nil }

// NewAddress returns the address of a new database on the server.
func NewAddress(tb testing.TB) string {
	tb.Helper()
	address, err := server.Database(tb.Context())
	must(tb, err)
	if pooler != nil {
		return pooler.Behind(address)
	}
	return address
}

// Open creates a database on the engine that is being tested. When the test ends, all
// totals in it must be right.
func Open(tb testing.TB) (s *store.Store) {
	tb.Helper()
	if server == nil {
		path := filepath.Join(tb.TempDir(), "dailies.db")
		sampletest.Create(tb, path)
		s = OpenNamed(tb, path)
	} else {
		s = OpenNamed(tb, NewAddress(tb))
	}
	tb.Cleanup(func() { CheckTotals(tb, s) })
	return s
}

// OpenTwice opens a new database twice, as two processes would. Only one process can open
// an SQLite file, so both stores are the same there.
func OpenTwice(tb testing.TB) [2]*store.Store {
	tb.Helper()
	if server == nil {
		s := Open(tb)
		return [2]*store.Store{s, s}
	}
	address := NewAddress(tb)
	return [2]*store.Store{OpenNamed(tb, address), OpenNamed(tb, address)}
}

// OnlySQLite skips a test that is about SQLite files when another engine is tested.
func OnlySQLite(tb testing.TB) {
	tb.Helper()
	if server != nil {
		tb.Skip("it is about a file of SQLite")
	}
}

// OpenAt opens an SQLite file.
func OpenAt(tb testing.TB, path string) *store.Store {
	tb.Helper()
	OnlySQLite(tb)
	return OpenNamed(tb, path)
}

// OpenNamed opens the database with this path or address.
func OpenNamed(tb testing.TB, name string) *store.Store {
	tb.Helper()
	s, err := store.Open(engine.WithObserver(tb.Context(), recorded.Observe), name)
	must(tb, err)
	tb.Cleanup(func() { must(tb, s.Close()) })
	return s
}

// ofDriver finds the error of a driver; an id may contain the letters SQL.
var ofDriver = regexp.MustCompile(`(?i)sqlite|sqlstate|\bsql: `)

// Wants fails the test unless err is want, an error of package db, and says so only
// once.
func Wants(tb testing.TB, err, want error) {
	tb.Helper()
	if !errors.Is(err, want) {
		tb.Fatalf("error %v, want %v", err, want)
	}
	if strings.Count(err.Error(), want.Error()) != 1 || ofDriver.MatchString(err.Error()) {
		tb.Errorf("the error reads %q", err)
	}
}

// Same fails the test unless both values are deeply equal.
func Same[T any](tb testing.TB, got, want T) {
	tb.Helper()
	if !reflect.DeepEqual(got, want) {
		tb.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// CheckTotals fails the test unless all totals that triggers keep match their rows.
// It runs at the end of every test with a database of its own.
func CheckTotals(tb testing.TB, s *store.Store) {
	tb.Helper()
	for _, wrong := range []func(context.Context) ([]string, error){s.Usage.WrongUsage, s.Usage.WrongTotals} {
		found, err := wrong(context.WithoutCancel(tb.Context())) // it is canceled before cleanups run
		must(tb, err)
		for _, line := range found {
			tb.Error(line)
		}
	}
}

// OpenRaw creates a database on the engine that is being tested, and opens it a second
// time for statements that the store has no method for.
func OpenRaw(t *testing.T) (*store.Store, *sql.DB) {
	t.Helper()
	driver, name := "pgx", ""
	if server == nil {
		driver, name = "sqlite", filepath.Join(t.TempDir(), "dailies.db")
	} else {
		name = NewAddress(t)
	}
	s := OpenNamed(t, name)
	if server == nil {
		name = "file:" + name + "?_pragma=busy_timeout(5000)"
	}
	raw, err := sql.Open(driver, name)
	must(t, err)
	t.Cleanup(func() { must(t, raw.Close()) })
	return s, raw
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
