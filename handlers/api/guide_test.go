package api_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page about the API lists every address, with the permission that it needs.
func TestTheGuideListsEveryAddress(t *testing.T) {
	h, kim := started(t)
	page := kim.Get("/api").Is(200)
	table, err := os.ReadFile("../routes.go")
	must(t, err)
	found := regexp.MustCompile(`mux\.Handle\("([A-Z]+ /api/[^"]+)", (?:programs\.)?([\w.]+)`).FindAllStringSubmatch(string(table), -1)
	if len(found) < 14 {
		t.Fatalf("only %d addresses were found", len(found))
	}
	needs := map[string]string{
		"Look": "Look", "Query": "Look", "Make": "Make videos", "Spend": "Make videos", "Generate": "Make videos", "Change": "Change things",
		"open": "No token", "api.Document": "No token",
	}
	for _, f := range found {
		_, after, listed := strings.Cut(page.Text, ">"+f[1]+"</b>")
		if row, _, _ := strings.Cut(after, "</li>"); !listed || !strings.Contains(row, ">"+needs[f[2]]+"</span>") {
			t.Errorf("%s, for tokens that may %s, is not on the page", f[1], f[2])
		}
	}
	// The examples work as they stand.
	c := newClient(t, h, kim, "make", 100)
	examples := regexp.MustCompile(`(?s)(/api/\S+) -d &#39;(.*?)&#39;`).FindAllStringSubmatch(page.Text, -1)
	if len(examples) != 3 {
		t.Fatalf("the examples are %q", examples)
	}
	for _, example := range examples {
		got := c.do("POST", example[1], strings.ReplaceAll(example[2], "&#34;", `"`), "Idempotency-Key: "+example[1])
		if got.status >= 300 || strings.HasPrefix(string(got.body), `{"code":-1`) {
			t.Errorf("%s: %d %s", example[1], got.status, got.body)
		}
	}
}
