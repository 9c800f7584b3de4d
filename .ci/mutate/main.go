// Mutate changes single lines of the program at random and reports which changes the tests
// notice: go run ./.ci/mutate -seed 1 -n 5
//
// A change inverts a condition, drops a statement, swaps an operator, or returns nil
// instead of an error. All changes of an area are compiled into its tests at once, each
// behind a switch, and the variable MUTANT says which of them is made. A change that
// compiles only without a switch has a build of its own. Tests see changes through go's
// -overlay; no file is written. A change that does not compile is replaced by another one.
// A seed makes the same choice as long as the files are the same. Only some changes are
// bound to be noticed: read those that are not, because a few alter no behaviour.
package main

import (
	"bytes"
	"cmp"
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
	{"watcher", regexp.MustCompile(`^handlers/watch/\w+\.go$`),
		[]string{"quick ./handlers/watch", "-run=AFailingDatabase ./handlers/watch",
			"quick -run=Session|Provider|Mail|Forgot ./handlers/signin ./handlers/account", "quick -run=Thumbnail ./handlers"}},
	{"press", regexp.MustCompile(
		`^handlers/(press/(press|outcome|price|variations)|site/problem|create/retry|recipe/batch\w*)\.go$`,
	), []string{
		"quick -run=Press|Pays|Retry|Again|Resen|Variation|Batch|Table|Row|Price|Submission|Bells|Refus|Draft|Final|Ceiling|Credits|Column|Estimate|Scenes ./handlers/press ./handlers/create ./handlers/recipe",
		"quick ./handlers/press ./handlers/form ./handlers/create ./handlers/recipe", guarded, routes,
	}},
	{"limits", regexp.MustCompile(
		`^(db/spending|db/store/(people|video)/(limit|purse|spending|task_price)|handlers/(site/credit_request|team/spending))\w*(/\w+)?\.go$`,
	), []string{
		"quick ./db/spending", "quick -run=Limit|Spen|Permit|Ask|Usage|Viewer|Receipt|Total ./db/store/people ./db/store/video ./db/store",
		"quick -run=Purse ./db/store/proof",
		"quick -run=Limit|Spen|Ask|Pays ./handlers/team ./handlers/press ./handlers/create ./handlers/recipe ./handlers/account ./handlers/money", "quick ./db/store/people ./db/store/video ./db/store ./db/store/proof", "quick ./handlers/team", guarded, routes,
	}},
	{"guards", regexp.MustCompile(`^handlers/site/(guard|entry|session|viewer|task|guess|throttle|fetchable)\w*\.go$`), []string{
		"quick ./handlers/site", guarded, "quick ./handlers/signin ./handlers/account ./handlers/program",
		"quick ./handlers/create ./handlers/recipe ./handlers/cast ./handlers/gallery ./handlers/video ./handlers/story ./handlers/share",
		routes,
	}},
	{"shares", regexp.MustCompile(`^((db/gallery|db/store/video|handlers/site)/shared?|handlers/(share|room)/\w+)\.go$`), []string{
		"quick ./db/gallery", "quick ./handlers/room",
		"quick -run=Link|Title|Seal|Purge|Leav ./db/store/people ./db/store/video ./db/store",
		"quick -run=Link|Share ./handlers/share ./handlers/gallery ./handlers/video ./handlers/story",
		"quick ./db/store/people ./db/store/video ./db/store ./handlers/share ./handlers/gallery ./handlers/video ./handlers/story",
		guarded, routes,
	}},
	{"client", regexp.MustCompile(`^web/videoapi/\w+\.go$`),
		[]string{"quick ./web/videoapi", "quick -run=TheServiceReceives ./handlers/create", "quick ./handlers/watch"}},
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
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var chosen []*mutant
	for i, c := range all {
		if len(chosen) == n {
			break
		}
		m := &mutant{change: c, number: len(chosen) + 1}
		if m.alone, err = newBuild(filepath.Join(dir, fmt.Sprint("alone", i)), m); err != nil {
			return err
		}
		if m.alone.compiles() {
			chosen = append(chosen, m)
		}
	}
	together, err := switchTogether(dir, chosen)
	if err != nil {
		return err
	}
	caught, open := 0, 0
	for _, m := range chosen {
		by, err := a.notices(m, together, patience)
		if err != nil {
			return err
		}
		switch {
		case by == nobody:
		case strings.HasPrefix(by, endless):
			open++
		default:
			caught++
		}
		fmt.Printf("%s: %s:%d: %s: %s\n", a.name, m.file, m.line, m.what, by)
	}
	fmt.Printf("%s: %d of %d caught, %d did not end (seed %d, %d possible changes)\n", a.name, caught, len(chosen), open, seed, len(all))
	return nil
}

