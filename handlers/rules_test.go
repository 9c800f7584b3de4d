package handlers_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
	"testing"
)

// What is wrong with a value stands in the rules of its field, which site.ReadForm reads. Only
// what the store, the catalogue or the service says is for handlers.
func TestHandlersLeaveRulesToTheFields(t *testing.T) {
	for name, file := range sources(t) {
		if !slices.Contains(handlerFolders, path.Dir(name)) || path.Dir(name) == "handlers/site" {
			continue
		}
		for _, f := range judging(file) {
			t.Errorf("%s: %s decides by itself what is wrong with a value: give the field a rule", name, f)
		}
	}
}

// judging returns the functions that give a field a sentence because of what was typed.
func judging(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			var conditions []ast.Expr
			var body []ast.Stmt
			switch n := n.(type) {
			case *ast.IfStmt:
				conditions, body = []ast.Expr{n.Cond}, n.Body.List
			case *ast.CaseClause:
				conditions, body = n.List, n.Body
			}
			for _, s := range body {
				set, ok := s.(*ast.AssignStmt)
				if !ok {
					continue
				}
				for _, to := range set.Lhs {
					field, is := strings.CutSuffix(types.ExprString(to), ".Error")
					if is && slices.ContainsFunc(conditions, func(e ast.Expr) bool { return readsTyped(e, field) }) {
						names = append(names, f.Name.Name)
					}
				}
			}
			return true
		})
	}
	return slices.Compact(names)
}

// readsTyped reports whether the expression reads the value of the field, or a form.
func readsTyped(e ast.Expr, field string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			found = found || types.ExprString(s) == field+".Value" || strings.HasSuffix(s.Sel.Name, "FormValue")
		}
		return true
	})
	return found
}

func TestRulesInHandlersAreFound(t *testing.T) {
	for body, want := range map[string]bool{
		`if form.Title.Value == "" { form.Title.Error = missing }`:                     true,
		`if len(form.Title.Value) > 9 { form.Title.Error, valid = long, false }`:       true,
		`switch { case strings.TrimSpace(f.Name.Value) == "": f.Name.Error = none }`:   true,
		`if r.PostFormValue("code") == "" { form.Code.Error = missing }`:               true,
		`if errors.Is(err, db.ErrConflict) { form.Name.Error = taken }`:                false,
		`if form.Which.Value == "own" { valid = site.ReadForm(r, &form.Credits) }`:     false,
		`if err := t.store.Name(form.Name.Value); err != nil { form.Name.Error = no }`: false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", fmt.Sprintf("package p\nfunc f() { %s }", body), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(judging(file)) > 0; got != want {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
}
