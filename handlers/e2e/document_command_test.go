package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A documented command is one that a document tells its reader to enter.
type documented struct {
	name  string // of the document
	line  int
	text  string   // as a shell reads it, without a comment at its end
	set   []string // variables that it sets, as NAME=value
	words []string // after these
}

// commands returns the commands in the document's indented blocks, block by block. The
// other blocks, which begin with ``` and a language, hold something else, except those of
// a shell in the document about the sandbox, which a test there runs.
func (d document) commands() (blocks [][]documented) {
	for _, b := range d.code {
		if b.language != "" {
			continue
		}
		var all []documented
		text := ""
		for i, line := range b.lines {
			if before, goesOn := strings.CutSuffix(line, `\`); goesOn {
				text += before
				continue
			}
			c := documented{name: d.name, line: b.line + i, text: strings.TrimSpace(commentForm.ReplaceAllString(text+line, ""))}
			c.words = words(c.text)
			for len(c.words) > 0 && assignmentForm.MatchString(c.words[0]) {
				c.set, c.words = append(c.set, c.words[0]), c.words[1:]
			}
			all = append(all, c)
			text = ""
		}
		blocks = append(blocks, all)
	}
	return blocks
}

var (
	commentForm    = regexp.MustCompile(`\s+# .*$`)
	assignmentForm = regexp.MustCompile(`^[A-Z][A-Z0-9_]*=`)
	wordForm       = regexp.MustCompile(`(?:"[^"]*"|'[^']*'|[^\s"'])+`)
)

// words splits a line as a shell does, as far as the documents need it.
func words(line string) (split []string) {
	for _, word := range wordForm.FindAllString(line, -1) {
		split = append(split, strings.NewReplacer(`"`, "", `'`, "").Replace(word))
	}
	return split
}

// program returns the arguments of a command that runs Dailies.
func (c documented) program() (args []string, ok bool) {
	switch {
	case len(c.words) > 0 && c.words[0] == "dailies":
		return c.words[1:], true
	case len(c.words) > 2 && slices.Equal(c.words[:3], []string{"go", "run", "."}):
		return c.words[3:], true
	}
	return nil, false
}

// A reason says why a test does not run the commands that begin with the text.
type reason struct {
	begin, why string
	rest       bool // what follows in the same block needs it, too
}

var notRun = []reason{
	{begin: ".ci/compare", why: "it takes minutes, and compares with an older commit"},
	{begin: "go run -tags storybook", why: "it runs until it is stopped; these tests build it the same way"},
	{begin: ".ci/tools", why: ".ci/run does"},
	{begin: ".ci/test", why: "this is one of those tests"},
	{begin: "DAILIES_LONG=1 .ci/test", why: "this is one of those tests"},
	{begin: "go vet ./...", why: ".ci/run does"},
	{begin: "go tool templ generate", why: ".ci/run does, and it changes the repository"},
	{begin: "go tool nm", why: "it needs a program with symbols; people read its output"},
	{begin: "go install github.com/versity/", why: "tests have no network", rest: true},
	{begin: "CGO_ENABLED=0 go build", why: ".release/check builds the same way"},
	{begin: "bash .ci/run", why: "it runs these tests"},
	{begin: "bash .release/check", why: "it needs root, and .ci/run runs it"},
	{begin: "bash .ci/lighthouse", why: "it needs a network and takes minutes"},
	{begin: "go run ./.ci/mutate", why: "it runs the tests again and again"},
	{begin: "Rules: input.Rules", why: "it is a line of Go"},
	{begin: ".release/build", why: ".release/check runs it"},
	{begin: "docker", why: "it needs a container engine; .release/check runs what the image contains"},
	{begin: "sudo systemctl", why: "it needs systemd; .release/check runs what the unit would"},
	{begin: "systemctl stop dailies && mv", why: "TestARestoreInPlaceIsThreeLines runs it", rest: true},
	{begin: "systemctl", why: "it needs systemd; .release/check runs what the unit would"},
	{begin: "sudo journalctl", why: "it needs systemd"},
	{begin: "sudo -u dailies", why: "it needs an installed service"},
	{begin: "sudo apt install", why: "it changes the machine"},
	{begin: "createdb", why: "it needs a Postgres server; the tests make databases in another way"},
	{begin: "export DAILIES_SECRET_FILE=/etc/dailies/secret", why: "it needs two servers; db/store/proof and handlers/watch run several processes", rest: true},
}

// kept returns the reason not to run the command, or nil.
func (c documented) kept() *reason {
	for i := range notRun {
		if strings.HasPrefix(c.text, notRun[i].begin) {
			return &notRun[i]
		}
	}
	return nil
}

// Every command in the documents is run, checked as a command of "go test", or kept from
// being run for a reason.
func TestCommandsInDocumentsAreKnown(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, name := range documents {
		for _, block := range readDocument(t, name).commands() {
			rest := false
			for _, c := range block {
				why := c.kept()
				if why != nil {
					used[why.begin] = true
					rest = rest || why.rest
				}
				_, runs := c.program()
				if isTest := len(c.words) > 1 && c.words[0] == "go" && c.words[1] == "test"; isTest {
					c.checkTests(t)
				} else if only := len(c.words) == 0 || c.words[0] == "export"; !runs && !only && why == nil && !rest {
					t.Errorf("%s:%d: nothing runs this, and notRun has no reason: %s", c.name, c.line, c.text)
				}
			}
		}
	}
	for _, r := range notRun {
		if !used[r.begin] {
			t.Errorf("no document has a command %q any more", r.begin)
		}
	}
}

// checkTests checks that the packages of a command "go test" have tests and benchmarks of
// the names that it gives, which read the variables that it sets.
func (c documented) checkTests(t *testing.T) {
	t.Helper()
	patterns, folders := map[string]string{}, []string(nil)
	for i := 2; i < len(c.words); i++ {
		switch word := c.words[i]; {
		case word == "-v":
		case strings.HasPrefix(word, "-"):
			i++
			patterns[word] = c.words[i]
		default:
			folders = append(folders, word)
		}
	}
	for _, folder := range folders {
		source, names := testsIn(t, strings.TrimSuffix(folder, "/..."), strings.HasSuffix(folder, "/..."))
		for flag, kind := range map[string]string{"-run": "Test", "-bench": "Benchmark"} {
			pattern := patterns[flag]
			if pattern == "" || pattern == "^$" {
				continue
			}
			form, err := regexp.Compile(pattern)
			if err != nil || !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, kind) && form.MatchString(name) }) {
				t.Errorf("%s:%d: %s has no %s of the name %s", c.name, c.line, folder, kind, pattern)
			}
		}
		if len(names) == 0 {
			t.Errorf("%s:%d: %s has no tests", c.name, c.line, folder)
		}
		for _, pair := range c.set {
			if name, _, _ := strings.Cut(pair, "="); !strings.Contains(source, `"`+name+`"`) {
				t.Errorf("%s:%d: no test in %s reads %s", c.name, c.line, folder, name)
			}
		}
	}
}

