package folder_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dailies/db/folder"
)

// secretOf returns the secret that a program uses in this folder.
func secretOf(t *testing.T, dir string) ([]byte, error) {
	t.Helper()
	f, err := folder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	secret, isNew, err := f.Secret()
	if isNew {
		err = f.KeepSecret(secret)
	}
	return secret, err
}

func TestEmptySecretIsReplacedIfNothingWasSealed(t *testing.T) {
	zeros := string(make([]byte, 53))
	const sealed = "what the database says"
	for name, tt := range map[string]struct {
		secret, database, log string
		says                  string // part of the error; empty if a secret is created
	}{
		"empty":                       {"", "", "", ""},
		"zeros":                       {zeros, "", "", ""},
		"a line":                      {"\n", "", "", ""},
		"empty beside a database":     {"", sealed, "", "put your copy"},
		"zeros beside a database":     {zeros, sealed, "", "put your copy"},
		"empty beside a log":          {"", "", sealed, "put your copy"},
		"cut short beside a database": {"JBSWY3", sealed, "", "put your copy"},
		"too short":                   {"letmein", "", "", "too short"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range map[string]string{"secret": tt.secret, "dailies.db": tt.database, "dailies.db-wal": tt.log} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			secret, err := secretOf(t, dir)
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("got %v, want %q", err, tt.says)
				}
				return
			}
			again, errAgain := secretOf(t, dir)
			if err != nil || errAgain != nil || len(secret) < 50 || !bytes.Equal(secret, again) {
				t.Errorf("got %q and %q, %v, %v", secret, again, err, errAgain)
			}
		})
	}
}

func TestFoldersAreMadeWithTheirParents(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "one", "two", "three")
	for range 2 {
		if err := folder.Make(dir); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if err := folder.Make(filepath.Join(t.TempDir(), "a\x00b")); err == nil {
		t.Error("a name that cannot be was made")
	}
}
