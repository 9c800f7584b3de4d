package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dailies/db/store/sqlite"
)

// A new database is made from schema.sql and has what all migrations make of an empty
// file. After a new migration, this writes the file anew:
//
//	DAILIES_WRITE_SCHEMA=1 go test -run NewDatabase ./db/store/sqlite
func TestANewDatabaseHasWhatTheMigrationsMake(t *testing.T) {
	migrated := describe(t, sqlite.Schema{Files: sqlite.Migrations})
	if os.Getenv("DAILIES_WRITE_SCHEMA") != "" {
		must(t, os.WriteFile("schema.sql", []byte(migrated.script()), 0o644))
		t.Log("schema.sql is written; run the test again without DAILIES_WRITE_SCHEMA")
		return
	}
	fresh := describe(t, sqlite.Schema{Files: sqlite.Migrations, Whole: sqlite.Whole})
	for name, of := range map[string][2][]string{"objects": {migrated.objects, fresh.objects}, "rows": {migrated.rows, fresh.rows}, "pragmas": {migrated.pragmas, fresh.pragmas}} {
		if got, want := strings.Join(of[1], ";\n"), strings.Join(of[0], ";\n"); got != want {
			t.Errorf("%s differ: DAILIES_WRITE_SCHEMA=1 go test -run NewDatabase ./db/store/sqlite\n%s\n\nwant\n\n%s", name, got, want)
		}
	}
}

// A description lists the contents of a database file.
type description struct {
	objects []string // CREATE statements, in the order of making
	rows    []string // INSERT statements
	pragmas []string
}

func (d description) script() string {
	return "-- What the migrations make of an empty file. It is written by a test (schema_test.go)\n" +
		"-- and saves a first start from running all of them.\n\n" + strings.Join(append(d.objects, d.rows...), ";\n\n") + ";\n"
}

// describe makes a database and describes it. Tables in which an index of words keeps its
// content are made and filled with that index.
func describe(t *testing.T, schema sqlite.Schema) (of description) {
	t.Helper()
	d, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), schema)
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
