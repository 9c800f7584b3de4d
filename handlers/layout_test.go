package handlers_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"iter"
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
// as createview, libraryview, roomview, accountview and teamview, because the packages of the
// handlers are already called create, library, room, account and team.
var allowedImports = map[string]string{
	"db":                             "db/cast db/naming db/option",
	"db/cast":                        "db/format db/naming",
	"db/audit":                       "",
	"db/gallery":                     "db db/naming db/review",
	"db/naming":                      "",
	"db/option":                      "db/format",
	"db/program":                     "db db/secrets",
	"db/review":                      "db db/naming",
	"db/ordering":                    "db db/naming db/option db/secrets",
	"db/outbox":                      "db db/audit db/secrets db/signin",
	"db/schedule":                    "db",
	"db/secrets":                     "db db/naming",
	"db/signin":                      "db db/format db/secrets",
	"db/spending":                    "db",
	"db/aside":                       "db db/folder",
	"db/backup":                      "db db/audit db/ordering db/secrets db/signin db/team db/backup db/folder db/format db/media db/store",
	"db/folder":                      "",
	"db/format":                      "",
	"db/media":                       "db/folder db/media/sniff",
	"db/media/bucket":                "db db/media db/media/bucket/sigv4",
	"db/media/bucket/sigv4":          "",
	"db/media/buckettest":            "db/media/bucket web/scopetest", // for tests
	"db/media/sniff":                 "",
	"db/media/splice":                "",
	"db/team":                        "db db/secrets db/spending db/format",
	"db/store":                       "db db/program db/format db/audit db/naming db/outbox db/schedule db/secrets db/team db/store/engine db/store/teamdb db/store/people db/store/postgres db/store/schema db/store/sqlite db/store/video",
	"db/store/engine":                "db db/naming db/secrets",
	"db/store/teamdb":                "db db/audit db/outbox db/secrets db/spending db/store/engine db/store/schema",
	"db/store/people":                "db db/audit db/naming db/ordering db/outbox db/secrets db/signin db/spending db/team db/store/engine db/store/teamdb db/store/schema db/program db/format",
	"db/store/video":                 "db db/cast db/audit db/gallery db/naming db/ordering db/outbox db/review db/schedule db/secrets db/spending db/store/engine db/store/teamdb db/store/schema db/format",
	"db/store/schema":                "db db/audit db/cast db/gallery db/ordering db/outbox db/program db/review db/secrets db/signin db/spending db/store/engine db/team",
	"db/store/postgres":              "db/store/engine",
	"db/store/postgres/postgrestest": "db/store/postgres web/scopetest", // for tests
	"db/store/sqlite":                "db/folder db/store/engine",
	"db/store/failtest":              "db/store/engine",                  // for tests
	"db/store/recordtest":            "db/store",                         // for tests
	"db/store/proof":                 "",                                 // only for tests
	"db/store/sampletest":            "db db/secrets db/signin db/store", // for tests and benchmarks
	"db/store/suite":                 "db db/cast db/gallery db/ordering db/outbox db/program db/review db/schedule db/secrets db/signin db/team db/store db/store/engine db/store/postgres db/store/postgres/postgrestest db/store/recordtest db/store/sampletest db/store/sqlite web/scopetest",
	"static":                         "web/accept",
	"web/address":                    "",
	"web/costtest":                   "", // for tests
	"web/fetch":                      "",
	"web/htmltest":                   "", // for tests
	"web/openid":                     "",
	"web/passkey":                    "",
	"web/metrics":                    "db/schedule db/signin",
	"web/picture":                    "db/media/sniff web/fetch web/throttle web/turn",
	"web/scopetest":                  "", // for tests
	"web/smtp":                       "",
	"web/smtp/smtptest":              "", // for tests
	"web/throttle":                   "",
	"web/turn":                       "",
	"web/videoapi":                   "db/option web/address web/fetch",
	"web/videoapi/documenttest":      "web/videoapi", // for tests
	"web/videoapi/sandbox":           "db db/naming db/option db/folder db/store/engine db/store/sqlite web web/picture web/throttle web/videoapi web/videoapi/sandbox/film",
	"web/videoapi/sandbox/film":      "web/picture",
	"web":                            "db db/secrets db/signin web/accept",
	"web/accept":                     "",
	"views/input":                    "db db/option",
	"views/say":                      "",
	"views/part":                     "db db/cast db/audit db/gallery db/naming db/option db/ordering db/schedule db/secrets db/spending db/format db/review db/team static views/input views/say web/videoapi",
	"views/record":                   "db db/option db/review db/spending views/part",
	"views/mail":                     "db/audit db/naming db/outbox db/format",
	"views/create":                   "db db/cast db/gallery db/naming db/option db/ordering db/format static views/input views/part views/say web/picture web/videoapi",
	"views/library":                  "db db/cast db/gallery db/naming db/ordering db/format db/review static views/input views/part views/say web/videoapi",
	"views/room":                     "db db/format db/gallery db/naming db/review db/team static views/part views/say",
	"views/account":                  "db db/audit db/naming db/outbox db/schedule db/secrets db/signin db/spending db/format static views/input views/part views/say web/videoapi db/program",
	"views/team":                     "db db/cast db/audit db/naming db/outbox db/schedule db/secrets db/signin db/spending db/format db/team static views/input views/part views/say web/videoapi",
	"views/storybook":                "db db/cast db/audit db/gallery db/option db/ordering db/outbox db/review db/schedule db/secrets db/signin db/spending db/team static views/account views/create views/library views/input views/part views/team web/videoapi",
	"handlers":                       "db db/ordering handlers/account handlers/api handlers/cast handlers/create handlers/form handlers/gallery handlers/money handlers/press handlers/program handlers/recipe handlers/room handlers/share handlers/signin handlers/site handlers/story handlers/team handlers/video handlers/wall static views/part web web/openid",
	"handlers/create":                "db db/format db/media db/ordering db/store/video handlers/form handlers/picture handlers/press handlers/site static views/create views/input views/part web web/picture web/throttle web/turn web/videoapi",
	"handlers/site":                  "db db/audit db/cast db/gallery db/media db/media/splice db/naming db/ordering db/outbox db/review db/schedule db/secrets db/signin db/spending db/store db/store/people db/store/video db/team handlers/service views/account views/input views/part web web/throttle web/turn web/videoapi",
	"handlers/service":               "db web/fetch web/videoapi",
	"handlers/account":               "db db/format db/ordering db/outbox db/schedule db/secrets db/signin db/store/people db/store/video handlers/service handlers/site views/account views/input views/part web",
	"handlers/team":                  "db db/audit db/format db/naming db/ordering db/outbox db/schedule db/secrets db/signin db/spending db/store db/store/people db/store/video db/team handlers/service handlers/site views/input views/part views/team web web/openid web/picture web/throttle web/videoapi",
	"handlers/room":                  "db db/gallery db/media db/media/splice db/review db/secrets db/store/people db/store/video db/team handlers/site views/part views/room web web/picture web/throttle",
	"handlers/handlerstest":          "db db/cast db/gallery db/media db/ordering db/outbox db/program db/secrets db/store db/store/failtest db/store/sampletest db/team handlers handlers/picture handlers/service handlers/site handlers/watch web web/fetch web/htmltest web/videoapi web/videoapi/sandbox web/videoapi/sandbox/film", // for tests
	"handlers/api":                   "db db/audit db/gallery db/naming db/option db/ordering db/outbox db/program db/secrets db/spending db/store/people db/store/video handlers/form handlers/picture handlers/press handlers/site handlers/wall views/account views/input views/part views/record web web/throttle web/videoapi",
	"handlers/config":                "db/media/bucket db/store/postgres web/smtp web/throttle web/videoapi",
	"handlers/watch":                 "db db/aside db/audit db/format db/gallery db/media db/media/splice db/naming db/outbox db/review db/schedule db/secrets db/signin db/spending db/store views/mail views/record web/address web/fetch web/openid web/picture web/smtp web/videoapi",
	"handlers/command":               "db db/audit db/backup db/folder db/format db/media db/media/bucket db/naming db/schedule db/secrets db/signin db/spending db/store db/team handlers handlers/config handlers/picture handlers/service handlers/site handlers/watch views/part web web/fetch web/metrics web/openid web/smtp web/videoapi web/videoapi/sandbox",
	"handlers/money":                 "db db/audit db/format db/gallery db/spending db/store/people db/store/video handlers/site views/account views/part web web/videoapi",
	"handlers/program":               "db db/format db/outbox db/program db/store/people handlers/site views/account views/input views/part web",
	"handlers/cast":                  "db db/cast db/naming db/ordering db/store/video handlers/form handlers/picture handlers/site handlers/wall views/create views/input views/library views/part web web/videoapi",
	"handlers/form":                  "db db/cast db/naming db/option db/ordering db/review db/schedule db/secrets db/store/people db/store/video handlers/picture handlers/press handlers/service handlers/site views/create views/input views/part web web/videoapi",
	"handlers/gallery":               "db db/cast db/gallery db/media db/naming db/store/people db/store/video handlers/share handlers/site handlers/wall views/library views/part web web/videoapi",
	"handlers/picture":               "db db/cast db/format db/media db/naming db/ordering db/schedule db/secrets db/store/video handlers/service handlers/site views/create views/part web web/address web/picture",
	"handlers/press":                 "db db/cast db/ordering db/program db/schedule db/secrets db/spending db/store db/store/people db/store/video handlers/picture handlers/service handlers/site views/create views/part web web/videoapi",
	"handlers/recipe":                "db db/cast db/format db/naming db/option db/ordering db/secrets db/store/video handlers/form handlers/picture handlers/press handlers/service handlers/site views/create views/input views/part web web/videoapi",
	"handlers/share":                 "db db/gallery db/naming db/secrets db/store/video handlers/site views/input views/library views/part web",
	"handlers/signin":                "db db/audit db/naming db/outbox db/secrets db/signin db/store/people db/team handlers/site views/account views/input views/part web web/openid web/passkey web/throttle",
	"handlers/story":                 "db db/format db/gallery db/media db/media/splice db/store/people db/store/video handlers/share handlers/site handlers/wall views/library views/part web",
	"handlers/video":                 "db db/format db/gallery db/media db/review db/schedule db/secrets db/store/people db/store/video handlers/service handlers/share handlers/site handlers/wall views/library views/part web web/picture web/videoapi",
	"handlers/wall":                  "db db/gallery db/review db/store/people db/store/video handlers/site views/library views/part web/videoapi",
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

// What helps tests, and the storybook, are not part of the program: nobody waits for them
// to be compiled. Whoever needs package testing outside a test says so in the package's
// name; of the suite of the store it is known.
func TestTheProgramHasNoTestHelpers(t *testing.T) {
	var errs bytes.Buffer
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "dailies")
	list.Stderr = &errs
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	released := strings.Fields(string(out))
	if !slices.Contains(released, "dailies/handlers/watch") {
		t.Fatalf("only %d packages were found", len(released))
	}
	for _, name := range released {
		if name == "testing" || name == "dailies/views/storybook" ||
			strings.HasPrefix(name, "dailies/") && strings.HasSuffix(name, "test") {
			t.Errorf("the program has package %s", name)
		}
	}
	for name, file := range sources(t) {
		for _, i := range file.Imports {
			if i.Path.Value == `"testing"` && !strings.HasSuffix(path.Dir(name), "test") && path.Dir(name) != "db/store/suite" {
				t.Errorf("%s helps tests, and its package is not named so", name)
			}
		}
	}
}

