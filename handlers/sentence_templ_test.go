package handlers_test

import (
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ/parser/v2"
)

// A page shows a sentence with values or markup in it by means of package say, or of a
// function that formats it. Words beside a value would be a piece of a sentence.
func TestSentencesOfPagesAreNotJoinedFromPieces(t *testing.T) {
	read := 0
	for path, text := range files(t, "../views", ".templ") {
		read++
		for _, piece := range joinedInTempl(t, text) {
			t.Errorf("%s:%s", path, piece)
		}
	}
	if read < 50 {
		t.Errorf("only %d pages were read", read)
	}
}

func TestJoinedSentencesOfPagesAreFound(t *testing.T) {
	for page, want := range map[string]bool{
		`<p>Made by { name }</p>`:                                            true,
		`<p>{ name } made it</p>`:                                            true,
		`<p>{ width } × { height }</p>`:                                      true,
		`<p>({ name })</p>`:                                                  true,
		`<p>{ name }.</p>`:                                                   true,
		`<p>It’s on. { rest }</p>`:                                           true,
		`<p>Made by <b>{ name }</b></p>`:                                     true,
		`<p><b>{ name }</b> made it</p>`:                                     true,
		`<p>{ name }<span> made it</span></p>`:                               true,
		`<p><b>{ name }</b><span> made it</span></p>`:                        true,
		`<button>Copy<span class="offscreen">{ name }</span></button>`:       true,
		`<button>Copy<span class="offscreen"> the link</span></button>`:      true,
		`<p>Choose <b>Save</b> below</p>`:                                    true,
		"<p>\nadded\n@part.TimeAgo(at, now)\n</p>":                           true,
		"<p>\n@part.TimeAgo(at, now)\n, again\n</p>":                         true,
		"<p>\nMade with\nif deleted {\nit\n} else {\n{ name }\n}\n</p>":      true,
		"<p>\nif known {\n{ name }\n}\nmade it\n</p>":                        true,
		"<p>\nfor _, n := range names {\n{ n },\n}\n</p>":                    true,
		`<p>{ fmt.Sprintf("%s · ", name) }</p>`:                              true,
		`<p>{ fmt.Sprintf(" by %s", name) }</p>`:                             true,
		`<p>{ name + " made it" }</p>`:                                       true,
		`<p>{ "by " + name }</p>`:                                            true,
		`<p>{ " · " }</p>`:                                                   true,
		`<p>{ first } { second }</p>`:                                        false,
		`<p>{ fmt.Sprintf("Made by %s", name) }</p>`:                         false,
		`<p><b>No account yet?</b> Ask an admin.</p>`:                        false,
		`<dt>Maker</dt><dd>{ name }</dd>`:                                    false,
		`<section><b>{ number }</b><span>credits came back</span></section>`: false,
		`<p><b>For admins.</b> { notice }</p>`:                               false,
		`<h2>Requests <span class="count">{ number }</span></h2>`:            false,
		`<span class="pill">Paid by { name }</span>`:                         true,
		`<p>Made by</p><p>{ name }</p>`:                                      false,
		`<label>Name<input name="name"/></label>{ hint }`:                    false,
		"<button>\n@part.Trash()\nDelete\n</button>":                         false,
		"<p>\nif on {\nOn\n} else {\n{ since }\n}\n</p>":                     false,
		"<p>\n@say.Sentence(\"By {name}\", say.Text(\"name\", name))\n</p>":  false,
		`<span aria-hidden="true">#</span>{ number }`:                        false,
	} {
		found := joinedInTempl(t, "package example\n\ntempl show() {\n"+page+"\n}\n")
		if (len(found) > 0) != want {
			t.Errorf("%s: found %q", page, found)
		}
	}
}

// A value for which a sentence has no place, and a place without a value, are errors.
func TestNoValueOfASentenceIsLost(t *testing.T) {
	read := 0
	for path, text := range files(t, "../views", ".go") {
		if filepath.Dir(path) == "../views/say" {
			continue
		}
		said, wrong := placesOf(t, path, text)
		read += said
		for _, w := range wrong {
			t.Errorf("%s: %s", path, w)
		}
	}
	if read < 30 {
		t.Errorf("only %d sentences were read", read)
	}
}

