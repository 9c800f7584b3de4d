package e2e

import (
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A person is a user who sends requests without a browser. Tests use it to prepare what
// they need.
type person struct {
	name, email, password string
	base                  string
	client                *http.Client
}

const password = "four words are easy"

func newPerson(base, name string) *person {
	jar, _ := cookiejar.New(nil) // cookiejar.New never fails without options
	return &person{
		name: name, email: strings.ToLower(name) + "@example.com", password: password, base: base,
		client: &http.Client{Jar: jar, Timeout: time.Minute},
	}
}

func (p *person) account() url.Values {
	return url.Values{"name": {p.name}, "email": {p.email}, "password": {p.password}}
}

// setUp makes the first account.
func (s *server) setUp() error {
	_, err := newPerson(s.base, "Ada").post("/setup?token="+setupToken, newPerson(s.base, "Ada").account())
	return err
}

// admin signs in to the first account.
func (s *server) admin() (*person, error) {
	p := newPerson(s.base, "Ada")
	_, err := p.post("/login", p.account())
	return p, err
}

// hasVideo matches the player in a page.
var hasVideo = regexp.MustCompile(`<video[^>]+src=`)

var people atomic.Int64

// invite returns the path of a new join link.
func (s *server) invite(t *testing.T) (path string) {
	t.Helper()
	admin, err := s.admin()
	if err != nil {
		t.Fatal(err)
	}
	page, err := admin.post("/members/invites", nil)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`/join/[^"\s<]+`).FindString(page)
}

// member returns a new user who has joined with a link.
func (s *server) member(t *testing.T) *person {
	t.Helper()
	link := s.invite(t)
	p := newPerson(s.base, fmt.Sprintf("Kim%d", people.Add(1)))
	if _, err := p.post(link, p.account()); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *person) post(path string, form url.Values) (page string, err error) {
	return p.read(p.client.PostForm(p.base+path, form))
}

func (p *person) get(path string) (page string, err error) {
	return p.read(p.client.Get(p.base + path))
}

func (p *person) read(answer *http.Response, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 400 {
		err = &statusError{answer.StatusCode, answer.Request.URL.Path}
	}
	return html.UnescapeString(string(page)), err
}

// A statusError is an HTTP status that a browser would show as an error.
type statusError struct {
	status int
	path   string
}

func (e *statusError) Error() string { return fmt.Sprintf("%s: HTTP %d", e.path, e.status) }

// make orders a quick video and returns the path of its page. If the sandbox refuses
// the prompt, the path is empty.
func (p *person) make(t *testing.T, prompt string) (path string) {
	t.Helper()
	return p.makeOf(t, "text-to-video", url.Values{"model": {"quick"}, "prompt": {prompt}, "duration": {"1"}})
}

// makeOf orders a video with the given fields of the form.
func (p *person) makeOf(t *testing.T, scene string, form url.Values) (path string) {
	t.Helper()
	page, err := p.post("/create/"+scene, form)
	var refused *statusError
	if err != nil && !(errors.As(err, &refused) && refused.status == http.StatusUnprocessableEntity) {
		t.Fatal(err)
	}
	return regexp.MustCompile(`/tasks/\d+`).FindString(page)
}

// credits returns the user's remaining credits, as Settings shows them.
func (p *person) credits(t *testing.T) string {
	t.Helper()
	page, err := p.get("/settings")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`([\d.,]+) credits left`).FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the settings do not say how many credits are left")
	}
	return strings.ReplaceAll(found[1], ",", "")
}
