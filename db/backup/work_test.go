package backup_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"dailies/db/backup"
)

func TestLeftoversOfAKilledBackupAreRemoved(t *testing.T) {
	h, dir := newHouse(t, 1), t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	make := func(name string, at time.Time, files ...string) string {
		path := filepath.Join(dir, name)
		must(t, os.Mkdir(path, 0o700))
		for _, f := range files {
			must(t, os.WriteFile(filepath.Join(path, f), []byte("half"), 0o600))
			must(t, os.Chtimes(filepath.Join(path, f), at, at))
		}
		must(t, os.Chtimes(path, at, at))
		return path
	}
	killed := make(".dailies-backup-1", time.Now(), "lock", "archive")
	working := make(".dailies-backup-2", old, "lock", "archive")
	before := make(".dailies-backup-3", old, "dailies.db", "archive") // of a version that did not lock
	writing := make(".dailies-backup-4", old)
	must(t, os.WriteFile(filepath.Join(writing, "archive"), nil, 0o600))
	must(t, os.Chtimes(writing, old, old))
	mine := make("photos", old, "cat.png")
	lock := flock.New(filepath.Join(working, "lock"))
	if locked, err := lock.TryLock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	defer func() { _ = lock.Unlock() }()

	must(t, backup.Write(t.Context(), backup.Location{Dir: h.dir}, filepath.Join(dir, "b.zip"), io.Discard))
	for path, stays := range map[string]bool{killed: false, working: true, before: false, writing: true, mine: true} {
		if _, err := os.Stat(path); stays != !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s stays %t, want %t", filepath.Base(path), !stays, stays)
		}
	}
	if left, err := filepath.Glob(dir + "/.dailies-backup-*"); err != nil || len(left) != 2 {
		t.Errorf("it left %q, %v", left, err)
	}
}
