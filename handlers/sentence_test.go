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
	"api/guard.go":              "headers that programs read",
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

// The stores join queries, so that only what they write into the audit is read here.
func TestTextsOfTheAuditAreNotJoinedFromPieces(t *testing.T) {
	read := 0
	err := filepath.WalkDir("../db/store", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "postgres" || d.Name() == "sqlite") {
			return fs.SkipDir // the engines write no entries
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		texts, pieces := audited(t, path, string(text))
		read += texts
		for _, piece := range pieces {
			t.Errorf("%s: a text of the audit is joined from pieces: %s", path, piece)
		}
		return nil
	})
	must(t, err)
	if read < 50 {
		t.Errorf("only %d texts of the audit were found", read)
	}
}

func TestJoinedTextsOfTheAuditAreFound(t *testing.T) {
	for statement, want := range map[string]bool{
		`teamdb.Record(tx, audit.Entry{What: "by " + method})`:                   true,
		`e := audit.Entry{After: role + other}`:                                  true,
		`e := audit.Entry{Before: strings.Join(before, ", ")}`:                   true,
		`e.What = what; what += ", shared links end"`:                            true,
		`teamdb.Record(tx, audit.Entry{What: fmt.Sprintf("video %d", t.ID)})`:    false,
		`e := audit.Entry{Action: audit.NoticesChosen, After: format.List(all)}`: false,
		`where += " AND " + condition`:                                           false,
	} {
		_, found := audited(t, "example.go", "package example\n\nfunc _() {\n"+statement+"\n}\n")
		if (len(found) > 0) != want {
			t.Errorf("%s: found %q", statement, found)
		}
	}
}

// audited returns how many texts of entries of the audit a Go file has, and those that
// are joined from pieces. A text that += continues counts if it does not look like a query.
func audited(t *testing.T, path, text string) (texts int, pieces []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	must(t, err)
	add := func(n ast.Node) {
		code := text[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset]
		pieces = append(pieces, strconv.Itoa(files.Position(n.Pos()).Line)+": "+code)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if n.Type == nil || name(n.Type) != "audit.Entry" {
				return true
			}
			for _, field := range n.Elts {
				pair, ok := field.(*ast.KeyValueExpr)
				if !ok || !slices.Contains([]string{"What", "Before", "After"}, name(pair.Key)) {
					continue
				}
				texts++
				ast.Inspect(pair.Value, func(n ast.Node) bool {
					if sum, ok := n.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
						add(n)
						return false
					}
					call, ok := n.(*ast.CallExpr)
					return !ok || !joins(call, add)
				})
			}
		case *ast.AssignStmt:
			if n.Tok == token.ADD_ASSIGN && slices.ContainsFunc(addends(n.Rhs[0], map[ast.Node]bool{}), addsWords) {
				add(n)
			}
		}
		return true
	})
	return texts, pieces
}

// addsWords reports whether an expression is a text with words that are not of a query.
func addsWords(e ast.Expr) bool {
	text, ok := literal(e)
	return ok && isPiece(e) && !query.MatchString(text)
}

var query = regexp.MustCompile(`\b(AND|OR|IN|NOT|SELECT|FROM|WHERE|UNION|ORDER|DESC)\b`)

func TestSentencesOfScriptsAreNotJoinedFromPieces(t *testing.T) {
	files, err := filepath.Glob("../static/*.js")
	must(t, err)
	if len(files) < 10 {
		t.Fatalf("only %d scripts were found", len(files))
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		must(t, err)
		for line := range strings.Lines(string(text)) {
			if joinedInScript(line) {
				t.Errorf("%s: a sentence is joined from pieces: %s", path, strings.TrimSpace(line))
			}
		}
	}
}

func TestJoinedSentencesOfScriptsAreFound(t *testing.T) {
	for line, want := range map[string]bool{
		`say("Sound: " + name);`:                 true,
		`say(name + " is ready");`:               true,
		`say(text + ".");`:                       true,
		`say(names + ", and more");`:             true,
		"say(`Sound: ${name}`);":                 false,
		`get("/tasks/" + id + "/status");`:       false,
		`localStorage.getItem("dailies " + key)`: false,
		`find("#open-" + name + " .text")`:       false,
		`style.height = height + 2 + "px";`:      false,
	} {
		if joinedInScript(line) != want {
			t.Errorf("%s: want %t", line, want)
		}
	}
}

