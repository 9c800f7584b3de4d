package handlers_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// notRead are files that join words to texts that no person reads as a sentence.
var notRead = map[string]string{
	"../db/backup/move.go":      "a mark in the database says how far a move has come",
	"../db/secrets/guess.go":    "pairs of letters",
	"../db/secrets/vault.go":    "names of what is sealed",
	"../db/schedule/version.go": "names of versions in the database",
	"site/flash.go":             "the value of a cookie",
}

// Each sentence is one string with named values, so that it can be translated, and so
// that the names in it are isolated.
func TestSentencesAreNotJoinedFromPieces(t *testing.T) {
	for _, root := range []string{"../views", ".", "../db"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (d.Name() == "handlerstest" || d.Name() == "storybook" || path == filepath.Join("../db", "store")) {
				return fs.SkipDir
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || notRead[path] != "" {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, piece := range joined(t, path, string(text)) {
				t.Errorf("%s: a sentence is joined from pieces: %s", path, piece)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestJoinedSentencesAreFound(t *testing.T) {
	for expression, want := range map[string]bool{
		`"Sign in with " + provider`:                       true,
		`name + "."`:                                       true,
		`"Later: " + (title)`:                              true,
		`shown + ", " + rest`:                              true,
		`number(n) + " video" + "s"`:                       true,
		`noun + "s"`:                                       true,
		`fmt.Sprintf("%d %ss", n, noun)`:                   true,
		`fmt.Sprintf(because+"it has %d.", n)`:             true,
		`strings.Join(names, ", ")`:                        true,
		`than(" than the draft")`:                          true,
		`strings.Join(strings.Fields(text), " ")`:          false,
		`"One sentence that " + "stands in two lines."`:    false,
		`"/tasks/" + id`:                                   false,
		`"btn-" + kind`:                                    false,
		`fmt.Sprintf("Sign in with %s.", provider)`:        false,
		`format.Plural(n, "%s video", "%s videos")`:        false,
		`templruntime.WriteString(out, 1, "<b> and </b>")`: false,
	} {
		found := joined(t, "example.go", "package example\n\nvar _ = "+expression+"\n")
		if (len(found) > 0) != want {
			t.Errorf("%s: found %q", expression, found)
		}
	}
}

// joined returns the expressions of a Go file that join pieces of a sentence.
func joined(t *testing.T, path, text string) []string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	add := func(n ast.Node) {
		code := text[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset]
		found = append(found, strconv.Itoa(files.Position(n.Pos()).Line)+": "+strings.Join(strings.Fields(code), " "))
	}
	inner := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.ADD && !inner[n] {
				operands := addends(n, inner)
				if (slices.ContainsFunc(operands, isPiece) || endsSentence(operands[len(operands)-1])) && !all(operands, isText) {
					add(n)
				}
			}
		case *ast.AssignStmt:
			if n.Tok == token.ADD_ASSIGN && slices.ContainsFunc(addends(n.Rhs[0], inner), isPiece) {
				add(n)
			}
		case *ast.CallExpr:
			return !callsNobodyReads(n) && !joins(n, add)
		case *ast.BasicLit:
			if text, ok := literal(n); ok && !inner[n] && (begun.MatchString(verbs.ReplaceAllString(text, "X")) || pluralised.MatchString(text)) {
				add(n)
			}
		case *ast.ImportSpec, *ast.Field:
			return false
		}
		return true
	})
	return found
}

// joins reports a call that joins its arguments into a sentence.
func joins(call *ast.CallExpr, add func(ast.Node)) bool {
	if name(call.Fun) != "strings.Join" {
		return false
	}
	between, _ := literal(call.Args[1])
	if strings.TrimSpace(between) == "" || !strings.Contains(between, " ") { // words and codes have spaces between them
		return false
	}
	add(call)
	return true
}

// callsNobodyReads reports whether a call's texts are for the log or are HTML.
func callsNobodyReads(call *ast.CallExpr) bool {
	called := name(call.Fun)
	return called == "templruntime.WriteString" || called == "errors.New" || called == "fmt.Errorf" ||
		strings.HasPrefix(called, "slog.") || logs.MatchString(called) || strings.HasPrefix(called, "strings.Cut") || strings.HasPrefix(called, "strings.Has") || strings.HasPrefix(called, "strings.Trim") || called == "strings.Contains" || called == "templ_7745c5c3_Buffer.WriteString"
}

// addends returns what a chain of + adds, and marks the chain and its texts as seen.
func addends(e ast.Expr, seen map[ast.Node]bool) []ast.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return addends(e.X, seen)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			seen[e] = true
			return append(addends(e.X, seen), addends(e.Y, seen)...)
		}
	}
	seen[e] = isText(e)
	return []ast.Expr{e}
}

func all(list []ast.Expr, is func(ast.Expr) bool) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool { return !is(e) })
}

func isText(e ast.Expr) bool {
	_, ok := literal(e)
	return ok
}

func isPiece(e ast.Expr) bool {
	text, ok := literal(e)
	return ok && (text == "s" || !code.MatchString(text) && prose.MatchString(text))
}

func endsSentence(e ast.Expr) bool {
	text, _ := literal(e)
	return text == "."
}

// literal returns the text of a string literal.
func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}

// name returns the name of a function with its package, such as "strings.Join".
func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return name(e.X) + "." + e.Sel.Name
	}
	return ""
}

var (
	// prose matches text with a space, or with a letter beside a sentence's punctuation.
	prose = regexp.MustCompile(`\pL.* | .*\pL|^ ?[·,;:–] $|^ [·–]|\pL[,;!?…”]$`)
	// code matches text that is for a program: paths, classes, attributes, queries.
	code = regexp.MustCompile("[<>{}=/#_\\\\\"`&]")
	// begun matches text that continues another text, or that another continues.
	begun = regexp.MustCompile(`^[,;]? \pL[^\n]{3}|\pL{4}[,.;:]? $`)
	verbs = regexp.MustCompile(`%(\[\d\])?[sdqv]`)
	logs  = regexp.MustCompile(`[lL]og\.(Debug|Info|Warn|Error)$`)
	// pluralised matches a format that adds an "s" to a noun.
	pluralised = regexp.MustCompile(`%ss\b|%vs\b`)
)
