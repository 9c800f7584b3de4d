package store

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A value that a transaction could not read is zero. Whoever decides on it has to look at
// the error first; see engine.Tx.
func TestDecisionsLookAtTheErrorFirst(t *testing.T) {
	seen := 0
	for _, folder := range []string{".", "teamdb", "people", "video"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			found, decisions := unchecked(t, name, nil)
			seen += decisions
			for _, what := range found {
				t.Errorf("%s: it depends on what was read, and nothing has looked at the error", what)
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d decisions were found, which is too few", seen)
	}
}

func TestUncheckedDecisionsAreFound(t *testing.T) {
	for body, want := range map[string]int{
		`u := teamdb.Account(tx, 1); if u.IsActive() { tx.Exec("") }`:                                                1,
		`u := teamdb.Account(tx, 1); if tx.OK() && u.IsActive() { tx.Exec("") }`:                                     0,
		`u := teamdb.Account(tx, 1); tx.Exec(""); if !tx.OK() { return }; if u.IsActive() { f() }`:                   0,
		`if !tx.OK() { return }; u := teamdb.Account(tx, 1); if u.IsActive() { f() }`:                                1,
		`u := teamdb.Account(tx, 1); tx.Require(u.IsActive(), db.ErrConflict)`:                                       0,
		`var n int; tx.Row("").Scan(&n); if n > 3 { f() }`:                                                           1,
		`n := tx.About("x").Exec(""); m := n + 1; switch { case m > 3: f() }`:                                        1,
		`for { n := tx.Exec(""); if n == 0 { return } }`:                                                             1,
		`for n := 1; n > 0; { n = tx.Exec("") }`:                                                                     1,
		`if anySecondStep(tx, 1) { f() }`:                                                                            1,
		`look := s.db.Reading(ctx); n := look.Count(""); if n > 3 { f() }`:                                           1,
		`look := s.db.Reading(ctx); n := look.Count(""); if look.Err() == nil && n > 3 { f() }`:                      0,
		`list := engine.All(tx, nil, ""); for _, v := range list { if v > 3 { f() } }`:                               0,
		`tx.Exec(""); if given > 3 { f() }`:                                                                          0,
		`if tx.Row("").Find(&hash) { f(hash) }`:                                                                      0,
		`found := tx.Row("").Find(&hash); if !found { return }`:                                                      0,
		`var n int; err := s.db.Read(ctx, func(tx *engine.Tx) { n = tx.Count("") }); if n > 0 { f() }`:               1,
		`var n int; err := s.db.Read(ctx, func(tx *engine.Tx) { n = tx.Count("") }); if err == nil && n > 0 { f() }`: 0,
		`if team.ActorIn(tx.Context()).UserID != 0 { f() }`:                                                          0,
	} {
		source := "package p\nfunc f(tx *engine.Tx, given int) {\n" + body + "\n}\n"
		if found, _ := unchecked(t, "p.go", source); len(found) != want {
			t.Errorf("%s: %v, want %d", body, found, want)
		}
	}
}

// unchecked returns the places of decisions in the file that depend on what was read
// although nothing has looked at the error since, and how many decisions there are.
func unchecked(t *testing.T, name string, source any) (found []string, decisions int) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			w := decisionWalk{txs: map[string]bool{}, read: map[string]bool{}}
			w.parameters(f.Type)
			w.walk(f.Body)
			for _, pos := range w.found {
				found = append(found, files.Position(pos).String())
			}
			decisions += w.decisions
		}
	}
	return found, decisions
}

// A decisionWalk goes through a function in the order of its text.
type decisionWalk struct {
	txs       map[string]bool // the names of transactions
	read      map[string]bool // the names of what was read since the last look at the error
	found     []token.Pos
	decisions int
}

func (w *decisionWalk) parameters(f *ast.FuncType) {
	for _, p := range f.Params.List {
		if star, ok := p.Type.(*ast.StarExpr); ok && fmt.Sprint(star.X) == "&{engine Tx}" {
			for _, name := range p.Names {
				w.txs[name.Name] = true
			}
		}
	}
}

