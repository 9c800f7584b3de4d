package e2e

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// refusal runs the program, which must exit with status 1, and returns its output.
func refusal(t *testing.T, args ...string) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, path, args...)
	command.Env = environ()
	said, err := command.CombinedOutput()
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("%q: %v", args, err)
	}
	return string(said)
}

// Two programs that serve the same folder would send its queued videos twice.
func TestOneProgramServesAFolder(t *testing.T) {
	s := newServer(t)
	said := refusal(t, "-addr", "127.0.0.1:0", "-data", s.dir)
	if !strings.Contains(said, "in use by another Dailies") {
		t.Errorf("the second one says %q", said)
	}
	said = refusal(t, "sandbox", "-addr", "127.0.0.1:0", "-data", filepath.Join(s.dir, "sandbox"))
	if !strings.Contains(said, "in use by another process") {
		t.Errorf("a second sandbox says %q", said)
	}
	if err := s.awaitAnswer(); err != nil {
		t.Errorf("the first one: %v", err)
	}
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.start(); err != nil {
		t.Errorf("after the end of the first one: %v", err)
	}
}

func TestNothingStartsInAHalfRestoredFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "restoring-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-addr", "127.0.0.1:0"}, {"check"}, {"backup", filepath.Join(t.TempDir(), "b.zip")}, {"password", "kim@example.com"}} {
		if said := refusal(t, append(args, "-data", dir)...); !strings.Contains(said, "run \"dailies restore FILE -data "+dir+"\" again") {
			t.Errorf("%q says %q", args, said)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "dailies.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty Dailies was made: %v", err)
	}
}
