//go:build unix

package backup_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dailies/db/backup"
	"dailies/db/folder"
)

// steps are the steps at which a restore is killed, in order.
var steps = []string{"begun", "unpacked", "settled", "written down", "moved media", "moved sandbox", "moved dailies.db"}

// In a child process of the tests, TestMain runs a restore that kills itself at the
// given step.
func TestMain(m *testing.M) {
	if step := os.Getenv("BACKUP_TEST_DIES"); step != "" {
		err := backup.RestoreInSteps(context.Background(), os.Getenv("BACKUP_TEST_FILE"), backup.Location{Dir: os.Getenv("BACKUP_TEST_DIR")}, io.Discard, func(reached string) {
			if reached == step {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		})
		os.Stderr.WriteString("it did not die: " + err.Error())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// interrupt runs a restore that is killed at the step.
func interrupt(t *testing.T, file, dir, step string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), "BACKUP_TEST_DIES="+step, "BACKUP_TEST_FILE="+file, "BACKUP_TEST_DIR="+dir)
	said, err := child.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("%s: %v: %s", step, err, said)
	}
}

// If a restore is killed before its last step, every command refuses its folder.
// Running the restore again completes it.
func TestAnInterruptedRestoreIsFinished(t *testing.T) {
	h := newDataFolder(t, 2)
	file := h.write(t)
	for _, step := range steps {
		t.Run(step, func(t *testing.T) {
			dir := t.TempDir() + "/data"
			interrupt(t, file, dir, step)
			complete := step == "moved dailies.db"
			refused(t, dir, !complete)
			must(t, os.WriteFile(dir+"/secret", []byte("the secret of this house\n"), 0o600)) // as the archive's README.txt says
			if step == "moved sandbox" {
				interrupt(t, file, dir, "moved dailies.db") // once more
			}
			var said bytes.Buffer
			must(t, backup.Restore(t.Context(), file, backup.Location{Dir: dir}, &said))
			if !strings.Contains(said.String(), "is restored as it was") {
				t.Errorf("it says %s", said.String())
			}
			whole(t, dir, 2)
		})
	}
}

// refused checks that every command refuses the folder as an incomplete restore or,
// unless refuses is set, that none does.
func refused(t *testing.T, dir string, refuses bool) {
	t.Helper()
	for who, err := range map[string]error{
		"serve":  served(dir),
		"check":  backup.Check(t.Context(), backup.Location{Dir: dir}, io.Discard),
		"backup": backup.Write(t.Context(), backup.Location{Dir: dir}, t.TempDir()+"/b.zip", io.Discard),
	} {
		if refuses && (err == nil || !strings.Contains(err.Error(), "dailies restore FILE -data "+dir)) || !refuses && err != nil {
			t.Errorf("%s: got %v", who, err)
		}
	}
}

// served opens the folder like a program that serves it.
func served(dir string) error {
	if left, _ := filepath.Glob(dir + "/dailies.db"); len(left) > 0 {
		return folder.Restored(dir) // without removing the work folder, which the next restore needs
	}
	f, err := folder.OpenToServe(dir)
	if err == nil {
		err = f.Close()
	}
	return err
}

// whole checks that the folder contains so many videos, and nothing that a restore
// has left.
func whole(t *testing.T, dir string, videos int) {
	t.Helper()
	var report bytes.Buffer
	if err := backup.Check(t.Context(), backup.Location{Dir: dir}, &report); err != nil {
		t.Errorf("%v: %s", err, report.String())
	}
	if n := len(open(t, dir).made(t)); n != videos {
		t.Errorf("it holds %d videos, want %d", n, videos)
	}
	if left, _ := filepath.Glob(dir + "/restoring-*"); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
}

// A restore of another backup replaces what an interrupted restore has left, but
// never a database that may have been used already.
func TestAnInterruptedRestoreGivesWayToAnotherBackup(t *testing.T) {
	one, two := newDataFolder(t, 1).write(t), newDataFolder(t, 2).write(t)
	for _, step := range []string{"unpacked", "written down", "moved media"} {
		dir := t.TempDir() + "/data"
		interrupt(t, one, dir, step)
		must(t, backup.Restore(t.Context(), two, backup.Location{Dir: dir}, io.Discard))
		whole(t, dir, 2)
	}
	dir := t.TempDir() + "/data"
	interrupt(t, one, dir, "moved dailies.db")
	if err := backup.Restore(t.Context(), two, backup.Location{Dir: dir}, io.Discard); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("got %v", err)
	}
	f, err := folder.OpenToServe(dir)
	must(t, err)
	must(t, f.Close())
	whole(t, dir, 1)
}

// An older version left no journal, and may have been started afterwards.
func TestLeftoversOfAnOlderRestoreAreRecognised(t *testing.T) {
	file := newDataFolder(t, 1).write(t)
	dir := t.TempDir() + "/data"
	interrupt(t, file, dir, "moved media")
	journals, err := filepath.Glob(dir + "/restoring-*/whole.json")
	must(t, err)
	must(t, os.Remove(journals[0]))
	refused(t, dir, true)
	must(t, os.WriteFile(dir+"/dailies.db", []byte("somebody's work"), 0o600))
	if err := folder.Restored(dir); err == nil || !strings.Contains(err.Error(), "to go on with the database, remove ") {
		t.Errorf("got %v", err)
	}
	if err := backup.Restore(t.Context(), file, backup.Location{Dir: dir}, io.Discard); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("got %v", err)
	}
	if content, err := os.ReadFile(dir + "/dailies.db"); err != nil || string(content) != "somebody's work" {
		t.Errorf("got %q, %v", content, err)
	}
	must(t, os.Remove(dir+"/dailies.db"))
	must(t, backup.Restore(t.Context(), file, backup.Location{Dir: dir}, io.Discard))
	whole(t, dir, 1)
}