// joinedInScript reports whether a line of a script adds to a sentence, or a piece of one
// to something.
func joinedInScript(line string) bool {
	return slices.ContainsFunc(joinedTexts.FindAllStringSubmatch(line, -1), func(m []string) bool { return m[1] != "" || !code.MatchString(m[2]) && !selector.MatchString(m[2]) })
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

// What a handler has to say stands where it is shown, or in the table of its package, so
// that all sentences are found and translated together. Only the titles of pages stand
// beside what draws them, and those of a page that asks for the password in the row of the route.
func TestHandlersTakeTheirSentencesFromTables(t *testing.T) {
	for _, folder := range append([]string{"handlers/watch", "db/option"}, handlerFolders...) {
		files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
		must(t, err)
		if len(files) == 0 {
			t.Errorf("%s has no Go files", folder)
		}
		for _, path := range files {
			if filepath.Base(path) != "sentence.go" && !strings.HasSuffix(path, "_test.go") {
				text, err := os.ReadFile(path)
				must(t, err)
				for _, sentence := range saidIn(t, path, string(text)) {
					t.Errorf("%s: it belongs to a page, or to sentence.go: %s", path, sentence)
				}
			}
		}
	}
}

func TestSentencesOfHandlersAreFound(t *testing.T) {
	for statement, want := range map[string]bool{
		`h.refuse(w, "Choose a file first.")`:                                true,
		`h.back(w, "Saved.")`:                                                true,
		`said = "20 pictures at most"`:                                       true,
		`errs["name"] = fmt.Sprintf("“%s” is taken.", name)`:                 true,
		`fmt.Fprintf(&list, "The file of video %d is missing.\r\n", t.ID)`:   true,
		`h.pages.Draw(w, r, status, "Make a video", show)`:                   false,
		`h.pages.Draw(w, r, status, fmt.Sprintf("Limit of %s", name), show)`: false,
		`h.pages.Draw(w, r, status, title, func() { say("Not a title") })`:   true,
		`h.reauth.Require("Make a token?", "Make token", h.AddToken)`:        false,
		`h.log.Error("Cannot keep a draft")`:                                 false,
		`w.Header().Set("Content-Type", "text/plain")`:                       false,
		`tries.Take(fmt.Sprintf("%s from %s", kind, address))`:               false,
	} {
		found := saidIn(t, "example.go", "package example\n\nfunc _() {\n"+statement+"\n}\n")
		if (len(found) > 0) != want {
			t.Errorf("%s: found %q", statement, found)
		}
	}
}

// saidIn returns the sentences of a Go file that people read, without titles of pages.
func saidIn(t *testing.T, path, text string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	titles := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if called := name(n.Fun); slices.Contains([]string{"Draw", "Frame", "Require"}, called[strings.LastIndex(called, ".")+1:]) {
				for _, arg := range n.Args {
					if call, ok := arg.(*ast.CallExpr); ok && name(call.Fun) == "fmt.Sprintf" {
						arg = call.Args[0]
					}
					titles[arg] = true
				}
			}
			return !callsNobodyReads(n)
		case *ast.ImportSpec, *ast.Field:
			return false
		case *ast.BasicLit:
			if text, ok := literal(n); ok && !titles[n] && sentence.MatchString(strings.TrimSpace(text)) && !routed.MatchString(text) {
				found = append(found, text)
			}
		}
		return true
	})
	return found
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
	// sentence matches text of several words, or that ends like a sentence.
	sentence = regexp.MustCompile(`^[“‘]?(?:\p{Lu}|\d+ \p{Ll}).* \S*\pL{2}|^[“‘]?(?:\p{Lu}|\d|%).*[.!?…]$`)
	routed   = regexp.MustCompile(`^[A-Z]+ /`)
	// joinedTexts matches a text of a script that begins a sentence and is continued, and
	// one that continues something.
	joinedTexts = regexp.MustCompile(`"(\p{Lu}[^"]*)" ?\+|\+ ?"([ ,;:·–][^"]*\pL[^"]*|[.!?…])"`)
	selector    = regexp.MustCompile(`^ ?[.\[:]\S`)
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