// sources parses every Go file of the module that is not a test, by its name from the
// root of the repository.
func sources(t *testing.T) iter.Seq2[string, *ast.File] {
	return func(yield func(string, *ast.File) bool) {
		root := os.DirFS("..")
		must(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && name != "." &&
				(strings.HasPrefix(d.Name(), ".") || d.Name() == "vendor" || d.Name() == "testdata" || name == "data"):
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
			if err == nil && !yield(name, file) {
				return fs.SkipAll
			}
			return err
		}))
	}
}

// receiver returns the name of the type that the method belongs to.
func receiver(f *ast.FuncDecl) string {
	of := f.Recv.List[0].Type
	for {
		switch t := of.(type) {
		case *ast.StarExpr:
			of = t.X
		case *ast.IndexExpr: // of a type with parameters
			of = t.X
		case *ast.IndexListExpr:
			of = t.X
		case *ast.Ident:
			return t.Name
		}
	}
}

// allowedStores names, for each package above db/store, the small stores whose methods
// it may call. Their methods are what it can do to the data.
var allowedStores = map[string]string{
	"db/backup":             "Accounts Audit Cast Files Pictures Settings Tasks Usage",
	"db/store/sampletest":   "Accounts Invites Sessions",
	"handlers/service":      "Services",
	"handlers/account":      "Accounts Keys Limits Links Mail Pictures Programs Sessions Settings",
	"handlers/api":          "Bin Cast Collections Guests Limits Lineage Notes Programs Recipes Search Settings Tags Tasks Webhooks",
	"handlers/command":      "Accounts SecondSteps Files Limits Links Members Pictures Programs Services Sessions Settings",
	"handlers/create":       "Pictures Tasks",
	"handlers/handlerstest": "Cast Collections Keys Links Pictures Programs Recipes Search Services Tasks Webhooks",
	"handlers/room":         "Collections Guests Lineage Links Notes Settings Takes",
	"handlers/site":         "Accounts Calls Cast Files Guesses Guests Keys Leases Limits Lineage Notes Recipes Sessions Settings Tasks Webhooks",
	"handlers/team":         "Accounts Audit Calls Cast SecondSteps Invites Keys Limits Mail Members Sessions Settings SignOn Usage Services Webhooks",
	"handlers/watch":        "Accounts Audit Bin Calls Cast Clock Files Keys Leases Mail Members Pictures Services Sessions Settings SignOn Tasks Webhooks Programs Guests Limits Links Notes",
	"handlers/money":        "Accounts Audit Keys Search Settings Usage",
	"handlers/program":      "Programs Webhooks",
	"handlers/cast":         "Cast",
	"handlers/form":         "Limits Notes Pictures Recipes Settings Takes Tasks",
	"handlers/gallery":      "Accounts Bin Cast Collections Recipes Search Settings Tags Tasks",
	"handlers/picture":      "Cast Pictures",
	"handlers/press":        "Accounts Cast Limits Settings Tasks",
	"handlers/recipe":       "Lineage Recipes Tasks",
	"handlers/share":        "Links",
	"handlers/signin":       "Accounts Audit Invites Mail Programs SecondSteps Sessions SignOn",
	"handlers/story":        "Lineage Settings",
	"handlers/video":        "Accounts Calls Collections Files Guests Leases Lineage Links Notes Search Tags Takes Tasks",
	"handlers/wall":         "Collections Lineage Search Settings Takes",
}