// A mutant is a change that is tried.
type mutant struct {
	change
	number   int    // what MUTANT must be
	alone    *build // only this change, without a switch
	switched bool   // whether the common build has it
}

// A build compiles tests with other source files.
type build struct {
	dir      string
	packages []string // those that are changed
	tests    map[string]string
}

// variable says which change of a common build is made.
const variable = "MUTANT"

// switches is added to each package of a common build. Its functions make a change, or not.
const switches = `
import (
	"cmp"
	"os"
	"strconv"
)

var mutantChosen, _ = strconv.Atoi(os.Getenv("` + variable + `"))

func mutantIs(n int) bool { return mutantChosen == n }

func mutantErr(n int, err error) error {
	if mutantIs(n) {
		return nil
	}
	return err
}

func mutantAnd(n int, x bool, y func() bool) bool {
	if mutantIs(n) {
		return x || y()
	}
	return x && y()
}

func mutantOr(n int, x bool, y func() bool) bool {
	if mutantIs(n) {
		return x && y()
	}
	return x || y()
}

func mutantLess[T cmp.Ordered](n int, x, y T) bool { return x < y || mutantIs(n) && x == y }

func mutantAtMost[T cmp.Ordered](n int, x, y T) bool { return x < y || !mutantIs(n) && x == y }

func mutantMore[T cmp.Ordered](n int, x, y T) bool { return x > y || mutantIs(n) && x == y }

func mutantAtLeast[T cmp.Ordered](n int, x, y T) bool { return x > y || !mutantIs(n) && x == y }

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

func mutantAdd[T mutantNumber](n int, x, y T) T {
	if mutantIs(n) {
		return x - y
	}
	return x + y
}

func mutantSub[T mutantNumber](n int, x, y T) T {
	if mutantIs(n) {
		return x + y
	}
	return x - y
}
`

