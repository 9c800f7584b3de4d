// Package htmltest finds elements in pages for tests. Unlike an assertion about a
// substring, one about an element does not hold by accident.
package htmltest

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// A Component is a part of a page, such as a templ.Component.
type Component interface {
	Render(ctx context.Context, w io.Writer) error
}

// Render returns the component's HTML.
func Render(t testing.TB, c Component) string {
	t.Helper()
	var out strings.Builder
	if err := c.Render(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Draw renders the component and parses the result.
func Draw(t testing.TB, c Component) *html.Node {
	t.Helper()
	return Parse(t, Render(t, c))
}

// Parse parses a page or a fragment like a browser without JavaScript.
func Parse(t testing.TB, page string) *html.Node {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// All returns the elements below root that match the selector, in document order. It
// supports a subset of CSS: the tag, #id, .class, [name] and [name=value] with or
// without quotes, combinations of these, and the descendant combinator, as in
// `form#make input[name="model"][checked]`. The selector "*" matches every element.
func All(root *html.Node, selector string) []*html.Node {
	steps := parse(selector)
	var found []*html.Node
	for n := range root.Descendants() {
		if matchesBelow(root, n, steps) {
			found = append(found, n)
		}
	}
	return found
}

// First returns the first element that matches the selector. If there is none, it fails
// the test immediately.
func First(t testing.TB, root *html.Node, selector string) *html.Node {
	t.Helper()
	for n := range root.Descendants() {
		if matchesBelow(root, n, parse(selector)) {
			return n
		}
	}
	t.Fatalf("no element matches %s", selector)
	return nil
}

// Has reports whether an element below root matches the selector.
func Has(root *html.Node, selector string) bool { return len(All(root, selector)) > 0 }

// Attr returns the value of the element's attribute, "" if it has none.
func Attr(n *html.Node, name string) string {
	value, _ := attr(n, name)
	return value
}

// HasAttr reports whether the element has the attribute.
func HasAttr(n *html.Node, name string) bool {
	_, ok := attr(n, name)
	return ok
}

func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// Text returns the words below the node, separated by single spaces, without those of
// scripts and styles.
func Text(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && !Inside(d, "script") && !Inside(d, "style") {
			out.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// Texts returns the Text of each element below root that matches the selector.
func Texts(root *html.Node, selector string) []string {
	var texts []string
	for _, n := range All(root, selector) {
		texts = append(texts, Text(n))
	}
	return texts
}

// Inside reports whether the node is inside an element with the tag.
func Inside(n *html.Node, tag string) bool {
	for a := range n.Ancestors() {
		if a.Data == tag {
			return true
		}
	}
	return false
}

// A step is the part of a selector that matches one element.
type step struct {
	tag   string           // empty for any
	wants []html.Attribute // attributes with these values
	bare  []string         // attributes with any value
}

func (s step) matches(n *html.Node) bool {
	if n.Type != html.ElementNode || s.tag != "" && s.tag != n.Data {
		return false
	}
	for _, a := range s.wants {
		got := Attr(n, a.Key)
		if a.Key == "class" && !slices.Contains(strings.Fields(got), a.Val) || a.Key != "class" && (got != a.Val || !HasAttr(n, a.Key)) {
			return false
		}
	}
	return !slices.ContainsFunc(s.bare, func(name string) bool { return !HasAttr(n, name) })
}

// matchesBelow reports whether n matches the last step, and ancestors of n below root
// match the others in their order.
func matchesBelow(root, n *html.Node, steps []step) bool {
	last := len(steps) - 1
	if !steps[last].matches(n) {
		return false
	}
	steps = steps[:last]
	for a := n.Parent; len(steps) > 0 && a != nil && a != root; a = a.Parent {
		if steps[len(steps)-1].matches(a) {
			steps = steps[:len(steps)-1]
		}
	}
	return len(steps) == 0
}

// parse parses a selector. It panics if the selector is malformed, because selectors are
// literals in tests.
func parse(selector string) []step {
	const ends = ".#[ "
	steps, s := []step{{}}, strings.TrimSpace(selector)
	word := func() string {
		end := strings.IndexAny(s, ends)
		if end < 0 {
			end = len(s)
		}
		w := s[:end]
		s = s[end:]
		return w
	}
	for s != "" {
		now := &steps[len(steps)-1]
		switch first := s[0]; first {
		case ' ':
			s = strings.TrimLeft(s, " ")
			steps = append(steps, step{})
		case '.', '#':
			s = s[1:]
			now.wants = append(now.wants, html.Attribute{Key: map[byte]string{'.': "class", '#': "id"}[first], Val: word()})
		case '[':
			inner, rest, ok := cutBracket(s[1:])
			if !ok {
				panic("htmltest: no ] in " + selector)
			}
			s = rest
			if name, value, valued := strings.Cut(inner, "="); valued {
				now.wants = append(now.wants, html.Attribute{Key: name, Val: strings.Trim(value, `"'`)})
			} else {
				now.bare = append(now.bare, inner)
			}
		default:
			if now.tag = word(); now.tag == "*" {
				now.tag = ""
			}
		}
	}
	return steps
}

// cutBracket cuts s at the ] that ends an attribute. It ignores brackets in quotes.
func cutBracket(s string) (inner, rest string, ok bool) {
	var quote rune
	for i, r := range s {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == ']':
			return s[:i], s[i+1:], true
		}
	}
	return "", "", false
}