func TestLostValuesOfSentencesAreFound(t *testing.T) {
	for call, want := range map[string]bool{
		`say.Sentence("By {name}", say.Text("name", n))`:                                          false,
		`say.Sentence("By <b>{name}</b>", say.Bold("b"), say.Name("name", n))`:                    false,
		`say.Sentence(format.Plural(n, "%s of {of}", "%s of {of}"), say.Text("of", o))`:           false,
		`say.Sentence("By {name}")`:                                                               true,
		`say.Sentence("By you", say.Text("name", n))`:                                             true,
		`say.Sentence("By {name} and {other}", say.Text("name", n))`:                              true,
		`say.Sentence("By <b>you", say.Bold("b"))`:                                                true,
		`say.Sentence("By {name", say.Text("name", n))`:                                           true,
		`say.Sentence("By {name}", say.Text("name", n), say.Text("name", o))`:                     true,
		`say.Sentence("By <name></name>", say.Text("name", n))`:                                   true,
		`say.Sentence(by(n), say.Text("name", n))`:                                                true,
		`say.Sentence("By {name}", named(n))`:                                                     true,
		`say.Sentence("By {name}", say.Text(key, n))`:                                             true,
		`say.Sentence("By {name}", places...)`:                                                    true,
		`say.Sentence(format.Plural(n, "%s of {of}", "One"), say.Text("of", o))`:                  true,
		`say.Sentence(format.Plural(n, "%s of {of}", "%s of {of} by %s", by), say.Text("of", o))`: true,
	} {
		_, wrong := placesOf(t, "example.go", "package example\n\nvar _ = "+call+"\n")
		if (len(wrong) > 0) != want {
			t.Errorf("%s: found %q", call, wrong)
		}
	}
}

// files returns the text of all files below the folder with the extension.
func files(t *testing.T, root, extension string) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "storybook" {
			return fs.SkipDir
		}
		if filepath.Ext(path) == extension && !strings.HasSuffix(path, "_test.go") {
			text, err := os.ReadFile(path)
			found[path] = string(text)
			return err
		}
		return nil
	}))
	return found
}

// placesOf returns how many sentences of a Go file are said with places, and those whose
// places are not exactly the values that they are given.
func placesOf(t *testing.T, path, text string) (said int, wrong []string) {
	t.Helper()
	file, err := goparser.ParseFile(token.NewFileSet(), path, text, goparser.SkipObjectResolution)
	must(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || name(call.Fun) != "say.Sentence" {
			return true
		}
		said++
		sentences, ok := formsOf(call.Args[0])
		given, known := placesGiven(call.Args[1:])
		if !ok || !known || call.Ellipsis.IsValid() {
			wrong = append(wrong, fmt.Sprintf("only texts can be checked: sentence %d", said))
		}
		for _, s := range sentences {
			if want := placesIn(s); !slices.Equal(want, given) {
				wrong = append(wrong, fmt.Sprintf("%q has the places %q, but is given %q", s, want, given))
			}
		}
		return true
	})
	return said, wrong
}

// formsOf returns the text, or the two forms of a plural whose only value is the number.
func formsOf(e ast.Expr) (all []string, ok bool) {
	forms := []ast.Expr{e}
	if call, is := e.(*ast.CallExpr); is && strings.HasSuffix(name(call.Fun), "Plural") && len(call.Args) == 3 {
		forms = call.Args[1:]
	}
	for _, form := range forms {
		text, is := literal(form)
		if !is {
			return nil, false
		}
		all = append(all, text)
	}
	return all, true
}

// around are the functions of package say whose places surround words.
var around = []string{"say.Around", "say.Offscreen", "say.Bold", "say.Hint", "say.IfWide", "say.Code", "say.Key", "say.Link"}

