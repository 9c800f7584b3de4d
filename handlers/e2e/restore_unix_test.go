//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The three lines of OPERATING.md that restore an installed service in place are run as they
// stand, with other folders, and a systemctl that only notes what it was told. Run by root,
// they leave files that the service can read.
func TestARestoreInPlaceIsThreeLines(t *testing.T) {
	t.Parallel()
	blocks := readDocument(t, ".github/OPERATING.md").commands()
	at := slices.IndexFunc(blocks, func(block []documented) bool {
		return len(block) == 3 && strings.HasPrefix(block[0].text, "systemctl stop dailies && mv")
	})
	if at < 0 {
		t.Fatal("OPERATING.md does not say how")
	}
	start := beginning(t)
	p := newPlace(t, start, nil)
	state, backups := filepath.Join(p.dir, "state", "dailies"), filepath.Join(p.dir, "state", "dailies-backups")
	told := filepath.Join(p.dir, "told")
	owner := `-o dailies -g dailies `
	replaced := ""
	if os.Geteuid() == 0 {
		replaced = "-o 65534 -g 65534 "
	}
	lines := strings.NewReplacer("/var/lib/dailies-backups", backups, "/var/lib/dailies", state, owner, replaced)
	for _, err := range []error{
		os.MkdirAll(backups, 0o755), os.Rename(filepath.Join(p.dir, "data"), state), os.WriteFile(filepath.Join(state, "reserve"), nil, 0o600),
		os.WriteFile(filepath.Join(p.dir, "bin", "systemctl"), []byte("#!/bin/sh\necho \"$@\" >>"+told+"\n"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	script := "set -e\ndailies backup -into " + backups + " -data " + state + "\n"
	for _, line := range blocks[at] {
		script += lines.Replace(line.text) + "\n"
	}
	sh := exec.CommandContext(t.Context(), "sh", "-c", script)
	sh.Env, sh.Dir = p.environ, p.dir
	if out, err := sh.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if text, err := os.ReadFile(told); err != nil || string(text) != "stop dailies\nstart dailies\n" {
		t.Errorf("systemctl was told %q, %v", text, err)
	}
	for _, name := range []string{".", "secret", "dailies.db", "media"} {
		info, err := os.Stat(filepath.Join(state, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if s, ok := info.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 && name != "secret" && s.Uid != 65534 {
			t.Errorf("%s belongs to %d", name, s.Uid)
		}
	}
	if status, said := ask(t, "user", "list", "-data", state); status != 0 || !strings.Contains(said, "lee@example.com") {
		t.Errorf("%d: %s", status, said)
	}
}
