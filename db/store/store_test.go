package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every table with sealed values must be in sealedTables, or a new secret would leave
// its values unreadable.
func TestEverySealedColumnIsSealedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dailies.db")
	s, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.db.Reads.Query(`
		SELECT t.name FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
		WHERE t.type = 'table' AND t.schema = 'main' AND c.name LIKE '%sealed%' ORDER BY t.name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var want, got []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
	}
	for _, table := range sealedTables {
		got = append(got, table.name)
	}
	slices.Sort(got)
	if rows.Err() != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v, %v", got, want, rows.Err())
	}
}

// Every table and column that a migration adds must be in tables, unless the database
// derives it from others.
func TestTransferCopiesEveryColumn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dailies.db")
	s, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	rows, err := raw.Query(`
		SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
		WHERE t.type = 'table' AND t.schema = 'main' AND t.name NOT LIKE 'sqlite_%' AND c.hidden = 0
			AND t.name NOT IN ('gallery', 'usage', 'usage_months', 'kept_bytes', 'collection_counts', 'spent', 'create_calls', 'jobs', 'attempts', 'challenges', 'versions') AND NOT (t.name = 'tasks' AND c.name = 'words')
		ORDER BY t.name, c.name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		found[table] = append(found[table], column)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, known := range tables {
		columns := slices.Sorted(strings.SplitSeq(strings.Trim(known.first()+", "+known.later, ", "), ", "))
		if !slices.Equal(columns, found[known.name]) {
			t.Errorf("of %s a transfer copies %v, the table has %v", known.name, columns, found[known.name])
		}
		delete(found, known.name)
	}
	for name := range found {
		t.Errorf("no transfer copies %s", name)
	}
}

func FuzzAnsweredTask(f *testing.F) {
	for _, what := range []string{"answered 17", "answered -1", "answered 99999999999999999999", "queued", "", "answered", "answered 017"} {
		f.Add(what)
	}
	f.Fuzz(func(t *testing.T, what string) {
		if id := answeredTask(what); id < 0 || id > 0 && !strings.HasSuffix(what, fmt.Sprint(id)) {
			t.Errorf("%q is about %d", what, id)
		}
	})
}
