// Package scopetest says how much a run of the tests covers. A quick run proves the main
// things in a few minutes; with DAILIES_TESTS=all everything runs, and software that is
// missing fails the tests that need it.
package scopetest

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// All reports whether everything runs.
func All() bool { return os.Getenv("DAILIES_TESTS") == "all" }

// Long reports whether tests whose size can be chosen run at full size.
func Long() bool { return os.Getenv("DAILIES_LONG") != "" }

// Quick reports whether only the main things run. Tests that somebody chose by name, as
// with -run, run whole, unless DAILIES_TESTS=quick.
func Quick() bool {
	if os.Getenv("DAILIES_TESTS") == "quick" {
		return true
	}
	for _, name := range []string{"test.run", "test.bench", "test.fuzz"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return !All()
}

// Whole skips a test in quick runs.
func Whole(tb testing.TB) {
	tb.Helper()
	if Quick() {
		tb.Skip("left to the whole run: .ci/test all")
	}
}

// Missing ends a test that needs software which is not installed: a Debian package, or
// something else that .ci/tools installs under this name. It skips the test, but fails it
// where everything should run.
func Missing(tb testing.TB, name string) {
	tb.Helper()
	if All() {
		tb.Fatalf("it needs %s: .ci/tools install", name)
	}
	tb.Skipf("it needs %s: .ci/tools install", name)
}

// Tool returns the path of a program that a test needs, which is in a Debian package. If
// there is none, Tool ends the test as Missing does.
func Tool(tb testing.TB, program, from string) string {
	tb.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		Missing(tb, from)
	}
	return path
}

// Installed returns the path of what .ci/tools installs because Debian does not package it:
// the path that the variable holds, or a file in the folder of .ci/tools. If neither
// exists, the path is empty.
func Installed(variable, file string) (path string) {
	if path := os.Getenv(variable); path != "" {
		return path
	}
	path = filepath.Join(Folder(), file)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// Folder returns the folder of .ci/tools: DAILIES_TOOLS, or dailies-tools in the folder
// for caches. Tests also keep there what takes long to make.
func Folder() string {
	if folder := os.Getenv("DAILIES_TOOLS"); folder != "" {
		return folder
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "dailies-tools") // there is no home folder
	}
	return filepath.Join(cache, "dailies-tools")
}
