package sqlite_test

import (
	"path/filepath"
	"testing"

	"dailies/db/store/engine"
	"dailies/db/store/sqlite"
)

// The version changes with each commit, also one of another connection pool, and with
// nothing else.
func TestVersionChangesWithEachCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	open := func() *sqlite.DB {
		d, err := sqlite.Open(t.Context(), path, sqlite.Schema{Files: sqlite.Migrations})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		return d
	}
	d, other := open(), open()
	version := func() engine.Version {
		v, known := d.Version()
		if !known {
			t.Fatal("the version is not known")
		}
		return v
	}
	write := func(d *sqlite.DB, value string) {
		if _, err := d.Writes.ExecContext(t.Context(), `INSERT INTO settings (name, value) VALUES ('a', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, value); err != nil {
			t.Fatal(err)
		}
	}
	before := version()
	for i, writer := range []*sqlite.DB{d, other, d, other} {
		write(writer, string(rune('a'+i)))
		after := version()
		if after == before {
			t.Errorf("write %d goes unnoticed", i)
		}
		var n int
		if err := d.Reads.QueryRowContext(t.Context(), `SELECT count(*) FROM settings`).Scan(&n); err != nil || version() != after {
			t.Errorf("a read changes the version, or fails: %v", err)
		}
		before = after
	}
	tx, err := d.Writes.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), `DELETE FROM settings`); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil || version() != before {
		t.Errorf("what was rolled back changes the version, or fails: %v", err)
	}
	if whole, err := d.ReuseLog(t.Context()); err != nil || !whole {
		t.Fatalf("the log was not copied: %v, %v", whole, err)
	}
	before = version()
	write(other, "after the log began anew")
	if version() == before {
		t.Error("the first write of a new log goes unnoticed")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("closed once more: %v", err)
	}
	if _, known := d.Version(); known {
		t.Error("a closed database has a version")
	}
}
