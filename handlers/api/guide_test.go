package api_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/handlers/handlerstest"
	"dailies/handlers/site"
	"dailies/web/htmltest"
	"dailies/web/scopetest"
)

// The page about the API lists every address, with the permission that it needs.
func TestTheGuideListsEveryAddress(t *testing.T) {
	h, kim := started(t)
	page := kim.Get("/api").Is(200)
	needs := map[site.Audience]string{
		site.ForLookTokens: "Look", site.ForMakeTokens: "Make videos", site.ForChangeTokens: "Change things", site.ForAnybody: "No token",
	}
	found := 0
	for _, row := range h.App.Routes() {
		if _, path, _ := strings.Cut(row.Pattern, " "); !strings.HasPrefix(path, "/api/") {
			continue
		}
		found++
		_, after, listed := strings.Cut(page.Text, ">"+row.Pattern+"</b>")
		if item, _, _ := strings.Cut(after, "</li>"); !listed || !strings.Contains(item, ">"+needs[row.For]+"</span>") {
			t.Errorf("%s, for %s, is not on the page", row.Pattern, row.For)
		}
	}
	if found < 14 {
		t.Fatalf("only %d addresses were found", found)
	}
}

// pasted runs the commands in a shell, as somebody pastes them, and returns what it prints.
func pasted(t *testing.T, commands string) string {
	t.Helper()
	for _, tool := range []string{"bash", "curl", "sed"} {
		scopetest.Tool(t, tool, tool)
	}
	shell := exec.CommandContext(t.Context(), "bash", "-e", "-c", commands)
	shell.Dir = t.TempDir()
	shell.Env = append(os.Environ(), "no_proxy=127.0.0.1")
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// plainText returns the text of elements that the selector finds.
func plainText(page *handlerstest.Answer, selector string) string {
	var all []string
	for _, n := range htmltest.All(page.Root(), selector) {
		all = append(all, n.FirstChild.Data) // with its line breaks
	}
	return strings.Join(all, "\n")
}

// preset returns what the form sends as it stands.
func preset(page *handlerstest.Answer, form string) url.Values {
	v := url.Values{}
	for _, field := range htmltest.All(page.Root(), form+" input") {
		kind := htmltest.Attr(field, "type")
		if kind != "radio" && kind != "checkbox" || htmltest.HasAttr(field, "checked") {
			v.Set(htmltest.Attr(field, "name"), htmltest.Attr(field, "value"))
		}
	}
	return v
}

// The examples work as they are pasted, with a token that is made with the form as it stands,
// although there are other videos already.
func TestTheExamplesWorkAsTheyArePasted(t *testing.T) {
	h, kim := started(t)
	h.KeptFilm(t, 1, "another one")
	form := preset(kim.Get("/settings/programs").Is(200), `form[action="/settings/programs"]`)
	form.Set("name", "Importer")
	made := kim.Post("/settings/programs", form).Is(303)
	page := kim.Get(made.Header.Get("Location")).Is(200)
	token := htmltest.Attr(htmltest.First(t, page.Root(), "#new-token"), "value")
	guide := kim.Get("/api").Is(200)
	examples := strings.Replace(plainText(guide, "pre"), "dly_…", token, 1)
	out := pasted(t, examples+"\ntest -s harbour.mp4\n"+plainText(page, "#try-token"))
	for _, want := range []string{`"name":"Kim Doe"`, `"state":"`, `"code":0`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	if strings.Contains(out, `"code":-1`) || strings.Contains(out, `"status":4`) {
		t.Errorf("something was refused: %s", out)
	}
	tasks, err := h.Store.Search.Tasks(t.Context(), gallery.Filter{Viewer: 1, States: []db.State{gallery.AnyState}, Limit: 10})
	must(t, err)
	if len(tasks) != 4 { // one was there, and three are from the examples
		t.Errorf("there are %d videos", len(tasks))
	}
}

// A described is the document of the API, with what finds an address in it.
type described struct {
	*openapi3.T
	router routers.Router
}

var readDocument = sync.OnceValues(func() (d described, err error) {
	if d.T, err = openapi3.NewLoader().LoadFromFile("openapi.json"); err != nil {
		return d, err
	}
	d.router, err = gorillamux.NewRouter(d.T)
	return d, err
})

// checks says what else is checked of requests and answers.
var checks = openapi3filter.Options{
	IncludeResponseStatus:             true,
	RejectWhenRequestBodyNotSpecified: true,
	SkipSettingDefaults:               true,
	// The guard checks the token, and the tests send wrong ones.
	AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
}

// checkDocumented fails the test unless the document describes the answer and, if the
// request was accepted, the request.
func checkDocumented(t testing.TB, r *http.Request, sent string, got *http.Response, body []byte) {
	t.Helper()
	d, err := readDocument()
	must(t, err)
	if !strings.HasPrefix(r.URL.Path, "/api/") || got.StatusCode == http.StatusNotFound && !strings.Contains(r.URL.Path, "/videos/") {
		return // an address that does not exist
	}
	request := r.Clone(t.Context())
	request.URL.Scheme, request.URL.Host, request.Host = "", "", "" // the document's server is a path
	request.Body = io.NopCloser(strings.NewReader(sent))
	query := request.URL.Query()
	// A filter with nothing in it is none; the library takes it for a list that is incomplete.
	maps.DeleteFunc(query, func(_ string, values []string) bool { return slices.Equal(values, []string{""}) })
	request.URL.RawQuery = query.Encode()
	route, parameters, err := d.router.FindRoute(request)
	if err != nil {
		t.Errorf("the document has no %s %s: %v", r.Method, r.URL, err)
		return
	}
	in := &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route, Options: &checks}
	if got.StatusCode < 400 && !bytes.HasPrefix(body, []byte(`{"code":-1`)) {
		if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil {
			t.Errorf("the document does not allow %s %s %.300s: %v", r.Method, r.URL, sent, err)
		}
	}
	if strings.HasPrefix(got.Header.Get("Content-Type"), "video/") {
		return // a file
	}
	out := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: got.StatusCode, Header: got.Header, Body: io.NopCloser(bytes.NewReader(body)), Options: &checks,
	}
	if err := openapi3filter.ValidateResponse(t.Context(), out); err != nil {
		t.Errorf("the document does not allow the answer to %s %s, %d %.600s: %v", r.Method, r.URL, got.StatusCode, body, err)
	}
}

