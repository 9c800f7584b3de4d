package folder_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"dailies/db/folder"
)

func TestOnlyOneProgramCanOpenTheFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	first, err := folder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Open(dir); err == nil {
		t.Error("a second program got the folder too")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := folder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}

func TestSecretIsMadeOnceForTheOwnerAlone(t *testing.T) {
	f, err := folder.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	first, isNew, err := f.Secret()
	if err != nil || !isNew {
		t.Fatalf("new %t, %v", isNew, err)
	}
	if _, err := os.Stat(f.Path("secret")); err == nil {
		t.Error("the secret is written before it is used")
	}
	if err := f.KeepSecret(first); err != nil {
		t.Fatal(err)
	}
	again, isNew, err := f.Secret()
	if err != nil || isNew || !bytes.Equal(first, again) {
		t.Errorf("another secret, or %v", err)
	}
	if info, err := os.Stat(f.Path("secret")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
