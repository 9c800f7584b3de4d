package backup_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/backup"
)

func TestCheckFindsWhatIsWrong(t *testing.T) {
	old := time.Now().Add(-2 * time.Hour)
	path := func(h *house, hash string) string { return h.dir + "/media/" + hash[:2] + "/" + hash[2:] }
	for name, tt := range map[string]struct {
		harm func(t *testing.T, h *house, first db.Task)
		says string // part of the report; empty if all is well
	}{
		"all is well": {func(*testing.T, *house, db.Task) {}, ""},
		"missing": {func(t *testing.T, h *house, first db.Task) {
			must(t, h.files.Remove(t.Context(), first.Media[0].Hash))
		}, "is missing: media/"},
		"damaged": {func(t *testing.T, h *house, first db.Task) {
			must(t, os.WriteFile(path(h, first.Media[1].Hash), []byte("other"), 0o600))
		}, "the file is damaged"},
		"the same size": {func(t *testing.T, h *house, first db.Task) {
			must(t, os.WriteFile(path(h, first.Media[0].Hash), bytes.Repeat([]byte("x"), int(first.Media[0].Size)), 0o600))
		}, "its content has changed"},
		"wrong totals": {func(t *testing.T, h *house, _ db.Task) {
			raw, err := sql.Open("sqlite", h.dir+"/dailies.db")
			must(t, err)
			defer raw.Close()
			_, err = raw.Exec(`UPDATE usage SET tasks = tasks + 1`)
			must(t, err)
		}, "usage of person 1 on "},
		"orphaned": {func(t *testing.T, h *house, _ db.Task) {
			hash, _, err := h.files.Put(t.Context(), strings.NewReader("nobody's"), 100)
			must(t, err)
			must(t, os.Chtimes(path(h, hash), old, old))
		}, "belongs to nothing"},
		"just written": {func(t *testing.T, h *house, _ db.Task) {
			_, _, err := h.files.Put(t.Context(), strings.NewReader("somebody's soon"), 100)
			must(t, err)
			must(t, os.WriteFile(h.dir+"/media/begun-1", nil, 0o600))
		}, ""},
		"a stranger": {func(t *testing.T, h *house, _ db.Task) {
			must(t, os.WriteFile(h.dir+"/media/notes.txt", nil, 0o600))
		}, "does not belong there"},
		"kept without a file": {func(t *testing.T, h *house, _ db.Task) {
			_, err := h.store.Tasks.UpdateTask(t.Context(), h.add(t, "x"), func(t *db.Task) error {
				t.State, t.Keeping = db.Success, db.Kept
				return nil
			})
			must(t, err)
		}, "counts as kept, and has no file"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, 2)
			tt.harm(t, h, h.made(t)[1])
			before := list(t, h.dir)
			var report bytes.Buffer
			err := backup.Check(t.Context(), backup.Location{Dir: h.dir}, &report)
			if (err == nil) != (tt.says == "") || err != nil && !errors.Is(err, backup.ErrTrouble) {
				t.Errorf("got %v", err)
			}
			if !strings.Contains(report.String(), tt.says) {
				t.Errorf("it says %s", report.String())
			}
			if after := list(t, h.dir); after != before {
				t.Errorf("it changed the folder from\n%s to\n%s", before, after)
			}
		})
	}
}

// list returns the paths of all files in the folder.
func list(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all.WriteString(path + "\n")
		}
		return err
	}))
	return all.String()
}

func TestCheckWorksWithoutTheProgram(t *testing.T) {
	h := newHouse(t, 2)
	must(t, h.store.Close())
	var report bytes.Buffer
	if err := backup.Check(t.Context(), backup.Location{Dir: h.dir}, &report); err != nil || !strings.Contains(report.String(), "Kept here: 2 videos and 1 uploaded picture in 7 files") {
		t.Errorf("%v: %s", err, report.String())
	}
	if err := backup.Check(t.Context(), backup.Location{Dir: t.TempDir()}, io.Discard); err == nil || errors.Is(err, backup.ErrTrouble) {
		t.Errorf("no folder: got %v", err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := backup.Check(stopped, backup.Location{Dir: h.dir}, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCheckFindsADamagedDatabase(t *testing.T) {
	h := newHouse(t, 40)
	must(t, h.store.Close())
	content, err := os.ReadFile(h.dir + "/dailies.db")
	must(t, err)
	for at := len(content) / 2; at < len(content); at += 64 {
		content[at] ^= 0xff
	}
	must(t, os.WriteFile(h.dir+"/dailies.db", content, 0o600))
	var report bytes.Buffer
	err = backup.Check(t.Context(), backup.Location{Dir: h.dir}, &report)
	if said := fmt.Sprint(err) + report.String(); err == nil || !strings.Contains(said, "dailies restore FILE") {
		t.Errorf("it says %s", said)
	}
}

func TestCheckTellsGoneFromTooLarge(t *testing.T) {
	h := newHouse(t, 0)
	tooLarge := func(t *db.Task) error { return t.LoseFiles(db.TooLarge) }
	for _, lose := range []func(*db.Task) error{tooLarge, tooLarge, func(t *db.Task) error { return t.LoseFiles("It is gone.") }} {
		_, err := h.store.Tasks.UpdateTask(t.Context(), h.add(t, "x"), func(t *db.Task) error {
			t.State, t.Keeping = db.Success, db.Saving
			return lose(t)
		})
		must(t, err)
	}
	var report bytes.Buffer
	must(t, backup.Check(t.Context(), backup.Location{Dir: h.dir}, &report))
	for _, want := range []string{"1 video could not be saved: gone", "2 videos could not be saved: too large"} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("it says %s", report.String())
		}
	}
}
