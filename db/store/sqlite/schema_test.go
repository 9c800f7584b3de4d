package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"dailies/db/store/sqlite"
)

// A new database begins as a copy of empty.db.gz, which has what all migrations make of an
// empty file; schema.sql shows that to readers. After a new migration, this writes both:
//
//	DAILIES_WRITE_SCHEMA=1 go test -run NewDatabase ./db/store/sqlite
func TestANewDatabaseHasWhatTheMigrationsMake(t *testing.T) {
	const again = "run DAILIES_WRITE_SCHEMA=1 go test -run NewDatabase ./db/store/sqlite"
	path := filepath.Join(t.TempDir(), "a.db")
	migrated := describe(t, path, sqlite.Schema{Files: sqlite.Migrations})
	if os.Getenv("DAILIES_WRITE_SCHEMA") != "" {
		must(t, os.WriteFile("schema.sql", []byte(migrated.script()), 0o644))
		must(t, os.WriteFile("empty.db.gz", pack(t, path), 0o644))
		t.Log("both are written; run the test again without DAILIES_WRITE_SCHEMA")
		return
	}
	if text, err := os.ReadFile("schema.sql"); err != nil || string(text) != migrated.script() {
		t.Errorf("schema.sql is not current, %v: %s", err, again)
	}
	fresh := describe(t, filepath.Join(t.TempDir(), "b.db"), sqlite.Schema{Files: sqlite.Migrations, Empty: sqlite.Empty})
	for name, of := range map[string][2][]string{"objects": {migrated.objects, fresh.objects}, "rows": {migrated.rows, fresh.rows}, "pragmas": {migrated.pragmas, fresh.pragmas}} {
		if missing, extra := without(of[0], of[1]), without(of[1], of[0]); len(missing)+len(extra) > 0 {
			t.Errorf("%s: %s\nmissing: %s\nextra: %s", name, again, missing, extra)
		}
	}
}

// without returns the texts of all that are not in other.
func without(all, other []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(text string) bool { return slices.Contains(other, text) })
}

// pack returns a copy of the database without the space that the migrations left behind,
// compressed.
func pack(t *testing.T, path string) []byte {
	t.Helper()
	packed := path + ".copy"
	must(t, sqlite.Copy(t.Context(), path, packed))
	content, err := os.ReadFile(packed)
	must(t, err)
	var small bytes.Buffer
	w, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	must(t, err)
	_, err = w.Write(content)
	must(t, errors.Join(err, w.Close()))
	return small.Bytes()
}

// A description lists the contents of a database file.
type description struct {
	objects []string // CREATE statements, in the order of making
	rows    []string // INSERT statements
	pragmas []string
}

func (d description) script() string {
	return "-- What the migrations make of an empty file. It is written by a test (schema_test.go)\n" +
		"-- and shows all tables in one place.\n\n" + strings.Join(append(d.objects, d.rows...), ";\n\n") + ";\n"
}

// describe makes a database and describes it. Tables in which an index of words keeps its
// content are made and filled with that index.
func describe(t *testing.T, path string, schema sqlite.Schema) (of description) {
	t.Helper()
	d, err := sqlite.Open(t.Context(), path, schema)
	must(t, err)
	defer d.Close()
	const plain = `type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN (
		SELECT s.name FROM sqlite_schema v JOIN sqlite_schema s ON s.name LIKE v.name || '\_%' ESCAPE '\' WHERE v.sql LIKE 'CREATE VIRTUAL%')`
	of.objects = texts(t, d.Reads, `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND (type <> 'table' OR `+plain+`) ORDER BY rowid`)
	for _, table := range texts(t, d.Reads, `SELECT name FROM sqlite_schema WHERE sql NOT LIKE 'CREATE VIRTUAL%' AND `+plain+` ORDER BY rowid`) {
		columns := texts(t, d.Reads, `SELECT name FROM pragma_table_info($1)`, table)
		values := "quote(" + strings.Join(columns, ") || ', ' || quote(") + ")"
		for _, row := range texts(t, d.Reads, fmt.Sprintf(`SELECT %s FROM %s ORDER BY 1`, values, table)) {
			of.rows = append(of.rows, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(columns, ", "), row))
		}
	}
	for _, name := range []string{"user_version", "application_id", "journal_mode", "page_size", "auto_vacuum", "encoding"} {
		of.pragmas = append(of.pragmas, texts(t, d.Reads, `PRAGMA `+name)...)
	}
	return of
}

func texts(t *testing.T, from *sql.DB, query string, args ...any) (found []string) {
	t.Helper()
	rows, err := from.QueryContext(context.Background(), query, args...)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		must(t, rows.Scan(&text))
		found = append(found, text)
	}
	must(t, rows.Err())
	return found
}