// newBuild writes the changed files into a new folder: those of one change as it is, and
// those of several with a switch for each.
func newBuild(dir string, mutants ...*mutant) (*build, error) {
	b := &build{dir: dir, tests: map[string]string{}}
	root, err := os.Getwd()
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	replace := map[string]string{}
	write := func(file string, content []byte) error {
		changed := filepath.Join(dir, fmt.Sprint(len(replace), ".go"))
		replace[filepath.Join(root, file)] = changed
		return os.WriteFile(changed, content, 0o600)
	}
	byFile := map[string][]*mutant{}
	for _, m := range mutants {
		byFile[m.file] = append(byFile[m.file], m)
	}
	for file, here := range byFile {
		folder := filepath.Dir(file)
		if len(mutants) == 1 && !here[0].switched {
			err = write(file, here[0].apply([]edit{here[0].plain}))
		} else {
			var edits []edit
			for _, m := range here {
				for _, e := range m.switching {
					e.text = strings.ReplaceAll(e.text, "#", fmt.Sprint(m.number))
					edits = append(edits, e)
				}
			}
			err = write(file, here[0].apply(edits))
			if added := filepath.Join(folder, "mutant_switches.go"); err == nil && replace[filepath.Join(root, added)] == "" {
				err = write(added, []byte("package "+here[0].in+"\n"+switches))
			}
		}
		if err != nil {
			return nil, err
		}
		if !slices.Contains(b.packages, folder) {
			b.packages = append(b.packages, folder)
		}
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return b, os.WriteFile(b.overlay(), overlay, 0o600)
}

func (b *build) overlay() string { return filepath.Join(b.dir, "overlay.json") }

// compiles reports whether the changed packages compile.
func (b *build) compiles() bool {
	for _, p := range b.packages {
		if exec.Command("go", "build", "-overlay="+b.overlay(), "./"+p).Run() != nil {
			return false
		}
	}
	return true
}

// switchTogether returns a build with all changes that compile with a switch, and marks
// these.
func switchTogether(dir string, chosen []*mutant) (*build, error) {
	for _, m := range chosen {
		m.switched = true
	}
	together, err := newBuild(filepath.Join(dir, "together"), chosen...)
	if err != nil || together.compiles() {
		return together, err
	}
	var all []*mutant
	for _, m := range chosen {
		b, err := newBuild(filepath.Join(dir, fmt.Sprint("switched", m.number)), m)
		if err != nil {
			return nil, err
		}
		if m.switched = b.compiles(); m.switched {
			all = append(all, m)
		}
	}
	return newBuild(filepath.Join(dir, "most"), all...)
}

// test returns the path of the package's tests, which are compiled once.
func (b *build) test(pkg string) (string, error) {
	if path := b.tests[pkg]; path != "" {
		return path, nil
	}
	path := filepath.Join(b.dir, strings.NewReplacer("/", "-", ".", "").Replace(pkg)+".test")
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay="+b.overlay(), "-o", path, pkg).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", pkg, err, out)
	}
	b.tests[pkg] = path
	return path, nil
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

// notices returns which test notices the change, nobody, or endless. A test that fails only
// once is not believed, nor one of the common build that fails without the change.
func (a area) notices(m *mutant, together *build, patience time.Duration) (by string, err error) {
	b := m.alone
	if m.switched {
		b = together
	}
	for _, test := range a.tests {
		only, packages, env := "", []string{}, os.Environ()
		for _, word := range strings.Fields(test) {
			switch {
			case word == "quick":
				env = append(env, "DAILIES_TESTS=quick")
			case strings.HasPrefix(word, "-run="):
				only = strings.TrimPrefix(word, "-run=")
			default:
				packages = append(packages, word)
			}
		}
		for _, pkg := range packages {
			path, err := b.test(pkg)
			if err != nil {
				return "", err
			}
			run := func(number int, only string, env []string) ([]byte, error) {
				c := exec.Command(path, "-test.failfast", "-test.timeout="+patience.String(), "-test.paniconexit0", "-test.run="+only)
				c.Dir, c.Env = pkg, append(slices.Clip(env), fmt.Sprint(variable, "=", number))
				return c.CombinedOutput()
			}
			out, err := run(m.number, only, env)
			name := failed.FindSubmatch(out)
			switch {
			case err == nil:
				continue
			case bytes.Contains(out, []byte("panic: test timed out")):
				if hung := running.FindSubmatch(out); hung != nil {
					return endless + " in " + string(hung[1]), nil
				}
				return endless, nil
			case name == nil: // a panic, for example
				return "go test " + strings.TrimPrefix(test, "quick "), nil
			}
			again := "^" + string(name[1]) + "$"
			if _, err := run(m.number, again, env); err == nil {
				continue
			}
			if _, err := run(0, again, env); err == nil || !m.switched {
				return string(name[1]), nil
			}
		}
	}
	return nobody, nil
}

// A change is a change of a source file.
type change struct {
	file, in, what string // in is the name of its package
	line           int
	source         []byte // without the change
	plain          edit
	switching      []edit // make the change where MUTANT is #
}

