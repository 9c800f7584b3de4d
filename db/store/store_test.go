package store

import (
	"context"
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
