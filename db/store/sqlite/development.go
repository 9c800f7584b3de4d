package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// ErrDevelopment says that a development build has made the tables, before the
// migrations that it had were finished.
var ErrDevelopment = errors.New("made by a development build, before its tables were settled")

// builds names the last commit that can read the tables of a development build, by
// their fingerprint. The migrations were still being edited at the time.
var builds = map[string]string{
	"1 4a1843a655d89cc8":  "e1ae657",
	"1 08ed31648e41341a":  "c3041e7",
	"1 bdda6ae0472f9849":  "1c4aedf",
	"2 e9f6cec02d9e14d5":  "27c5369",
	"2 31c7c57ab717d959":  "999d13b",
	"3 31c7c57ab717d959":  "b5fc943",
	"3 57923128f75d5563":  "4c6677c",
	"3 4e88891c6b91d280":  "d950715",
	"9 149caa24373e0035":  "8559915",
	"9 6bb6de641e4ca481":  "0f0bb9c",
	"9 77e8226f09f1f5d6":  "539a27b",
	"9 0b2a96c2081660c6":  "6b7cd6c",
	"9 5f8990cab6f2b509":  "97c501a",
	"9 caf3893662464746":  "6fdc6de",
	"9 68ce918788afa4d1":  "2fd26b9",
	"9 64188420803f526c":  "bda85cf",
	"9 f33704ee886542f1":  "7237e4c",
	"18 2ab55410ab45d0fc": "3cdbd0a",
	"18 5ed5a193fae02a88": "cdb008f",
	"19 88942800ccee5bed": "90aacad",
	"20 b97ca4026decc837": "92a98c0",
	"20 62e99ce7dcd2aa3e": "a15b7b3",
}

// checkTables returns ErrDevelopment if the tables lack something that a database with
// the first migrations, as they landed, has. Otherwise a later migration, or a page,
// would fail with an error such as "no such table".
func checkTables(ctx context.Context, tx *sql.Tx, schema Schema, names []string) error {
	want, err := tablesAfter(ctx, schema, names)
	if err != nil {
		return err
	}
	have, err := namesIn(ctx, tx)
	if err != nil {
		return err
	}
	for _, name := range want {
		if slices.Contains(have, name) {
			continue
		}
		reader := "only the build that made it can read it"
		if commit := builds[fingerprint(len(names), have)]; commit != "" {
			reader = "build commit " + commit + " to read it, the last one that can"
		}
		return fmt.Errorf("%w (version %d, without %s); %s", ErrDevelopment, len(names), name, reader)
	}
	return nil
}

// tablesAfter returns the names in a new database after the migrations.
func tablesAfter(ctx context.Context, schema Schema, names []string) ([]string, error) {
	pool, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	pool.SetMaxOpenConns(1) // each connection has a memory of its own
	var found []string
	err = within(ctx, pool, func(tx *sql.Tx) error {
		for _, name := range names {
			text, err := fs.ReadFile(schema.Files, name)
			if err == nil {
				_, err = tx.ExecContext(ctx, string(text))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		found, err = namesIn(ctx, tx)
		return err
	})
	return found, err
}

// namesIn lists the tables with their columns, the triggers and the views, sorted.
func namesIn(ctx context.Context, tx *sql.Tx) (names []string, err error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT 'column ' || t.name || '.' || c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
		UNION ALL
		SELECT type || ' ' || name FROM sqlite_schema WHERE type IN ('table', 'trigger', 'view') AND name NOT LIKE 'sqlite_%'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { // tables first, because they say most
		return strings.Compare(strings.Replace(a, "table ", " ", 1), strings.Replace(b, "table ", " ", 1))
	})
	return names, rows.Err()
}

// fingerprint identifies the tables of a database with so many migrations.
func fingerprint(version int, names []string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return fmt.Sprintf("%d %s", version, hex.EncodeToString(sum[:8]))
}
