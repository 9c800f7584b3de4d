// Mutate changes single lines of the program at random and reports which changes the tests
// notice: go run ./.ci/mutate -seed 1 -n 5
//
// A change inverts a condition, drops a statement, swaps an operator, or returns nil
// instead of an error. The tests see it through go's -overlay; no file is written. A
// change that does not compile is replaced by another one. A seed makes the same choice
// as long as the files are the same. Only some changes are bound to be noticed: read
// those that are not, because a few alter no behaviour.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// An area is a part of the program with the tests that have to notice its changes, each
// as arguments of go test, or behind "quick" as those of a quick run. The fastest come first.
type area struct {
	name  string
	files *regexp.Regexp
	tests []string
}

const (
	guarded = "-run=TestEveryRoute|TestAViewer|TestEveryPage ./handlers"
	routes  = "-run=TestNoAnswer ./handlers" // takes longest
)

var areas = []area{
	{"watcher", regexp.MustCompile(`^handlers/watch/\w+\.go$`), []string{"quick ./handlers/watch", "-run=AFailingDatabase ./handlers/watch", "quick -run=Session|Provider|Mail|Forgot ./handlers/account", "quick -run=Thumbnail ./handlers"}},
	{"press", regexp.MustCompile(`^handlers/create/(press|bell|outcome|price|problem|retry|variations|batch)\w*\.go$`), []string{
		"quick -run=Press|Pays|Retry|Again|Resen|Variation|Batch|Table|Row|Price|Submission|Bells|Refus|Draft|Final|Ceiling|Credits|Column|Estimate|Scenes ./handlers/create",
		"quick ./handlers/create", guarded, routes,
	}},
	{"limits", regexp.MustCompile(`^(db/spending|db/store/(people|video)/(limit|purse|spending|task_price)|handlers/(create/ask|team/limits))\w*(/\w+)?\.go$`), []string{
		"quick ./db/spending", "quick -run=Limit|Spen|Permit|Ask|Usage|Viewer|Receipt|Total ./db/store/suite", "quick -run=Purse ./db/store/proof",
		"quick -run=Limit|Spen|Ask|Pays ./handlers/team ./handlers/create ./handlers/account", "quick ./db/store/suite ./db/store/proof", "quick ./handlers/team", guarded, routes,
	}},
	{"guards", regexp.MustCompile(`^handlers/site/(guard|entry|session|viewer|task|guess|throttle|reach)\w*\.go$`), []string{
		"quick ./handlers/site", guarded, "quick ./handlers/account", "quick ./handlers/create ./handlers/library", routes,
	}},
	{"shares", regexp.MustCompile(`^((db/gallery|db/store/video|handlers/(library|site))/shared?(_form)?|handlers/room/\w+)\.go$`), []string{
		"quick ./db/gallery", "quick ./handlers/room", "quick -run=Link|Title|Seal|Purge|Leav ./db/store/suite", "quick -run=Link|Share ./handlers/library",
		"quick ./db/store/suite ./handlers/library", guarded, routes,
	}},
	{"client", regexp.MustCompile(`^web/videoapi/\w+\.go$`), []string{"quick ./web/videoapi", "quick -run=TheServiceReceives ./handlers/create", "quick ./handlers/watch"}},
}

func main() {
	seed := flag.Uint64("seed", 1, "chooses the changes")
	n := flag.Int("n", 5, "changes per area")
	only := flag.String("area", "", "a single area")
	patience := flag.Duration("patience", 10*time.Minute, "after which tests of one package count as endless")
	flag.Parse()
	for _, a := range areas {
		if *only != "" && *only != a.name {
			continue
		}
		if err := a.mutate(*seed, *n, *patience); err != nil {
			fmt.Fprintln(os.Stderr, "mutate:", err)
			os.Exit(1)
		}
	}
}

// mutate tries n changes in the area and prints what became of them.
func (a area) mutate(seed uint64, n int, patience time.Duration) error {
	all, err := a.changes()
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	tried, caught, open := 0, 0, 0
	for _, c := range all {
		if tried == n {
			break
		}
		by, err := a.notices(c, patience)
		if err != nil {
			return err
		}
		if by == "" {
			continue // it does not compile
		}
		switch tried++; {
		case by == nobody:
		case strings.HasPrefix(by, endless):
			open++
		default:
			caught++
		}
		fmt.Printf("%s: %s:%d: %s: %s\n", a.name, c.file, c.line, c.what, by)
	}
	fmt.Printf("%s: %d of %d caught, %d did not end (seed %d, %d possible changes)\n", a.name, caught, tried, open, seed, len(all))
	return nil
}

