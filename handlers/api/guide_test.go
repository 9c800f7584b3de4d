package api_test

import (
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
	"dailies/web/scopetest"
)

// The page about the API lists every address, with the permission that it needs.
func TestTheGuideListsEveryAddress(t *testing.T) {
	_, kim := started(t)
	page := kim.Get("/api").Is(200)
	table, err := os.ReadFile("../routes.go")
	must(t, err)
	found := regexp.MustCompile(`mux\.Handle\("([A-Z]+ /api/[^"]+)", (?:programs\.)?([\w.]+)`).FindAllStringSubmatch(string(table), -1)
	if len(found) < 14 {
		t.Fatalf("only %d addresses were found", len(found))
	}
	needs := map[string]string{
		"Look": "Look", "Query": "Look", "Make": "Make videos", "Spend": "Make videos", "Generate": "Make videos", "Change": "Change things",
		"open": "No token", "Anybody": "No token",
	}
	for _, f := range found {
		_, after, listed := strings.Cut(page.Text, ">"+f[1]+"</b>")
		if row, _, _ := strings.Cut(after, "</li>"); !listed || !strings.Contains(row, ">"+needs[f[2]]+"</span>") {
			t.Errorf("%s, for tokens that may %s, is not on the page", f[1], f[2])
		}
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
