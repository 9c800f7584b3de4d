package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"dailies/db/store/engine"
)

// Notify implements engine.Engine. No other process uses the file.
func (d *DB) Notify(context.Context, *sql.Tx, string) error { return nil }

// Listen implements engine.Engine. There is nothing to receive.
func (d *DB) Listen(ctx context.Context, _ func(string), _ func(error)) error {
	<-ctx.Done()
	return nil
}

// Words implements engine.Engine. It returns NULL if the original text is searched.
func (d *DB) Words(searched, text string) sql.NullString {
	return sql.NullString{String: searched, Valid: searched != text}
}

// Match implements engine.Engine. The terms contain no character that is special to
// FTS5.
func (d *DB) Match(terms []string) string {
	var all []string
	for _, term := range terms {
		all = append(all, `"`+term+`" *`)
	}
	return strings.Join(all, " AND ")
}

// Index implements engine.Engine.
func (d *DB) Index() engine.Index {
	return engine.Index{
		From: "search", ID: "search.rowid", Where: "search MATCH %s",
		Check: "EXISTS (SELECT 1 FROM tasks f WHERE f.id = %[2]s AND has_words(f.searched, %[1]s))",
	}
}

// PlanEach implements engine.Engine. SQLite's plans do not depend on parameters:
// statements say which tables and indexes are read, in which order.
func (d *DB) PlanEach(context.Context, *sql.Tx) error { return nil }

// Damage returns what SQLite finds wrong with the file, one problem per line.
func (d *DB) Damage(ctx context.Context) ([]string, error) {
	found, err := lines(ctx, d.Reads, `PRAGMA integrity_check`)
	if err != nil {
		return nil, err
	}
	if len(found) == 1 && found[0] == "ok" {
		found = nil
	}
	strays, err := lines(ctx, d.Reads, `
		SELECT 'row ' || coalesce(rowid, '?') || ' of ' || "table" || ' belongs to nothing in ' || parent
		FROM pragma_foreign_key_check`)
	return append(found, strays...), err
}

func lines(ctx context.Context, from *sql.DB, query string) (all []string, err error) {
	rows, err := from.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		all = append(all, line)
	}
	return all, rows.Err()
}
