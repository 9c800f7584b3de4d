package handlers_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// joined matches a name that is added to a piece of a sentence.
var joined = regexp.MustCompile(`\b(\w*Name|Title\(\)|Title|AnsweredBy|By)\)? \+ "[^"/#-]* |"[^"/#=-]*[a-z:“] ?" ?\+ ?[\w.]*\b(\w*Name|Title\(\)|Title|AnsweredBy|By)\b`)

// notShown are pieces of code that join names to texts that no page and no mail shows.
var notShown = []string{"Fingerprint(", "Applicant{", "slowName(", "QueryEscape"}

// Each sentence is one string with named values, so that it can be translated, and so
// that the names in it are isolated.
func TestSentencesAreNotJoinedFromPieces(t *testing.T) {
	for _, root := range []string{".", "../views"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			name := d.Name()
			isCode := (strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".templ")) && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, "_templ.go")
			if err != nil || !isCode || strings.Contains(path, "handlerstest") || strings.Contains(path, "storybook") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for line := range strings.Lines(string(text)) {
				if joined.MatchString(line) && !containsAny(line, notShown) {
					t.Errorf("%s: %s", path, strings.TrimSpace(line))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func containsAny(text string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}
