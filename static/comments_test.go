package static_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dailies/static"
)

// The scripts and style sheets that are served consist of the lines of their sources
// without those that contain only a comment.
func TestServedFilesHaveNoCommentLines(t *testing.T) {
	for _, kind := range []string{"*.js", "*.css"} {
		names, err := filepath.Glob(kind)
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		for _, name := range names {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			served, err := io.ReadAll(get(t, static.URL(name)).Body)
			if err != nil {
				t.Fatal(err)
			}
			rest, quoted, comment := strings.Split(string(served), "\n"), false, false
			for i, line := range strings.Split(string(source), "\n") {
				text := strings.TrimSpace(line)
				alone := comment || strings.HasPrefix(text, "/*") || kind == "*.js" && strings.HasPrefix(text, "//")
				if alone && quoted {
					t.Fatalf("%s:%d: a line of a template literal looks like a comment, and would not be served", name, i+1)
				}
				if alone && (comment || strings.HasPrefix(text, "/*")) {
					before, after, ends := strings.Cut(text, "*/")
					if ends && after != "" {
						t.Fatalf("%s:%d: code behind the comment %q; give it a line of its own", name, i+1, before)
					}
					comment = !ends
				}
				if alone {
					continue
				}
				if strings.Count(line, "`")%2 == 1 {
					quoted = !quoted
				}
				if len(rest) == 0 || rest[0] != line && !strings.Contains(line, "./dom.js") { // this import is served with a hash
					t.Fatalf("%s:%d: %q is served as %q", name, i+1, line, rest[:min(1, len(rest))])
				}
				rest = rest[1:]
			}
			if len(rest) > 0 {
				t.Errorf("%s: more is served than the source has: %q", name, rest[0])
			}
		}
	}
}
