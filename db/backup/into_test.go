package backup_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"dailies/db/backup"
)

// into adds a backup to the folder, a second later than the one before.
func (h *dataFolder) into(t testing.TB, dir string, keep int) string {
	t.Helper()
	var said bytes.Buffer
	must(t, backup.WriteInto(t.Context(), backup.Location{Dir: h.dir}, dir, keep, &said))
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // their names differ by seconds
	return said.String()
}

// filesIn returns the paths and times of all files under the folder.
func filesIn(t testing.TB, dir string) map[string]time.Time {
	t.Helper()
	found := map[string]time.Time{}
	must(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		found[strings.TrimPrefix(path, dir+"/")] = info.ModTime()
		return err
	}))
	return found
}

// backUp restores the newest backup in the folder, or the file, to a new house.
func backUp(t testing.TB, from string) *dataFolder {
	t.Helper()
	dir := t.TempDir() + "/data"
	must(t, backup.Restore(t.Context(), from, backup.Location{Dir: dir}, io.Discard))
	var said bytes.Buffer
	if err := backup.Check(t.Context(), backup.Location{Dir: dir}, &said); err != nil {
		t.Errorf("%v: %s", err, said.String())
	}
	return open(t, dir)
}

// The second backup in a folder copies only what is new, both come back as they were,
// and old backups go with the files that only they needed.
func TestBackupsInAFolderShareTheirFiles(t *testing.T) {
	h, dir := newDataFolder(t, 3), t.TempDir()+"/backups"
	first := h.made(t)
	if said := h.into(t, dir, 2); !strings.HasPrefix(said, "10 new files copied") { // three for each video, and a picture
		t.Errorf("it says %s", said)
	}
	before := filesIn(t, dir)
	if said := h.into(t, dir, 2); !strings.HasPrefix(said, "0 new files copied") {
		t.Errorf("it says %s", said)
	}
	h.make(t, "one more")
	second := h.made(t)
	said := h.into(t, dir, 0)
	if !strings.HasPrefix(said, "3 new files copied") {
		t.Errorf("it says %s", said)
	}
	after := filesIn(t, dir)
	for path, at := range before {
		if got, ok := after[path]; !ok || !got.Equal(at) && path != "lock" {
			t.Errorf("%s was written again, or is gone", path)
		}
	}
	names, err := filepath.Glob(dir + "/dailies-*.zip")
	must(t, err)
	if len(names) != 3 {
		t.Fatalf("the folder has %q", names)
	}
	for file, want := range map[string]any{names[0]: first, dir: second} {
		back := backUp(t, file)
		if got := back.made(t); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", file, got, want)
		}
		for _, task := range back.made(t) {
			for _, m := range task.Media {
				if got, want := back.content(t, m.Hash), h.content(t, m.Hash); got != want {
					t.Errorf("file %s: got %q, want %q", m.Hash, got, want)
				}
			}
		}
	}

	// The files of deleted videos stay as long as a backup needs them.
	other := newDataFolder(t, 1)
	if said := other.into(t, dir, 2); !strings.Contains(said, "2 old backups removed, with 0 files") {
		t.Errorf("it says %s", said)
	}
	if got := backUp(t, names[2]).made(t); !reflect.DeepEqual(got, second) {
		t.Error("a kept backup has lost files")
	}
	if said := other.into(t, dir, 1); !strings.Contains(said, "2 old backups removed, with 9 files") { // of "video 1", "video 2" and "one more"
		t.Errorf("it says %s", said)
	}
	if got, want := backUp(t, dir).made(t), other.made(t); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for path := range filesIn(t, dir) {
		if strings.Contains(path, "dailies-backup-") {
			t.Errorf("%s is left over", path)
		}
	}
}

// A file that the data folder has lost comes from an earlier backup. Without one, the
// backup is incomplete, and no older one is removed.
func TestABackupFolderMakesUpForLostFiles(t *testing.T) {
	h, dir := newDataFolder(t, 2), t.TempDir()
	h.into(t, dir, 1)
	for _, task := range h.made(t) {
		must(t, h.files.Remove(t.Context(), task.Media[0].Hash))
	}
	h.into(t, dir, 1)
	if got, want := backUp(t, dir).made(t), h.made(t); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	must(t, h.files.Remove(t.Context(), h.make(t, "lost at once").Media[0].Hash))
	var said bytes.Buffer
	if err := backup.WriteInto(t.Context(), backup.Location{Dir: h.dir}, dir, 1, &said); !errors.Is(err, backup.ErrIncomplete) {
		t.Errorf("got %v: %s", err, said.String())
	}
	if names, _ := filepath.Glob(dir + "/dailies-*.zip"); len(names) != 2 {
		t.Errorf("the folder has %q", names)
	}
}

// What is damaged or missing in the folder is noticed before anything is restored, and is
// mended by the next backup as far as the size tells.
func TestDamageInABackupFolderIsNoticed(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"gone":    os.Remove,
		"cut off": func(path string) error { return os.Truncate(path, 3) },
		"changed": func(path string) error {
			content, err := os.ReadFile(path)
			if err == nil {
				content[0] ^= 1
				err = errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, content, 0o600))
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, dir := newDataFolder(t, 1), t.TempDir()
			h.into(t, dir, 0)
			var path string
			for _, task := range h.made(t) {
				hash := task.Media[0].Hash
				path = filepath.Join(dir, "media", hash[:2], hash[2:])
			}
			must(t, harm(path))
			new := t.TempDir() + "/data"
			if err := backup.Restore(t.Context(), dir, backup.Location{Dir: new}, io.Discard); !errors.Is(err, backup.ErrDamaged) {
				t.Errorf("got %v", err)
			}
			if _, err := os.Stat(new); err == nil {
				t.Error("something was restored")
			}
			h.into(t, dir, 0)
			if name != "changed" {
				backUp(t, dir)
			}
		})
	}
}

// Two backups into one folder do not disturb each other, and none is removed while it is
// restored.
func TestAFolderOfBackupsIsUsedByOneAtATime(t *testing.T) {
	h, dir := newDataFolder(t, 1), t.TempDir()
	h.into(t, dir, 0)
	lock := flock.New(dir + "/lock")
	_, err := lock.TryRLock() // as a restore does
	must(t, err)
	defer lock.Unlock()
	brief, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if err := backup.WriteInto(brief, backup.Location{Dir: h.dir}, dir, 1, io.Discard); !errors.Is(err, backup.ErrBusy) {
		t.Errorf("got %v", err)
	}
	if err := backup.Restore(t.Context(), t.TempDir(), backup.Location{Dir: t.TempDir() + "/new"}, io.Discard); err == nil || !strings.Contains(err.Error(), "no backup in") {
		t.Errorf("an empty folder: %v", err)
	}
}

// Backups that are made within the same second, one after another or at once, all succeed.
func TestTwoBackupsWithinASecondSucceed(t *testing.T) {
	h, dir := newDataFolder(t, 1), t.TempDir()
	var at sync.WaitGroup
	for range 3 {
		at.Go(func() {
			if err := backup.WriteInto(t.Context(), backup.Location{Dir: h.dir}, dir, 0, io.Discard); err != nil {
				t.Error(err)
			}
		})
	}
	at.Wait()
	w, err := h.store.Work(t.Context(), time.Now())
	must(t, err)
	if age := time.Since(w.Backup); age < -time.Minute || age > time.Hour {
		t.Errorf("the last backup is said to be of %v", w.Backup)
	}
	made, err := filepath.Glob(dir + "/dailies-*.zip")
	must(t, err)
	if len(made) != 3 {
		t.Errorf("made %v", made)
	}
}
