package recordtest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	modernc "modernc.org/sqlite"

	"dailies/db/store"
)

// A SQLite database without rows explains statements. The plans are the same as with any
// number of rows, because nothing ever collects statistics.
type SQLite struct {
	dir string
	raw *sql.DB
}

// hasWords declares the function of the app's own connections.
var hasWords = sync.OnceValue(func() error {
	return modernc.RegisterScalarFunction("has_words", 2,
		func(*modernc.FunctionContext, []driver.Value) (driver.Value, error) { return int64(0), nil })
})

// NewSQLite makes the database. The caller must close it.
func NewSQLite(ctx context.Context) (*SQLite, error) {
	if err := hasWords(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "explain")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "dailies.db")
	s, err := store.Open(ctx, path)
	if err == nil {
		err = s.Close()
	}
	raw, openErr := sql.Open("sqlite", "file:"+path)
	if err := errors.Join(err, openErr); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &SQLite{dir, raw}, nil
}

// Close deletes the database.
func (s *SQLite) Close() error { return errors.Join(s.raw.Close(), os.RemoveAll(s.dir)) }

// Plan returns the steps by which SQLite executes the statement, as EXPLAIN QUERY PLAN
// describes them. Each begins with two spaces for every step that it is a part of.
func (s *SQLite) Plan(ctx context.Context, e Example) (steps []string, err error) {
	rows, err := s.raw.QueryContext(ctx, `EXPLAIN QUERY PLAN `+e.Text, e.Args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	depths := map[int]int{}
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			return nil, err
		}
		if above, ok := depths[parent]; ok {
			depths[id] = above + 1
		} else {
			depths[id] = 0
		}
		steps = append(steps, strings.Repeat("  ", depths[id])+detail)
	}
	return steps, rows.Err()
}