// testsIn returns the source of the tests in a folder, and in what it imports for tests,
// and the names of its tests and benchmarks.
func testsIn(t *testing.T, folder string, below bool) (source string, names []string) {
	t.Helper()
	root := inRepository(folder)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && !below:
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		source += string(text)
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil && (strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Benchmark")) {
				names = append(names, f.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for _, helper := range []string{"db/store/sampletest", "db/store/postgres/postgrestest"} {
		files, _ := filepath.Glob(inRepository(helper) + "/*.go") // the pattern is well formed
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil {
				source += string(text)
			}
		}
	}
	return source, names
}

// Commands within the text exist too, with their flags; commands of "go test" name tests
// that exist.
func TestCommandsWithinTheTextExist(t *testing.T) {
	t.Parallel()
	n := 0
	for _, name := range documents {
		d := readDocument(t, name)
		for _, block := range d.commands() {
			for _, c := range block {
				if args, ok := c.program(); ok {
					checkArguments(t, name, args)
				}
			}
		}
		for _, found := range spanForm.FindAllStringSubmatch(d.prose, -1) {
			c := documented{name: name, text: found[1], words: words(strings.ReplaceAll(found[1], "\n", " "))}
			if args, ok := c.program(); ok {
				n++
				checkArguments(t, name, args)
			} else if len(c.words) > 2 && c.words[0] == "go" && c.words[1] == "test" {
				n++
				c.checkTests(t)
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d were found", n)
	}
}

// checkArguments checks that the program knows the command and its flags.
func checkArguments(t *testing.T, name string, args []string) {
	t.Helper()
	ask := func(args ...string) string { _, help := ask(t, args...); return help }
	named, flags := []string(nil), []string(nil)
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") && arg != "-h" {
			flags = append(flags, arg)
		} else if len(flags) == 0 && arg != "-h" && arg != "…" {
			named = append(named, arg)
		}
	}
	if len(named) > 0 && !regexp.MustCompile(`(?m)^  dailies `+named[0]+`\b`).MatchString(ask("-h")) {
		t.Errorf("%s: there is no command %q", name, named[0])
		return
	}
	if len(flags) == 0 {
		return
	}
	help := ask(append(slices.Clone(named[:min(len(named), 2)]), "-h")...)
	for _, flag := range flags {
		if !regexp.MustCompile(`(?m)^  ` + flag + `\b`).MatchString(help) {
			t.Errorf("%s: dailies %s has no flag %s:\n%s", name, strings.Join(named, " "), flag, help)
		}
	}
}
