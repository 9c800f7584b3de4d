//go:build unix

package folder_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dailies/db/folder"
)

// stories run in a child process in which no file may grow beyond a limit. This
// simulates a full disk without root privileges.
var stories = map[string]func(dir string) error{
	"secret": func(dir string) error {
		f, err := folder.Open(dir)
		if err == nil {
			err = f.KeepSecret(folder.NewSecret())
		}
		return err
	},
	"reserve": func(dir string) error {
		return folder.NewReserve(filepath.Join(dir, "reserve"), 1<<20, func() (int64, error) { return -1, nil }).Fill()
	},
	"probe": folder.Writable,
	"write": func(dir string) error { return folder.Write(filepath.Join(dir, "note"), []byte("the new words")) },
}

func TestMain(m *testing.M) {
	if story := os.Getenv("FOLDER_TEST_STORY"); story != "" {
		signal.Ignore(syscall.SIGXFSZ) // so that a write fails instead of ending the process
		var limit uint64
		_, err := fmt.Sscan(os.Getenv("FOLDER_TEST_LIMIT"), &limit)
		if err == nil {
			err = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit})
		}
		if err == nil {
			err = stories[story](os.Getenv("FOLDER_TEST_DIR"))
		}
		if err != nil {
			fmt.Fprint(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// limited runs the story in a child process whose files may have at most bytes
// bytes, and returns the child's output.
func limited(t *testing.T, story, dir string, bytes int) string {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), "FOLDER_TEST_STORY="+story, "FOLDER_TEST_DIR="+dir, fmt.Sprint("FOLDER_TEST_LIMIT=", bytes))
	said, err := child.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(said)
}

func TestAFirstStartOnAFullDiskCanBeRepeated(t *testing.T) {
	for _, room := range []int{0, 7, 30} {
		dir := t.TempDir()
		if said := limited(t, "secret", dir, room); !strings.Contains(said, "secret: ") || !strings.Contains(said, "too large") {
			t.Errorf("with room for %d bytes it says %q", room, said)
		}
		if _, err := os.Stat(filepath.Join(dir, "secret")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("with room for %d bytes it left a secret: %v", room, err)
		}
		if secret, err := secretOf(t, dir); err != nil || len(secret) < 50 {
			t.Errorf("the second start got %q, %v", secret, err)
		}
	}
}

func TestAFailedWriteLeavesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "note")
	if err := folder.Write(path, []byte("the old words")); err != nil {
		t.Fatal(err)
	}
	if said := limited(t, "write", dir, 5); !strings.Contains(said, "too large") {
		t.Errorf("it says %q", said)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != "the old words" {
		t.Errorf("now there is %q, %v", now, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("it left %v, %v", left, err)
	}
}

func TestAFullDiskIsNoticed(t *testing.T) {
	dir := t.TempDir()
	if said := limited(t, "probe", dir, 100); !strings.Contains(said, "cannot write to "+dir) {
		t.Errorf("it says %q", said)
	}
	if err := folder.Writable(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

func TestReserveIsFilledCompletelyOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	if said := limited(t, "reserve", dir, 1000); !strings.Contains(said, "too large") {
		t.Errorf("it says %q", said)
	}
	if n := held(t, filepath.Join(dir, "reserve")); n != 0 {
		t.Errorf("a part of %d bytes is held", n)
	}
	if said := limited(t, "reserve", dir, 1<<20); said != "" {
		t.Errorf("it says %q", said)
	}
	info, err := os.Stat(filepath.Join(dir, "reserve"))
	if err != nil {
		t.Fatal(err)
	}
	if on := info.Sys().(*syscall.Stat_t).Blocks * 512; on < 1<<20 {
		t.Errorf("only %d bytes of it are on the disk", on)
	}
}
