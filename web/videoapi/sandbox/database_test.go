package sandbox_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
)

func TestTheDatabaseIsTheOwnersAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sandbox.db")
	for _, start := range []string{"new", "made readable by everybody"} {
		w := open(t, dir, 10, quick)
		for _, beside := range []string{"", "-wal", "-shm"} {
			if info, err := os.Stat(path + beside); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %s%s is %v, %v", start, path, beside, info.Mode(), err)
			}
		}
		w.stop()
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A folder from an older version is upgraded without losing anything. The hash is
// that of the key "sk-old".
func TestAnOlderFolderKeepsItsKeys(t *testing.T) {
	dir := t.TempDir()
	schema, err := os.ReadFile("migrations/0001_service.sql")
	if err != nil {
		t.Fatal(err)
	}
	old, err := sql.Open("sqlite", filepath.Join(dir, "sandbox.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		string(schema), `PRAGMA user_version = 1`,
		`INSERT INTO account (id, balance, created_at) VALUES ('a', 7000, 1)`,
		`INSERT INTO api_key (hash, account_id, name, created_at) VALUES (x'd3e64608f5182a4408eef248830800d9f4b82167cb91b4b193ac488aa1235fc9', 'a', 'old', 1)`,
	} {
		if _, err := old.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	w := open(t, dir, 0, quick)
	w.key = "sk-old"
	if b := w.balance(); b != 7 {
		t.Errorf("balance %v, want 7", b)
	}
	keys, err := w.Keys(t.Context(), w.key)
	if err != nil || len(keys) != 1 || keys[0].Name != "old" || keys[0].Tail != "" {
		t.Errorf("keys %+v, %v", keys, err)
	}
}
