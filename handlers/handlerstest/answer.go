package handlerstest

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"dailies/web/htmltest"
)

// An Answer is a response whose body was read into Text.
type Answer struct {
	T    testing.TB
	What string
	*http.Response
	Text string
}

// Is stops the test unless the answer has the status.
func (a *Answer) Is(status int) *Answer {
	a.T.Helper()
	if a.StatusCode != status {
		a.T.Fatalf("%s: got %d, want %d\n%.2000s", a.What, a.StatusCode, status, a.Text)
	}
	return a
}

// LeadsTo stops the test unless the answer redirects to the path.
func (a *Answer) LeadsTo(path string) *Answer {
	a.T.Helper()
	if got := a.Header.Get("Location"); got != path {
		a.T.Fatalf("%s: leads to %q, want %q", a.What, got, path)
	}
	return a
}

// Shows fails the test for each text that the body does not contain. To check elements,
// use Has and Reads.
func (a *Answer) Shows(texts ...string) *Answer {
	a.T.Helper()
	for _, text := range texts {
		if !strings.Contains(a.Text, text) {
			a.T.Errorf("%s: does not show %q\n%.3000s", a.What, text, a.Text)
		}
	}
	return a
}

// Hides fails the test for each text that the body contains.
func (a *Answer) Hides(texts ...string) *Answer {
	a.T.Helper()
	for _, text := range texts {
		if strings.Contains(a.Text, text) {
			a.T.Errorf("%s: shows %q", a.What, text)
		}
	}
	return a
}

// Has fails the test for each selector that no element of the page matches.
func (a *Answer) Has(selectors ...string) *Answer {
	a.T.Helper()
	root := a.Root()
	for _, s := range selectors {
		if !htmltest.Has(root, s) {
			a.T.Errorf("%s: nothing matches %s\n%.3000s", a.What, s, a.Text)
		}
	}
	return a
}

// Lacks fails the test for each selector that an element of the page matches.
func (a *Answer) Lacks(selectors ...string) *Answer {
	a.T.Helper()
	root := a.Root()
	for _, s := range selectors {
		if htmltest.Has(root, s) {
			a.T.Errorf("%s: something matches %s", a.What, s)
		}
	}
	return a
}

// Reads fails the test unless the text of the first element that matches the selector
// contains the given text.
func (a *Answer) Reads(selector, text string) *Answer {
	a.T.Helper()
	if got := htmltest.Text(htmltest.First(a.T, a.Root(), selector)); !strings.Contains(got, text) {
		a.T.Errorf("%s: %s reads %q, without %q", a.What, selector, got, text)
	}
	return a
}

// Root returns the parsed page.
func (a *Answer) Root() *html.Node {
	a.T.Helper()
	return htmltest.Parse(a.T, a.Text)
}
