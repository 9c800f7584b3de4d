package proof_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"dailies/db/store"
	"dailies/db/store/postgres/postgrestest"
	"dailies/web/scopetest"
)

// server starts a Postgres server when it is first needed. While fuzzing, each
// worker process needs one, but the process that starts the workers does not.
var server = sync.OnceValues(func() (*postgrestest.Server, error) {
	s, err := postgrestest.Start(context.Background(), "fsync=off", "synchronous_commit=off", "full_page_writes=off")
	if err == nil {
		stop = s.Stop
	}
	return s, err
})

// stop stops the server, if it was started.
var stop = func() error { return nil }

func TestMain(m *testing.M) {
	code := m.Run()
	if err := stop(); err != nil {
		fmt.Println(err)
		code = 1
	}
	os.Exit(code)
}

// newDatabase returns the address of a new, empty database. Quick runs start no server.
func newDatabase(tb testing.TB) string {
	tb.Helper()
	scopetest.Whole(tb)
	s, err := server()
	if errors.Is(err, postgrestest.ErrMissing) {
		scopetest.Missing(tb, "postgresql")
	}
	must(tb, err)
	address, err := s.Database(tb.Context())
	must(tb, err)
	return address
}

// open opens the database as a process would.
func open(tb testing.TB, name string) *store.Store {
	tb.Helper()
	s, err := store.Open(tb.Context(), name)
	must(tb, err)
	tb.Cleanup(func() { must(tb, s.Close()) })
	return s
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// long reports whether the tests run at full size.
