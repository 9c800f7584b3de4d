package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/postgres/postgrestest"
	"dailies/handlers/handlerstest"
)

const (
	goodSecret  = "mB4hqYt8VbZ0d2kLw9xT"
	otherSecret = "Zr7uEo1pQx5sNc3vGj6W"
	oldSecret   = "a secret of the tests" // of folders made by earlier versions
)

// fill adds a person with a key, sealed as the folder says, and returns how many values
// are sealed.
func fill(t *testing.T, dir, secret string) {
	t.Helper()
	s, vault := openSealed(t, dir, secret)
	defer s.Close()
	u := db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}
	if err := s.Accounts.AddFirstUser(t.Context(), &u); err != nil {
		t.Fatal(err)
	}
	if err := s.Keys.PutKey(t.Context(), secrets.Key{UserID: u.ID, Sealed: vault.Seal(u.ID, "sk-kim"), Fingerprint: vault.Fingerprint("sk-kim"), CreatedAt: db.Now()}); err != nil {
		t.Fatal(err)
	}
}

// openSealed opens the database of the folder, and the vault that the secret opens; with
// an empty one, the file in the folder.
func openSealed(t *testing.T, dir, secret string) (*store.Store, *secrets.Vault) {
	t.Helper()
	if secret == "" {
		secret = string(read(t, filepath.Join(dir, "secret")))
	}
	s, err := store.Open(t.Context(), filepath.Join(dir, "dailies.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, key, err := s.Unseal(t.Context(), []byte(secret))
	if err != nil {
		t.Fatal(err, s.Close())
	}
	vault, err := secrets.NewVault(key)
	if err != nil {
		t.Fatal(err)
	}
	return s, vault
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// opens checks whether the key of user 1 opens with the secret.
func opens(t *testing.T, dir, secret string, want bool) {
	t.Helper()
	s, vault := openSealed(t, dir, secret)
	defer s.Close()
	k, err := s.Keys.Key(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vault.OpenKey(k); (err == nil) != want {
		t.Errorf("the key opens: %v, want %t", err, want)
	}
}

// serves starts the program in the folder, stops it, and returns what it said.
func serves(t *testing.T, dir string, args ...string) string {
	t.Helper()
	_, said, stop := start(t, append([]string{"-data", dir, "-addr", "127.0.0.1:0"}, args...)...)
	if stop() != 0 {
		t.Fatal(said)
	}
	return said.String()
}

// refuses checks that the program ends with the status and one line that contains all
// the parts.
func refuses(t *testing.T, status int, args []string, parts ...string) {
	t.Helper()
	got, _, said := run(t, args...)
	if got != status || strings.Count(said, "\n") != 1 {
		t.Errorf("%q: status %d: %s", args, got, said)
	}
	for _, part := range parts {
		if !strings.Contains(said, part) {
			t.Errorf("%q: %s; want %q", args, said, part)
		}
	}
}

func TestAGuessableSecretIsRefusedInANewInstallation(t *testing.T) {
	for _, secret := range []string{"change-me-please", "passwordpassword", "a long enough secret", "1234567890123456"} {
		dir := t.TempDir()
		args := []string{"-data", dir, "-addr", "127.0.0.1:0", "-secret", secret}
		refuses(t, 2, args, "-secret can be guessed")
		refuses(t, 2, args, "-secret can be guessed") // also with the tables that the first start has made
		serves(t, dir, "-secret", goodSecret)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("change-me-please\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refuses(t, 2, []string{"-data", dir, "-addr", "127.0.0.1:0"}, "can be guessed")
}

func TestAnotherSecretThanThatOfTheFolderIsRefused(t *testing.T) {
	for name, secret := range map[string]string{"a file": "", "-secret": goodSecret} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			args := []string{}
			if secret != "" {
				args = []string{"-secret", secret}
			}
			serves(t, dir, args...)
			fill(t, dir, secret)
			other := []string{"-data", dir, "-addr", "127.0.0.1:0", "-secret", otherSecret}
			refuses(t, 1, other, "sealed with another secret", `the file "secret"`, "-forget-sealed", "1 API key", "everybody signs in again")
			if secret == "" {
				kept := filepath.Join(dir, "secret.kept")
				if err := os.Rename(filepath.Join(dir, "secret"), kept); err != nil {
					t.Fatal(err)
				}
				refuses(t, 1, []string{"-data", dir, "-addr", "127.0.0.1:0"}, "sealed with another secret")
				if _, err := os.Stat(filepath.Join(dir, "secret")); err == nil {
					t.Error("a secret is made that opens nothing")
				}
				if err := os.Rename(kept, filepath.Join(dir, "secret")); err != nil {
					t.Fatal(err)
				}
			}
			opens(t, dir, secret, true)
			serves(t, dir, args...)
			refuses(t, 2, append(other[:len(other)-1:len(other)-1], "change-me-please", "-forget-sealed"), "can be guessed")
			if said := serves(t, dir, "-secret", otherSecret, "-forget-sealed"); !strings.Contains(said, "take the setting away") {
				t.Errorf("it says %s", said)
			}
			opens(t, dir, otherSecret, false)
			serves(t, dir, "-secret", otherSecret)
			refuses(t, 1, append([]string{"-data", dir, "-addr", "127.0.0.1:0"}, args...), "sealed with another secret")
		})
	}
}

func TestAFolderOfAnEarlierVersionNeedsItsSecret(t *testing.T) {
	dir := handlerstest.Yesterday(t).Dir
	refuses(t, 1, []string{"-data", dir, "-addr", "127.0.0.1:0", "-secret", otherSecret}, "sealed with another secret", "API key")
	if said := serves(t, dir, "-secret", oldSecret); !strings.Contains(said, "can be guessed") || !strings.Contains(said, "dailies reseal") {
		t.Errorf("it says %s", said)
	}
	opens(t, dir, oldSecret, true)
	refuses(t, 1, []string{"-data", dir, "-addr", "127.0.0.1:0", "-secret", otherSecret}, "sealed with another secret")
}

func TestEverythingIsSealedWithABetterSecret(t *testing.T) {
	dir := handlerstest.Yesterday(t).Dir
	refuses(t, 2, []string{"reseal", "-data", dir, "-secret", oldSecret, "-new-secret", "change-me-please"}, "can be guessed")
	refuses(t, 1, []string{"reseal", "-data", dir, "-secret", otherSecret, "-new-secret", goodSecret}, "another secret")
	status, out, said := run(t, "reseal", "-data", dir, "-secret", oldSecret, "-new-secret", goodSecret)
	if status != 0 || !strings.Contains(out, "Sealed again: ") || strings.Contains(out+said, goodSecret) {
		t.Fatalf("status %d: %s %s", status, out, said)
	}
	opens(t, dir, goodSecret, true)
	if said := serves(t, dir, "-secret", goodSecret); strings.Contains(said, "reseal") {
		t.Errorf("it says %s", said)
	}
	refuses(t, 1, []string{"-data", dir, "-addr", "127.0.0.1:0", "-secret", oldSecret}, "sealed with another secret")

	// Now with a secret that the program makes, twice.
	for _, secret := range []string{goodSecret, ""} {
		args := []string{"reseal", "-data", dir}
		if secret != "" {
			args = append(args, "-secret", secret)
		}
		if status, out, said := run(t, args...); status != 0 {
			t.Fatalf("status %d: %s %s", status, out, said)
		}
		opens(t, dir, "", true)
		serves(t, dir)
	}
	if old, err := filepath.Glob(filepath.Join(dir, "secret.old-*")); err != nil || len(old) != 1 {
		t.Errorf("kept: %v, %v", old, err)
	}
	_, stderr, stop := start(t, "-data", dir, "-addr", "127.0.0.1:0")
	refuses(t, 1, []string{"reseal", "-data", dir}, "in use")
	if stop() != 0 {
		t.Error(stderr)
	}
}

// Interrupted after the database was sealed anew, and before the file took its place.
func TestAnInterruptedChangeOfTheSecretIsCompleted(t *testing.T) {
	for name, complete := range map[string]func(dir string){
		"by a start": func(dir string) { serves(t, dir) },
		"by the command": func(dir string) {
			if status, _, said := run(t, "reseal", "-data", dir); status != 0 {
				t.Error(said)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			serves(t, dir)
			fill(t, dir, "")
			secret := filepath.Join(dir, "secret")
			before := read(t, secret)
			if status, _, said := run(t, "reseal", "-data", dir); status != 0 {
				t.Fatal(said)
			}
			if err := os.Rename(secret, secret+".next"); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(secret, before, 0o600); err != nil {
				t.Fatal(err)
			}
			complete(dir)
			opens(t, dir, "", true)
			serves(t, dir)
			if _, err := os.Stat(secret + ".next"); err == nil {
				t.Error("the new secret is still beside the old one")
			}
		})
	}
}

// Each process derives the same key from its own copy of the secret.
func TestTheSecretOfADatabaseOnAServerIsChanged(t *testing.T) {
	server := postgrestest.Need(t)
	database, err := server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	args := func(secret string) []string {
		return []string{"-data", t.TempDir(), "-addr", "127.0.0.1:0", "-database", database, "-secret", secret}
	}
	refuses(t, 2, args("change-me-please"), "can be guessed")
	for range 2 {
		_, said, stop := start(t, args(goodSecret)...)
		if stop() != 0 {
			t.Fatal(said)
		}
	}
	reseal := []string{"reseal", "-data", t.TempDir(), "-database", database, "-secret", goodSecret, "-new-secret", otherSecret}
	if status, _, said := run(t, reseal...); status != 0 {
		t.Fatal(said)
	}
	refuses(t, 1, args(goodSecret), "a Dailies with another secret", "-forget-sealed")
	_, said, stop := start(t, args(otherSecret)...)
	if stop() != 0 {
		t.Fatal(said)
	}
}