func TestPackagesUseOnlyTheStoresThatTheTableAllows(t *testing.T) {
	stores := map[string][]string{} // the methods of each
	for name, file := range sources(t) {
		if dir := path.Dir(name); dir != "db/store/people" && dir != "db/store/video" {
			continue
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.IsExported() {
				stores[receiver(f)] = append(stores[receiver(f)], f.Name.Name)
			}
		}
	}
	used := map[string]map[string]bool{}
	for name, file := range sources(t) {
		dir := path.Dir(name)
		if dir == "db/store" || strings.HasPrefix(dir, "db/store/") && dir != "db/store/sampletest" || strings.HasPrefix(dir, "views/") {
			continue // views get values: they import no store
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			name := ""
			switch x := call.X.(type) {
			case *ast.SelectorExpr: // a method of a field that is called like the store
				if slices.Contains(stores[x.Sel.Name], call.Sel.Name) {
					name = x.Sel.Name
				}
			case *ast.Ident: // the type of a field
				if (x.Name == "people" || x.Name == "video") && len(stores[call.Sel.Name]) > 0 {
					name = call.Sel.Name
				}
			}
			if name != "" {
				if used[dir] == nil {
					used[dir] = map[string]bool{}
				}
				used[dir][name] = true
			}
			return true
		})
	}
	for dir, names := range used {
		for name := range names {
			if !slices.Contains(strings.Fields(allowedStores[dir]), name) {
				t.Errorf("%q must not use the store %s", dir, name)
			}
		}
	}
	for dir, names := range allowedStores {
		for name := range strings.FieldsSeq(names) {
			if !used[dir][name] {
				t.Errorf("%q does not use the store %s: take it out of the table", dir, name)
			}
		}
	}
}

