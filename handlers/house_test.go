package handlers_test

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows says which of our packages may import which. A package that is not
// named, or an import that is not in its line, fails the test: adding an arrow
// is a decision, and it is made here. Handlers import the views of pages as
// createview, libraryview and accountview, because the handlers of these pages
// are in packages called create, library and account.
var arrows = map[string]string{
	"db":                        "web/videoapi/option",
	"db/aside":                  "db db/folder",
	"db/backup":                 "db db/backup db/folder db/media db/store",
	"db/folder":                 "",
	"db/media":                  "db/folder db/media/sniff",
	"db/media/sniff":            "",
	"db/store":                  "db db/store/sqlite",
	"db/store/sqlite":           "db/folder",
	"db/store/sample":           "db db/store", // for tests and benchmarks
	"static":                    "",
	"web/fetch":                 "",
	"web/htmltest":              "", // for tests
	"web/metrics":               "",
	"web/picture":               "db/media/sniff web/fetch web/turn",
	"web/throttle":              "",
	"web/turn":                  "",
	"web/videoapi":              "web/videoapi/option",
	"web/videoapi/option":       "",
	"web/videoapi/sandbox":      "db db/folder db/store/sqlite web web/picture web/throttle web/videoapi web/videoapi/option web/videoapi/sandbox/film",
	"web/videoapi/sandbox/film": "web/picture",
	"web":                       "db",
	"views/part":                "db static web/videoapi web/videoapi/option",
	"views/create":              "db static views/part web/videoapi web/videoapi/option",
	"views/library":             "db static views/part web/videoapi web/videoapi/option",
	"views/account":             "db static views/part web/videoapi web/videoapi/option",
	"views/storybook":           "db static views/account views/create views/library views/part web/videoapi web/videoapi/option",
	"handlers":                  "db handlers/account handlers/create handlers/library handlers/site static views/part views/storybook web web/videoapi",
	"handlers/create":           "db db/media db/store handlers/site static views/create views/part web web/picture web/turn web/videoapi web/videoapi/option",
	"handlers/site":             "db db/media db/store views/part web web/throttle web/turn web/videoapi",
	"handlers/account":          "db handlers/site views/account views/part web web/throttle web/videoapi",
	"handlers/library":          "db db/media handlers/site views/library views/part web web/picture web/videoapi",
	"handlers/handlerstest":     "db db/media db/store handlers handlers/create handlers/site handlers/watch web web/fetch web/htmltest web/videoapi web/videoapi/sandbox", // for tests
	"handlers/config":           "web/throttle",
	"handlers/watch":            "db db/aside db/media db/store web/fetch web/videoapi",
	"handlers/command":          "db db/backup db/folder db/media db/store handlers handlers/config handlers/create handlers/site handlers/watch web web/fetch web/metrics web/videoapi web/videoapi/sandbox",
	"":                          "handlers/command",
}

func TestPackagesImportOnlyAlongTheArrows(t *testing.T) {
	var out, errs bytes.Buffer
	list := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.ImportPath}}:{{join .Imports \" \"}}", "dailies/...")
	list.Stdout, list.Stderr = &out, &errs
	if err := list.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	seen := 0
	for line := range strings.Lines(out.String()) {
		name, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		name = room(name)
		allowed, known := arrows[name]
		if !known {
			if imports != "" || name != "handlers/e2e" { // a room of tests alone imports nothing
				t.Errorf("package %q is not in the table", name)
			}
			continue
		}
		seen++
		for _, i := range strings.Fields(imports) {
			if i != "dailies" && !strings.HasPrefix(i, "dailies/") {
				continue
			}
			if !slices.Contains(strings.Fields(allowed), room(i)) {
				t.Errorf("%q must not import %q", name, room(i))
			}
		}
	}
	if seen != len(arrows) {
		t.Errorf("%d of %d packages in the table were found", seen, len(arrows))
	}
}

// room is the package's place in the house.
func room(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, "dailies"), "/")
}
