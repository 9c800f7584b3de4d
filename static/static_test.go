package static_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"dailies/static"
)

func get(t *testing.T, address string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest("GET", address, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	static.Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestFilesHaveTheirTypeAndMayBeCached(t *testing.T) {
	types := map[string]string{
		"app.css":                 "text/css; charset=utf-8",
		"wall.css":                "text/css; charset=utf-8",
		"gallery.js":              "text/javascript; charset=utf-8",
		"recipe.css":              "text/css; charset=utf-8",
		"picture.js":              "text/javascript; charset=utf-8",
		"app.js":                  "text/javascript; charset=utf-8",
		"notice.js":               "text/javascript; charset=utf-8",
		"favicon.svg":             "image/svg+xml",
		"favicon-news.svg":        "image/svg+xml",
		"vendor/htmx/htmx.min.js": "text/javascript; charset=utf-8",
	}
	for name, want := range types {
		answer := get(t, static.URL(name))
		if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != want {
			t.Errorf("%s: %s, %q", name, answer.Status, answer.Header.Get("Content-Type"))
		}
		if !strings.Contains(answer.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s may not be kept: %q", name, answer.Header.Get("Cache-Control"))
		}
	}
}

func TestURLWithoutTheCurrentHashIsRevalidated(t *testing.T) {
	for _, address := range []string{"/static/app.css", "/static/app.css?v=0123456789abcdef"} {
		answer := get(t, address)
		if answer.StatusCode != http.StatusOK || answer.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %s, %q", address, answer.Status, answer.Header.Get("Cache-Control"))
		}
		again := get(t, address, "If-None-Match", answer.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: asked again it is %s", address, again.Status)
		}
	}
}

func TestNothingElseIsServed(t *testing.T) {
	for _, address := range []string{"/static/", "/static/static.go", "/static/vendor/htmx/", "/static/../static.go", "/static/app.css/"} {
		if answer := get(t, address); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", address, answer.Status)
		}
	}
}

func TestHtmxIsTheReleaseItSaysItIs(t *testing.T) {
	content, err := os.ReadFile("vendor/htmx/htmx.min.js")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("vendor/htmx/README.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	if !strings.Contains(string(readme), hex.EncodeToString(sum[:])) {
		t.Errorf("sha256 of htmx.min.js is %x, which its README does not say", sum)
	}
	if !strings.Contains(string(content), `"4.0.1"`) {
		t.Error("htmx.min.js does not call itself 4.0.1")
	}
}

// Scripts import others by URLs that may be cached for ever, also where they are loaded
// only on demand.
func TestScriptsImportOthersByACacheableURL(t *testing.T) {
	imports := regexp.MustCompile(`(?:from |import\()"([^"]*)"`)
	found := 0
	for name := range sources(t, "*.js") {
		for _, address := range imports.FindAllStringSubmatch(served(t, static.BundleOf(name)), -1) {
			found++
			if answer := get(t, address[1]); !strings.Contains(answer.Header.Get("Cache-Control"), "immutable") {
				t.Errorf("%s imports %s: %s, %q", name, address[1], answer.Status, answer.Header.Get("Cache-Control"))
			}
		}
	}
	for _, name := range []string{"shared.js", "shared-story.js"} {
		if strings.Contains(served(t, name), "import ") {
			t.Errorf("%s, a script of pages for guests, imports another", name)
		}
	}
	if found < 10 {
		t.Errorf("only %d imports were found", found)
	}
}

// A bundle is a module of its own: it has one import of each other module, and no name
// twice at its top level.
func TestBundlesAreOneModule(t *testing.T) {
	for _, name := range []string{"app.js", "gallery.js", "viewer.js", "story.js", "shared.js", "shared-story.js"} {
		text, seen, depth := served(t, name), map[string]bool{}, 0
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "import ") {
				_, from, _ := strings.Cut(line, " from ")
				if seen[from] {
					t.Errorf("%s imports %s twice", name, strings.TrimSpace(from))
				}
				seen[from] = true
			}
			if m := topLevel.FindStringSubmatch(line); m != nil && depth == 0 {
				if seen[m[1]] {
					t.Errorf("%s has %s twice", name, m[1])
				}
				seen[m[1]] = true
			}
			depth += strings.Count(line, "{") - strings.Count(line, "}")
		}
		if depth != 0 {
			t.Errorf("%s ends within %d blocks", name, depth)
		}
	}
}

var topLevel = regexp.MustCompile(`^(?:export )?(?:async )?(?:const|let|function|class) (\w+)`)