// wholeStore names the handlers that hold the whole store, because they do what concerns
// people and videos alike: placing tasks within a limit, and leaving the team.
var wholeStore = []string{"handlers/press.Press", "handlers/team.Team"}

// handlerFolders lists the packages of handlers, and those that they build on.
var handlerFolders = []string{
	"handlers/account", "handlers/cast", "handlers/create", "handlers/form", "handlers/gallery", "handlers/money", "handlers/picture",
	"handlers/press", "handlers/program", "handlers/recipe", "handlers/room", "handlers/share", "handlers/signin", "handlers/site",
	"handlers/story", "handlers/team", "handlers/video", "handlers/wall",
}

// handlerStructs returns the structs of the packages of handlers, by package and name, without
// those of which the handlers are made.
func handlerStructs(t *testing.T) iter.Seq2[string, *ast.TypeSpec] {
	return func(yield func(string, *ast.TypeSpec) bool) {
		for name, file := range sources(t) {
			dir := path.Dir(name)
			if !slices.Contains(handlerFolders, dir) {
				continue
			}
			for _, d := range file.Decls {
				declared, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, s := range declared.Specs {
					spec, ok := s.(*ast.TypeSpec)
					if !ok || slices.Contains([]string{"Config", "Site"}, spec.Name.Name) {
						continue
					}
					if _, ok := spec.Type.(*ast.StructType); ok && !yield(dir+"."+spec.Name.Name, spec) {
						return
					}
				}
			}
		}
	}
}

func TestHandlersNameWhatTheyUse(t *testing.T) {
	var holding []string
	for name, spec := range handlerStructs(t) {
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			switch held := types.ExprString(field.Type); held {
			case "*site.Site", "*Site":
				t.Errorf("%s holds the whole site", name)
			case "*store.Store":
				holding = append(holding, name)
			}
		}
	}
	if slices.Sort(holding); !slices.Equal(holding, wholeStore) {
		t.Errorf("the whole store is held by %q, and should be by %q", holding, wholeStore)
	}
}