// What becomes of a change that no test notices, or whose tests do not end: on a busy
// machine they may only be slow.
const (
	nobody  = "NOT CAUGHT"
	endless = "DID NOT END"
)

var (
	failed  = regexp.MustCompile(`--- FAIL: (\w+)`)
	running = regexp.MustCompile(`running tests:\s+(\w+)`) // printed after a timeout
)

// notices returns which test notices the change, nobody, endless, or "" if it does not
// compile. A test that fails only once is not believed.
func (a area) notices(c change, patience time.Duration) (by string, err error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, c.file): changed}})
	if err != nil {
		return "", err
	}
	for name, content := range map[string][]byte{changed: c.source, overlay: replace} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			return "", err
		}
	}
	if exec.Command("go", "build", "-overlay="+overlay, "./"+filepath.Dir(c.file)).Run() != nil {
		return "", nil
	}
	run := func(args ...string) (out []byte, ended bool, err error) {
		env := os.Environ()
		if args[0] == "quick" {
			env, args = append(env, "DAILIES_TESTS=quick"), args[1:]
		}
		test := exec.Command("go", append([]string{"test", "-vet=off", "-failfast", "-timeout=" + patience.String(), "-overlay=" + overlay}, args...)...)
		test.Env = env
		out, err = test.CombinedOutput()
		return out, !bytes.Contains(out, []byte("panic: test timed out")), err
	}
	for _, test := range a.tests {
		args := strings.Fields(test)
		out, ended, err := run(args...)
		name := failed.FindSubmatch(out)
		switch {
		case err == nil:
			continue
		case !ended:
			if hung := running.FindSubmatch(out); hung != nil {
				return endless + " in " + string(hung[1]), nil
			}
			return endless, nil
		case name == nil: // a panic, for example
			return "go test " + strings.TrimPrefix(test, "quick "), nil
		}
		if _, _, err := run(slices.Concat([]string{"-run=^" + string(name[1]) + "$"}, slices.DeleteFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-run=") }))...); err != nil {
			return string(name[1]), nil
		}
	}
	return nobody, nil
}

// A change is a changed source file.
type change struct {
	file, what string
	line       int
	source     []byte
}

// changes returns all possible changes in the area.
func (a area) changes() (all []change, err error) {
	err = filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !a.files.MatchString(path) || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, source, 0)
		if err != nil {
			return err
		}
		m := mutator{path: path, source: source, set: set}
		ast.Inspect(file, m.visit)
		all = append(all, m.found...)
		return nil
	})
	return all, err
}

// A mutator collects the changes of one file.
type mutator struct {
	path   string
	source []byte
	set    *token.FileSet
	found  []change
}

// add adds the change that replaces the source from one position to another.
func (m *mutator) add(what string, from, to token.Pos, by string) {
	start, end := m.set.Position(from), m.set.Position(to)
	changed := bytes.Join([][]byte{m.source[:start.Offset], []byte(by), m.source[end.Offset:]}, nil)
	was := strings.Join(strings.Fields(string(m.source[start.Offset:end.Offset])), " ")
	m.found = append(m.found, change{m.path, fmt.Sprintf("%s %.60s", what, was), start.Line, changed})
}

var swapped = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD,
}

func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return false // constants and tables are data
	case *ast.IfStmt:
		m.add("invert", n.Cond.Pos(), n.Cond.End(), "!("+m.text(n.Cond)+")")
	case *ast.BinaryExpr:
		if other, ok := swapped[n.Op]; ok {
			m.add("swap "+n.Op.String()+" in", n.Pos(), n.End(), m.text(n.X)+" "+other.String()+" "+m.text(n.Y))
		}
	case *ast.BlockStmt:
		for _, s := range n.List {
			m.drop(s)
		}
	case *ast.CaseClause:
		for _, s := range n.Body {
			m.drop(s)
		}
	case *ast.ReturnStmt:
		if last := len(n.Results) - 1; last >= 0 {
			if id, ok := n.Results[last].(*ast.Ident); ok && id.Name == "err" {
				m.add("return nil for", id.Pos(), id.End(), "nil")
			}
		}
	}
	return true
}

// drop adds the change without the statement, unless it logs or declares something.
func (m *mutator) drop(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return
		}
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt:
	default:
		return
	}
	if text := m.text(s); !strings.Contains(text, "Log.") && !strings.Contains(text, ".log.") {
		m.add("drop", s.Pos(), s.End(), "")
	}
}

func (m *mutator) text(n ast.Node) string {
	return string(m.source[m.set.Position(n.Pos()).Offset:m.set.Position(n.End()).Offset])
}