// An edit replaces a part of a source file, or inserts a text.
type edit struct {
	from, to int
	text     string
	// Edits at the same place come in this order: those behind something, the innermost
	// first; those in place of something; and those before something, the outermost first.
	order int
}

// apply returns the source with the edits.
func (c change) apply(edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Or(a.from-b.from, a.order-b.order) })
	var changed []byte
	at := 0
	for _, e := range edits {
		changed = append(append(changed, c.source[at:e.from]...), e.text...)
		at = e.to
	}
	return append(changed, c.source[at:]...)
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
		m := mutator{path: path, in: file.Name.Name, source: source, set: set}
		ast.Inspect(file, m.visit)
		all = append(all, m.found...)
		return nil
	})
	return all, err
}

// A mutator collects the changes of one file.
type mutator struct {
	path, in string
	source   []byte
	set      *token.FileSet
	found    []change
}

// add adds the change that replaces the source from one position to another. With a switch,
// the source stands between the text before and the text after, and has the text instead in
// place of the operator, if any.
func (m *mutator) add(what string, n ast.Node, by, before, after string, operator token.Pos, instead string) {
	start, end := m.set.Position(n.Pos()), m.set.Position(n.End())
	was := strings.Join(strings.Fields(m.text(n)), " ")
	outer := len(m.found) + 1 // those found later are within this one, or elsewhere
	switching := []edit{{start.Offset, start.Offset, before, outer}, {end.Offset, end.Offset, after, -outer}}
	if b, ok := n.(*ast.BinaryExpr); ok && instead != "" {
		at := m.set.Position(operator).Offset
		switching = append(switching, edit{at, at + len(b.Op.String()), instead, 0})
	}
	m.found = append(m.found, change{
		file: m.path, in: m.in, what: fmt.Sprintf("%s %.60s", what, was), line: start.Line, source: m.source,
		plain: edit{start.Offset, end.Offset, by, 0}, switching: switching,
	})
}

// An exchange says what becomes of an operator: the other one, or a call of a function with a
// switch that has both operands, the second as it is or as a function.
type exchange struct {
	other    token.Token
	function string
	late     bool
}

var exchanges = map[token.Token]exchange{
	token.EQL: {other: token.NEQ}, token.NEQ: {other: token.EQL},
	token.LSS: {token.LEQ, "mutantLess", false}, token.LEQ: {token.LSS, "mutantAtMost", false},
	token.GTR: {token.GEQ, "mutantMore", false}, token.GEQ: {token.GTR, "mutantAtLeast", false},
	token.LAND: {token.LOR, "mutantAnd", true}, token.LOR: {token.LAND, "mutantOr", true},
	token.ADD: {token.SUB, "mutantAdd", false}, token.SUB: {token.ADD, "mutantSub", false},
}

func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return false // constants and tables are data
	case *ast.IfStmt:
		m.add("invert", n.Cond, "!("+m.text(n.Cond)+")", "(mutantIs(#) != (", "))", 0, "")
	case *ast.BinaryExpr:
		x, ok := exchanges[n.Op]
		if !ok {
			break
		}
		what, by := "swap "+n.Op.String()+" in", m.text(n.X)+" "+x.other.String()+" "+m.text(n.Y)
		switch {
		case x.function == "":
			m.add(what, n, by, "(mutantIs(#) != (", "))", 0, "")
		case x.late:
			m.add(what, n, by, x.function+"(#, ", ")})", n.OpPos, ", func() bool { return (")
		default:
			m.add(what, n, by, x.function+"(#, ", ")", n.OpPos, ", ")
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
				m.add("return nil for", id, "nil", "mutantErr(#, ", ")", 0, "")
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
		m.add("drop", s, "", "if !mutantIs(#) { ", " }", 0, "")
	}
}

func (m *mutator) text(n ast.Node) string {
	return string(m.source[m.set.Position(n.Pos()).Offset:m.set.Position(n.End()).Offset])
}
