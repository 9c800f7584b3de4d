package handlers_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"testing/fstest"
)

func TestAnEditedMigrationIsNoticed(t *testing.T) {
	record := func(name, content string) string {
		sum := sha256.Sum256([]byte(content))
		return hex.EncodeToString(sum[:]) + "  " + name + "\n"
	}
	one, two := record("1.sql", "one"), record("2.sql", "two")
	for name, tt := range map[string]struct {
		sums string
		sql  map[string]string
		says string // empty if there is no problem
	}{
		"as landed":        {one + two, map[string]string{"1.sql": "one", "2.sql": "two"}, ""},
		"one is written":   {"# open 2.sql\n" + one, map[string]string{"1.sql": "one", "2.sql": "tw"}, ""},
		"edited":           {one + two, map[string]string{"1.sql": "one", "2.sql": "two "}, "2.sql has landed and was edited"},
		"without a record": {one, map[string]string{"1.sql": "one", "2.sql": "two"}, "sha256sum 2.sql >> SHA256SUMS"},
		"no records":       {"", map[string]string{"1.sql": "one"}, "sha256sum 1.sql"},
		"removed":          {one + two, map[string]string{"1.sql": "one"}, "2.sql has landed and is missing"},
		"recorded anew":    {one + record("1.sql", "other"), map[string]string{"1.sql": "other"}, "names a migration twice"},
		"open and landed":  {"# open 1.sql\n" + one, map[string]string{"1.sql": "one"}, "remove the line"},
		"in between":       {"# open 1.sql\n" + two, map[string]string{"1.sql": "one", "2.sql": "two"}, "1.sql, which comes before it, is not"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := fstest.MapFS{"SHA256SUMS": {Data: []byte(tt.sums)}}
			for name, content := range tt.sql {
				folder[name] = &fstest.MapFile{Data: []byte(content)}
			}
			got := strings.Join(notAsLanded(folder), "\n")
			if (got == "") != (tt.says == "") || !strings.Contains(got, tt.says) {
				t.Errorf("it says %q, want %q", got, tt.says)
			}
		})
	}
}
