package storybook_test

import (
	"regexp"
	"strings"
	"testing"

	"dailies/web/htmltest"

	"golang.org/x/net/html"
)

// TestEveryPageKeepsTheRules checks every page in every state that pages returns.
func TestEveryPageKeepsTheRules(t *testing.T) {
	for name, page := range pages() {
		t.Run(name, func(t *testing.T) {
			root := htmltest.Draw(t, page)
			checkDocument(t, root)
			checkPolicy(t, root)
			checkReferences(t, root)
			checkNames(t, root)
		})
	}
}

func checkDocument(t *testing.T, root *html.Node) {
	headings, mains := 0, 0
	for _, n := range htmltest.All(root, "*") {
		switch n.Data {
		case "html":
			if htmltest.Attr(n, "lang") != "en" {
				t.Error("the page names no language")
			}
		case "title":
			if n.Namespace == "" && !strings.HasSuffix(htmltest.Text(n), " · Dailies") { // an SVG's title is not the page's
				t.Errorf("the title is %q", htmltest.Text(n))
			}
		case "h1":
			headings++
		case "main":
			mains++
		}
	}
	if headings != 1 || mains != 1 {
		t.Errorf("%d <h1> and %d <main>, want one each", headings, mains)
	}
	htmltest.First(t, root, "meta[name=viewport]")
	if regexp.MustCompile(`(?i)\btasks?\b`).MatchString(htmltest.Text(root)) {
		t.Error("a page says “task”, which is a word of the code")
	}
}

// checkPolicy reports what the content security policy would block, and links to places
// that are not allowed.
func checkPolicy(t *testing.T, root *html.Node) {
	for _, n := range htmltest.All(root, "*") {
		if n.Data == "style" || (n.Data == "script" && !strings.HasPrefix(htmltest.Attr(n, "src"), "/static/")) {
			t.Errorf("<%s> is inline, or from elsewhere", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "hx-on") || strings.Contains(a.Val, "js:") {
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			}
			if address := strings.ToLower(a.Val); (a.Key == "href" || a.Key == "src" || a.Key == "action") &&
				!strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "#") && !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") &&
				!strings.HasPrefix(address, "otpauth://totp/") { // opens an app on the same device, which stores the secret of one-time codes
				t.Errorf("<%s %s=%q> leads who knows where", n.Data, a.Key, a.Val)
			}
		}
	}
}

// checkReferences checks that IDs are unique and that references to IDs lead to an
// element.
func checkReferences(t *testing.T, root *html.Node) {
	ids := map[string]bool{}
	for _, n := range htmltest.All(root, "*") {
		if id := htmltest.Attr(n, "id"); id != "" {
			if ids[id] {
				t.Errorf("id %q is there twice", id)
			}
			ids[id] = true
		}
	}
	for _, n := range htmltest.All(root, "*") {
		var wanted []string
		for _, name := range []string{"aria-describedby", "aria-labelledby", "for"} {
			if htmltest.HasAttr(n, name) && htmltest.Attr(n, name) == "" {
				t.Errorf("<%s> has an empty %s", n.Data, name)
			}
			wanted = append(wanted, strings.Fields(htmltest.Attr(n, name))...)
		}
		if here, ok := strings.CutPrefix(htmltest.Attr(n, "href"), "#"); ok {
			wanted = append(wanted, here)
		}
		if there, ok := strings.CutPrefix(htmltest.Attr(n, "hx-target"), "#"); ok {
			wanted = append(wanted, there)
		}
		for _, id := range wanted {
			if !ids[id] {
				t.Errorf("<%s> points at %q, which is not there", n.Data, id)
			}
		}
	}
}

// checkNames checks that everything interactive has an accessible name.
func checkNames(t *testing.T, root *html.Node) {
	labelled := map[string]bool{}
	for _, n := range htmltest.All(root, "*") {
		if n.Data == "label" && htmltest.Text(n) != "" {
			labelled[htmltest.Attr(n, "for")] = true
		}
	}
	for _, n := range htmltest.All(root, "*") {
		named := htmltest.Attr(n, "aria-label") != "" || htmltest.Attr(n, "aria-labelledby") != ""
		switch n.Data {
		case "input", "select", "textarea":
			if htmltest.Attr(n, "type") != "hidden" && !named && !labelled[htmltest.Attr(n, "id")] && !htmltest.Inside(n, "label") {
				t.Errorf("<%s name=%q> has no label", n.Data, htmltest.Attr(n, "name"))
			}
		case "a", "button", "summary":
			if !named && htmltest.Text(n) == "" {
				t.Errorf("<%s> has no words", n.Data)
			}
		case "img":
			if !htmltest.HasAttr(n, "alt") {
				t.Error("<img> has no alt")
			}
		case "video", "progress", "nav":
			if !named && htmltest.Attr(n, "aria-hidden") != "true" {
				t.Errorf("<%s> has no name", n.Data)
			}
		}
	}
}
