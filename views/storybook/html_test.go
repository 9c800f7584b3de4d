package storybook_test

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

// parse reads the rendered component as a browser would.
func parse(t *testing.T, c templ.Component) *html.Node {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(render(t, c)), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// elements are all elements below the node.
func elements(root *html.Node) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && !yield(n) {
				return
			}
		}
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// first is the first element with the tag whose attribute has the value.
func first(t *testing.T, root *html.Node, tag, name, value string) *html.Node {
	t.Helper()
	for n := range elements(root) {
		if n.Data == tag && attribute(n, name) == value {
			return n
		}
	}
	t.Fatalf("there is no <%s %s=%q>", tag, name, value)
	return nil
}

// words are the text of the node, without what is hidden in the head.
func words(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && !inside(d, "script", "style") {
			out.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

func inside(n *html.Node, tags ...string) bool {
	for p := range n.Ancestors() {
		if slices.Contains(tags, p.Data) {
			return true
		}
	}
	return false
}
