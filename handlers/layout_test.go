package handlers_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// allowedImports names, for each package of this module, the other packages that it
// may import. A package or an import that is not listed here fails the test, so that
// every new dependency is a deliberate decision. Handlers import the views of pages
// as createview, libraryview, accountview and teamview, because the packages of the
// handlers are already called create, library, account and team.
var allowedImports = map[string]string{
	"db":                             "web/videoapi/option",
	"db/aside":                       "db db/folder",
	"db/backup":                      "db db/team db/backup db/folder db/format db/media db/store",
	"db/folder":                      "",
	"db/format":                      "",
	"db/media":                       "db db/folder db/media/sniff",
	"db/media/bucket":                "db db/media",
	"db/media/buckettest":            "db/media/bucket", // for tests
	"db/media/sniff":                 "",
	"db/media/splice":                "",
	"db/team":                        "db",
	"db/store":                       "db db/team db/store/engine db/store/postgres db/store/sqlite",
	"db/store/engine":                "",
	"db/store/postgres":              "db/store/engine",
	"db/store/postgres/postgrestest": "db/store/postgres", // for tests
	"db/store/sqlite":                "db/folder db/store/engine",
	"db/store/failtest":              "db/store/engine", // for tests
	"db/store/suite":                 "",                // only for tests
	"db/store/proof":                 "",                // only for tests
	"db/store/sample":                "db db/store",     // for tests and benchmarks
	"static":                         "",
	"web/fetch":                      "",
	"web/htmltest":                   "", // for tests
	"web/openid":                     "",
	"web/passkey":                    "",
	"web/metrics":                    "db db/team",
	"web/picture":                    "db/media/sniff web/fetch web/throttle web/turn",
	"web/smtp":                       "",
	"web/smtp/smtptest":              "", // for tests
	"web/throttle":                   "",
	"web/turn":                       "",
	"web/videoapi":                   "web/videoapi/option",
	"web/videoapi/option":            "",
	"web/videoapi/sandbox":           "db db/folder db/store/sqlite web web/picture web/throttle web/videoapi web/videoapi/option web/videoapi/sandbox/film",
	"web/videoapi/sandbox/film":      "web/picture",
	"web":                            "db",
	"views/part":                     "db db/team db/format static web/videoapi web/videoapi/option",
	"views/mail":                     "db db/format db/team",
	"views/create":                   "db db/team static views/part web/videoapi web/videoapi/option",
	"views/library":                  "db static views/part web/videoapi web/videoapi/option",
	"views/account":                  "db db/team static views/part web/videoapi web/videoapi/option",
	"views/team":                     "db db/team static views/part web/videoapi web/videoapi/option",
	"views/storybook":                "db db/team static views/account views/create views/library views/part views/team web/videoapi web/videoapi/option",
	"handlers":                       "db db/team handlers/account handlers/create handlers/library handlers/site handlers/team static views/part views/storybook web web/videoapi web/openid",
	"handlers/create":                "db db/team db/media db/store handlers/site static views/create views/part web web/picture web/throttle web/turn web/videoapi web/videoapi/option",
	"handlers/site":                  "db db/team db/media db/store views/part web web/throttle web/turn web/videoapi",
	"handlers/account":               "db db/format db/team db/store handlers/site views/account views/part web web/throttle web/videoapi web/openid web/passkey",
	"handlers/team":                  "db db/format db/team db/store handlers/site views/team views/part web web/throttle web/videoapi web/openid",
	"handlers/library":               "db db/team db/media db/media/splice handlers/site views/library views/part web web/picture web/videoapi",
	"handlers/handlerstest":          "db db/team db/media db/store db/store/failtest db/store/sample handlers handlers/create handlers/site handlers/watch web web/fetch web/htmltest web/videoapi web/videoapi/sandbox", // for tests
	"handlers/config":                "db/media/bucket db/store/postgres web/smtp web/throttle",
	"handlers/watch":                 "db db/team db/aside db/media db/store views/mail web/fetch web/openid web/picture web/smtp web/videoapi",
	"handlers/command":               "db db/team db/backup db/folder db/format db/media db/media/bucket db/store handlers handlers/config handlers/create handlers/site handlers/watch web web/fetch web/metrics web/smtp web/videoapi web/videoapi/sandbox web/openid",
	"":                               "handlers/command",
}

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	var out, errs bytes.Buffer
	list := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.ImportPath}}:{{join .Imports \" \"}}", "dailies/...")
	list.Stdout, list.Stderr = &out, &errs
	if err := list.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	seen := 0
	for line := range strings.Lines(out.String()) {
		name, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		name = folder(name)
		allowed, known := allowedImports[name]
		if !known {
			if imports != "" || name != "handlers/e2e" { // a package that contains only tests imports nothing
				t.Errorf("package %q is not in the table", name)
			}
			continue
		}
		seen++
		for _, i := range strings.Fields(imports) {
			if i != "dailies" && !strings.HasPrefix(i, "dailies/") {
				continue
			}
			if !slices.Contains(strings.Fields(allowed), folder(i)) {
				t.Errorf("%q must not import %q", name, folder(i))
			}
		}
	}
	if seen != len(allowedImports) {
		t.Errorf("%d of %d packages in the table were found", seen, len(allowedImports))
	}
}

// folder returns the package's folder in the repository.
func folder(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, "dailies"), "/")
}

const (
	maxMethods = 40  // of a type
	maxMain    = 100 // lines of main.go
)

// manyMethods lists the types that may have more: the Store has a file for each kind
// of data.
var manyMethods = map[string]int{
	"db/store.Store": 1000,
}

func TestTypesStaySmall(t *testing.T) {
	root := os.DirFS("..")
	methods := map[string]int{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "vendor" || d.Name() == "testdata" || name == "data"):
			return fs.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			return countMethods(root, name, methods)
		}
		return nil
	})
	must(t, err)
	for name, n := range methods {
		if n > max(maxMethods, manyMethods[name]) {
			t.Errorf("%s has %d methods", name, n)
		}
	}
	for name := range manyMethods {
		if methods[name] <= maxMethods {
			t.Errorf("%s has only %d methods: take it out of the list", name, methods[name])
		}
	}
	text, err := fs.ReadFile(root, "main.go")
	must(t, err)
	if n := bytes.Count(text, []byte("\n")); n >= maxMain {
		t.Errorf("main.go has %d lines", n)
	}
}

// countMethods adds the number of methods that the file declares to the counts of
// their types.
func countMethods(root fs.FS, name string, methods map[string]int) error {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		of := f.Recv.List[0].Type
		if pointer, ok := of.(*ast.StarExpr); ok {
			of = pointer.X
		}
		if id, ok := of.(*ast.Ident); ok {
			methods[path.Dir(name)+"."+id.Name]++
		}
	}
	return nil
}