// The document describes the routes that exist, and no others.
func TestTheDocumentListsEveryAddress(t *testing.T) {
	d, err := readDocument()
	must(t, err)
	if err := d.Validate(t.Context()); err != nil {
		t.Fatalf("it is no OpenAPI document: %v", err)
	}
	var routes, documented []string
	for _, row := range handlerstest.New(t).App.Routes() {
		if _, path, _ := strings.Cut(row.Pattern, " "); strings.HasPrefix(path, "/api/") {
			routes = append(routes, row.Pattern)
		}
	}
	for path, item := range d.Paths.Map() {
		for method := range item.Operations() {
			documented = append(documented, method+" "+path)
		}
	}
	slices.Sort(routes)
	slices.Sort(documented)
	if !slices.Equal(routes, documented) {
		t.Errorf("the routes are\n%s\nand the document has\n%s", strings.Join(routes, "\n"), strings.Join(documented, "\n"))
	}
}

// Anybody may read it, and it is sent once.
func TestTheDocumentIsSent(t *testing.T) {
	h, _ := started(t)
	stranger := &client{t, h, ""}
	got := stranger.get("/api/v1/openapi.json").is(200)
	if got.value()["openapi"] != "3.1.0" || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("%v %.200s", got.header, got.body)
	}
	stranger.get("/api/v1/openapi.json", "If-None-Match: "+got.header.Get("ETag")).is(304)
}

// The codes of the document are those that the API sends.
func TestTheDocumentNamesEveryCode(t *testing.T) {
	source, err := os.ReadFile("problem.go")
	must(t, err)
	var codes []string
	for _, found := range regexp.MustCompile(`Code = "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		codes = append(codes, found[1])
	}
	d, err := readDocument()
	must(t, err)
	var documented []string
	for _, value := range d.Components.Schemas["Code"].Value.Enum {
		documented = append(documented, value.(string))
	}
	if len(codes) == 0 || !slices.Equal(codes, documented) {
		t.Errorf("the codes are %q, and the document has %q", codes, documented)
	}
}