// placesGiven returns the places for which there are values, in order.
func placesGiven(values []ast.Expr) (given []string, known bool) {
	for _, v := range values {
		call, ok := v.(*ast.CallExpr)
		if !ok || !strings.HasPrefix(name(call.Fun), "say.") {
			return nil, false
		}
		place, ok := literal(call.Args[0])
		if !ok {
			return nil, false
		}
		if slices.Contains(around, name(call.Fun)) {
			given = append(given, "<"+place+">", "</"+place+">")
		} else {
			given = append(given, "{"+place+"}")
		}
	}
	slices.Sort(given)
	return given, true
}

var places = regexp.MustCompile(`\{\w*\}?|</?\w*>?|[}>]`)

// placesIn returns the places of a sentence, each once, in order.
func placesIn(sentence string) []string {
	all := places.FindAllString(sentence, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

// A piece is text of a page, or a value in it.
type piece struct {
	text  string            // empty for a value
	in    []*parser.Element // the elements around it, within its paragraph
	value bool
}

// joinedInTempl returns the lines of a templ file where words stand beside a value, or beside
// other words that markup separates from them, in one sentence.
func joinedInTempl(t *testing.T, text string) []string {
	t.Helper()
	file, err := parser.ParseString(text)
	must(t, err)
	r := reader{}
	for _, n := range file.Nodes {
		if page, ok := n.(*parser.HTMLTemplate); ok {
			r.read(page.Children, nil, nil)
		}
	}
	return r.found
}

type reader struct{ found []string }

// read reads nodes that follow the pieces before them, of which there are several after an
// if. It returns those that end the nodes.
func (r *reader) read(nodes []parser.Node, in []*parser.Element, before []piece) []piece {
	space := ""
	for _, n := range nodes {
		switch n := n.(type) {
		case *parser.Whitespace:
			if !strings.Contains(n.Value, "\n") {
				space = " "
			}
		case *parser.Text:
			before = r.add(before, piece{text: space + n.Value, in: in}, n.Range)
		case *parser.StringExpression:
			before = r.expression(before, n, in)
		case *parser.Element:
			before = r.element(before, n, in)
		case *parser.TemplElementExpression:
			switch {
			case n.Children != nil:
				r.read(n.Children, nil, nil)
				before = nil
			case holdsValue(n.Expression.Value):
				before = r.add(before, piece{value: true, in: append(slices.Clip(in), &parser.Element{})}, n.Range)
			}
		case *parser.ChildrenExpression:
			before = r.add(before, piece{value: true, in: in}, n.Range)
		case *parser.IfExpression:
			after := r.read(n.Then, in, before)
			for _, e := range n.ElseIfs {
				after = append(after, r.read(e.Then, in, before)...)
			}
			before = append(after, r.read(n.Else, in, before)...) // those before it if there is no else
		case *parser.SwitchExpression:
			var after []piece
			for _, c := range n.Cases {
				after = append(after, r.read(c.Children, in, before)...)
			}
			before = append(after, before...)
		case *parser.ForExpression:
			after := r.read(n.Children, in, before)
			before = append(r.read(n.Children, in, after), before...)
		}
	}
	return before
}

// inline are the elements within a sentence.
var inline = []string{"a", "abbr", "b", "bdi", "cite", "code", "em", "i", "kbd", "mark", "q", "s", "small", "span", "strong", "time", "u"}

func (r *reader) element(before []piece, e *parser.Element, in []*parser.Element) []piece {
	switch {
	case !slices.Contains(inline, e.Name) || has(e, "class", "btn") || has(e, "class", "skip"):
		r.read(e.Children, nil, nil)
		return nil
	case has(e, "aria-hidden", "true"):
		r.read(e.Children, nil, nil)
		return before
	}
	return r.read(e.Children, append(slices.Clip(in), e), before)
}

func (r *reader) expression(before []piece, e *parser.StringExpression, in []*parser.Element) []piece {
	code, err := goparser.ParseExpr(e.Expression.Value)
	if err != nil {
		return r.add(before, piece{value: true, in: in}, e.Range)
	}
	if text, ok := literal(code); ok {
		if strings.TrimSpace(text) == "" {
			return before
		}
		r.fail(e.Range, text) // why is it not a text?
		return r.add(before, piece{text: text, in: in}, e.Range)
	}
	if sum, ok := code.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		r.fail(e.Range, e.Expression.Value)
	}
	if call, ok := code.(*ast.CallExpr); ok && strings.HasPrefix(name(call.Fun), "fmt.Sprint") {
		if text, ok := literal(call.Args[0]); ok && (continues(text) || continued(text)) {
			r.fail(e.Range, text)
		}
	}
	return r.add(before, piece{value: true, in: in}, e.Range)
}

// add adds a piece after those before it.
func (r *reader) add(before []piece, p piece, at parser.Range) []piece {
	if slices.ContainsFunc(before, func(b piece) bool { return joinsPieces(b, p) }) {
		r.fail(at, p.text)
	}
	return []piece{p}
}

func (r *reader) fail(at parser.Range, text string) {
	r.found = append(r.found, fmt.Sprintf("%d: a sentence is joined from pieces: %s", at.From.Line+1, text))
}

// joinsPieces reports whether two pieces that follow each other are one sentence. A label and
// its value are not, if each has an element of its own, and neither are whole sentences.
func joinsPieces(a, b piece) bool {
	if a.value && b.value {
		return false
	}
	if inWhole(a, b) || inWhole(b, a) || badge(a.in, b.in) || badge(b.in, a.in) {
		return false
	}
	separate := !holds(a.in, b.in) && !holds(b.in, a.in) && !continued(a.text) && !continues(b.text)
	if a.value || b.value {
		return !separate
	}
	return !separate && !slices.Equal(a.in, b.in) && !wholeSentence.MatchString(strings.TrimSpace(a.text)) && !aside(a.in) && !aside(b.in)
}

// inWhole reports whether a is a whole sentence in an element of its own beside b.
func inWhole(a, b piece) bool {
	return !holds(a.in, b.in) && !offscreen(a.in) && isWhole.MatchString(strings.TrimSpace(a.text))
}

// badge reports whether the elements a hold a state, or a number, that stands beside b.
func badge(a, b []*parser.Element) bool {
	return !holds(a, b) && (within(a, "pill") || within(a, "count"))
}

// holds reports whether what is in the elements inner is also in all of outer.
func holds(outer, inner []*parser.Element) bool {
	return len(inner) >= len(outer) && slices.Equal(outer, inner[:len(outer)])
}

var (
	isWhole       = regexp.MustCompile(`^\p{Lu}.*[.!?]$`)
	wholeSentence = regexp.MustCompile(`[.!?…]$`)
	continuation  = regexp.MustCompile(`^[\s,;:.·–)×]`)
	opening       = regexp.MustCompile(`[\s,;:·–(]$`)
)

func continues(text string) bool { return continuation.MatchString(text) }
func continued(text string) bool { return opening.MatchString(text) }

// offscreen reports whether only screen readers say what is in the elements.
func offscreen(in []*parser.Element) bool { return within(in, "offscreen") }

// aside reports whether the elements hold a hint beside a heading or a label.
func aside(in []*parser.Element) bool { return within(in, "hint") }

func within(in []*parser.Element, class string) bool {
	return slices.ContainsFunc(in, func(e *parser.Element) bool { return has(e, "class", class) })
}

// holdsValue reports whether a component shows something that is not the same everywhere.
func holdsValue(call string) bool {
	code, err := goparser.ParseExpr(call)
	if err != nil {
		return true
	}
	c, ok := code.(*ast.CallExpr)
	if !ok {
		return false // a component that was passed on: an icon, or a paragraph
	}
	called := name(c.Fun)
	return len(c.Args) > 0 && called != "drawn" && !strings.HasSuffix(called, "Icon")
}

// has reports whether a constant attribute of the element has the value, or contains it as
// a class.
func has(e *parser.Element, key, value string) bool {
	return slices.ContainsFunc(e.Attributes, func(a parser.Attribute) bool {
		switch a := a.(type) {
		case *parser.ConstantAttribute:
			return a.Key.String() == key && slices.Contains(strings.Fields(a.Value), value)
		case *parser.ExpressionAttribute:
			return a.Key.String() == key && strings.Contains(a.Expression.Value, `"`+value)
		}
		return false
	})
}
