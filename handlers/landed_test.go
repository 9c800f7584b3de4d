package handlers_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestLandedMigrationsAreNeverEdited compares every migration in the repository with
// its checksum. A later edit of a migration would never reach the databases that have
// already run it.
func TestLandedMigrationsAreNeverEdited(t *testing.T) {
	seen := 0
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(dir string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.IsDir() || d.Name() != "migrations":
			return nil
		}
		seen++
		folder, err := fs.Sub(root, dir)
		if err != nil {
			return err
		}
		for _, problem := range notAsLanded(folder) {
			t.Errorf("%s: %s", dir, problem)
		}
		return nil
	})
	if err != nil || seen < 2 { // those of the app and of the sandbox
		t.Errorf("%d folders of migrations, %v", seen, err)
	}
}

// notAsLanded compares the migrations in the folder with its SHA256SUMS, in the
// format of sha256sum. It returns a sentence for each difference, which says what to
// do. A comment "# open NAME" exempts a migration that is still being written; all
// migrations before a recorded one must be recorded too.
func notAsLanded(folder fs.FS) (problems []string) {
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	text, err := fs.ReadFile(folder, "SHA256SUMS")
	if err != nil {
		say("%v: make it with: sha256sum *.sql > SHA256SUMS", err)
	}
	sums, open := map[string]string{}, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "# open "); ok {
			open[name] = true
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		sum, name, ok := strings.Cut(line, "  ")
		if !ok || sums[name] != "" || path.Ext(name) != ".sql" {
			say("SHA256SUMS: the line %q is malformed or names a migration twice; a record is never changed", line)
			continue
		}
		sums[name] = sum
	}
	files, err := fs.Glob(folder, "*.sql")
	if err != nil {
		say("%v", err)
	}
	unrecorded := ""
	for _, name := range files {
		content, err := fs.ReadFile(folder, name)
		sum := sha256.Sum256(content)
		now := hex.EncodeToString(sum[:])
		switch {
		case err != nil:
			say("%v", err)
		case sums[name] == "":
			if unrecorded = name; !open[name] {
				say("%s is not recorded: when it lands, run: sha256sum %s >> SHA256SUMS", name, name)
			}
		case open[name]:
			say("%s is recorded; remove the line \"# open %s\" from SHA256SUMS", name, name)
		case now != sums[name]:
			say("%s has landed and was edited: put it back as it was (git log -p finds it) and write a new migration instead", name)
		case unrecorded != "":
			say("%s is recorded and %s, which comes before it, is not", name, unrecorded)
		}
	}
	for name := range sums {
		if !slices.Contains(files, name) {
			say("%s has landed and is missing: put it back", name)
		}
	}
	return problems
}
