package handlerstest

import (
	"net/http"
	"strings"
	"testing"
)

// An Answer is a response, read whole into Text.
type Answer struct {
	T    testing.TB
	What string
	*http.Response
	Text string
}

func (a *Answer) Is(status int) *Answer {
	a.T.Helper()
	if a.StatusCode != status {
		a.T.Fatalf("%s: got %d, want %d\n%.2000s", a.What, a.StatusCode, status, a.Text)
	}
	return a
}

func (a *Answer) LeadsTo(path string) *Answer {
	a.T.Helper()
	if got := a.Header.Get("Location"); got != path {
		a.T.Fatalf("%s: leads to %q, want %q", a.What, got, path)
	}
	return a
}

func (a *Answer) Shows(texts ...string) *Answer {
	a.T.Helper()
	for _, text := range texts {
		if !strings.Contains(a.Text, text) {
			a.T.Errorf("%s: does not show %q\n%.3000s", a.What, text, a.Text)
		}
	}
	return a
}

func (a *Answer) Hides(texts ...string) *Answer {
	a.T.Helper()
	for _, text := range texts {
		if strings.Contains(a.Text, text) {
			a.T.Errorf("%s: shows %q", a.What, text)
		}
	}
	return a
}