func (w *decisionWalk) walk(node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			w.parameters(n.Type)
		case *ast.IfStmt:
			w.parts(n.Init)
			w.decide(n.Cond)
			w.parts(n.Body, n.Else)
			return false
		case *ast.ForStmt:
			w.parts(n.Init, n.Body, n.Post) // the condition decides after each round, too
			if n.Cond != nil {
				w.decide(n.Cond)
			}
			return false
		case *ast.SwitchStmt:
			w.parts(n.Init)
			if n.Tag != nil {
				w.decide(n.Tag)
			}
			w.parts(n.Body)
			return false
		case *ast.CaseClause:
			for _, e := range n.List {
				w.decide(e)
			}
		case *ast.AssignStmt:
			w.assign(n)
		case *ast.CallExpr:
			w.call(n)
		}
		return true
	})
}

func (w *decisionWalk) parts(nodes ...ast.Node) {
	for _, n := range nodes {
		switch n := n.(type) {
		case nil:
		case *ast.BlockStmt:
			if n != nil {
				w.walk(n)
			}
		default:
			w.walk(n)
		}
	}
}

// assign marks what the statement sets as read, or as a transaction.
func (w *decisionWalk) assign(n *ast.AssignStmt) {
	kind := w.kind(n.Rhs...)
	for _, left := range n.Lhs {
		if name := root(left); name != "" && name != "_" {
			switch kind {
			case isTx:
				w.txs[name] = true
			case isRead:
				w.read[name] = true
			}
		}
	}
}

// call looks for destinations of rows, and for a look at the error.
func (w *decisionWalk) call(n *ast.CallExpr) {
	method := method(n)
	switch {
	case method == "OK" || method == "Err":
		clear(w.read)
	case method == "Scan" && w.kind(n.Fun) == isRead:
		for _, a := range n.Args {
			if name := root(a); name != "" {
				w.read[name] = true
			}
		}
	}
}

// decide reports the condition if it depends on what was read.
func (w *decisionWalk) decide(cond ast.Expr) {
	w.decisions++
	looks := false
	ast.Inspect(cond, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			looks = looks || method(n) == "OK" || method(n) == "Err"
		case *ast.Ident: // what the whole transaction has returned
			looks = looks || n.Name == "err"
		}
		return true
	})
	if !looks && w.kind(cond) == isRead {
		w.found = append(w.found, cond.Pos())
	}
	if w.walk(cond); looks {
		clear(w.read)
	}
}

type kind int

const (
	isOther kind = iota
	isTx
	isRead
)

// kind says what the expressions contain. Find tells itself whether it has read anything.
func (w *decisionWalk) kind(list ...ast.Expr) (k kind) {
	for _, e := range list {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.Ident:
				if w.read[n.Name] {
					k = isRead
				}
			case *ast.CallExpr:
				switch m := method(n); {
				case slices.Contains([]string{"Reading", "About", "In", "AsUser"}, m):
					k = max(k, isTx)
					return false
				case slices.Contains([]string{"OK", "Err", "Find", "Context"}, m):
					return false
				case w.txs[root(n.Fun)] || slices.ContainsFunc(n.Args, w.isTx):
					k = isRead
				}
			}
			return true
		})
	}
	return k
}

// isTx reports whether the argument is a transaction, or a view of one.
func (w *decisionWalk) isTx(argument ast.Expr) bool {
	if call, ok := argument.(*ast.CallExpr); ok && method(call) == "Context" {
		return false
	}
	return w.txs[root(argument)]
}

// method returns the name of the function or method that is called.
func method(n *ast.CallExpr) string {
	switch f := n.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.IndexExpr:
		if s, ok := f.X.(*ast.SelectorExpr); ok {
			return s.Sel.Name
		}
	}
	return ""
}

// root returns the name of the variable that the expression begins with.
func root(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return root(e.X)
	case *ast.IndexExpr:
		return root(e.X)
	case *ast.StarExpr:
		return root(e.X)
	case *ast.UnaryExpr:
		return root(e.X)
	case *ast.ParenExpr:
		return root(e.X)
	case *ast.CallExpr:
		if _, conversion := e.Fun.(*ast.ParenExpr); conversion && len(e.Args) == 1 {
			return root(e.Args[0])
		}
		return root(e.Fun)
	}
	return ""
}
