package handlers_test

import (
	"strings"
	"testing"
)

// The compiler would inline what a templ component generates, and compile its whole
// closure again at each place that shows it: a quarter of the time that our own packages
// take to compile, and megabytes of the program.
func TestComponentsAreNotInlined(t *testing.T) {
	seen := 0
	for path, text := range files(t, "../views", ".templ") {
		before := ""
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "templ ") {
				seen++
				if before != "//go:noinline\n" {
					t.Errorf("%s: write //go:noinline above %s", path, line)
				}
			}
			before = line
		}
	}
	if seen < 500 {
		t.Errorf("only %d components were found", seen)
	}
}
