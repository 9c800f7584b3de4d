package handlers_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dailies/db/team"
	"dailies/handlers/handlerstest"
)

var namedSection = regexp.MustCompile(`(Team|Members) →\s+([A-Z][a-z]+(?:\s+(?:and\s+)?[a-z]+)?)`)

// Documents and messages name sections of Team by the titles that they have.
func TestSectionsAreNamedAsTheyAreCalled(t *testing.T) {
	p := handlerstest.New(t).Founder(t)
	list := p.Get("/members").Is(200)
	for _, page := range team.Pages() {
		list.Shows(string(page))
	}
	known := func(text string) bool {
		return slices.ContainsFunc(team.Pages(), func(p team.Page) bool { return strings.HasPrefix(text, string(p)) })
	}
	for _, name := range []string{"../README.md", "../.github/OPERATING.md", "../.github/CONTRIBUTING.md", "../.github/SECURITY.md"} {
		text, err := os.ReadFile(name)
		must(t, err)
		for _, found := range namedSection.FindAllStringSubmatch(string(text), -1) {
			if words := strings.Join(strings.Fields(found[2]), " "); found[1] != "Team" || !known(words) {
				t.Errorf("%s names %q", name, found[0])
			}
		}
	}
	must(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "/db/team/page.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if found := namedSection.Find(text); found != nil {
			t.Errorf("%s names %q by itself; team.Page has the titles", path, found)
		}
		return err
	}))
}
