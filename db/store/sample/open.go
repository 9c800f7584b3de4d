package sample

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"dailies/db/store"
)

// tables returns the contents of a database file with all tables and no rows. It is
// made only once, because the migrations take longer than many a test.
var tables = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "dailies.db")
	s, err := store.Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// Open opens the store at path, or at the address of a server, and closes it when
// the test ends. A file that does not exist is created as a copy of one with all
// tables.
func Open(tb testing.TB, path string) *store.Store {
	tb.Helper()
	return OpenIn(tb.Context(), tb, path)
}

// OpenIn is like Open, with a context that changes how the database is opened.
func OpenIn(ctx context.Context, tb testing.TB, path string) *store.Store {
	tb.Helper()
	if _, err := os.Stat(path); !store.IsAddress(path) && os.IsNotExist(err) {
		Create(tb, path)
	}
	s, err := store.Open(ctx, path)
	must(tb, err)
	tb.Cleanup(func() { must(tb, s.Close()) })
	return s
}

// Create creates a database file with all tables and no rows.
func Create(tb testing.TB, path string) {
	tb.Helper()
	file, err := tables()
	must(tb, err)
	must(tb, os.WriteFile(path, file, 0o600))
}
