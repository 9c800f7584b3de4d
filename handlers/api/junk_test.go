package api_test

import (
	"fmt"
	"strings"
	"testing"

	"dailies/db"
)

// Whatever a program sends, to whatever address, nothing breaks and nothing is made.
func TestNoBodyBreaksARoute(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "change", 1000)
	film := h.Film(t, 1, func(*db.Task) {})
	h.AddRecipe(t, 1)
	bodies := []string{
		"", "{", "[]", "null", "1e300", `"x"`, "{}", "{}{}", `{"id":1}`, "\x00", "\xff\xfe", `{"prompt":"\ud800","scene":null,"model":[]}`,
		`{"scene":"text-to-video","scene":"text-to-video"}`, strings.Repeat("[", 100_000), strings.Repeat(`{"a":`, 10_000), `{"max_credits":1e300,"count":1e300}`,
		`{"options":{"duration":1e300,"seed":-1e300,"image_input":{"a":1}},"title":7,"tags":"a","star":"yes","private":null}`,
		`{"blanks":{"product":{"a":[]}},"max_credits":-0.0}`, `{"url":"http://[::1"}`, `{"taskId":{"a":1}}`, `{"pad":"` + strings.Repeat("a", 10<<20) + `"}`,
	}
	for _, pattern := range h.App.Routes().Patterns() {
		method, path, _ := strings.Cut(pattern, " ")
		if !strings.HasPrefix(path, "/api/") || method == "GET" {
			continue
		}
		for i, body := range bodies {
			for _, kind := range []string{"application/json", "text/html", "multipart/form-data; boundary=x", "image/png", ";;"} {
				if kind != "application/json" && i%5 != 0 {
					continue
				}
				got := c.do(method, strings.NewReplacer("{id}", "1", "{delivery}", "1").Replace(path), body, "Content-Type: "+kind, fmt.Sprintf("Idempotency-Key: %d", i))
				if got.status >= 500 || got.status == 429 {
					t.Errorf("%s with %.60q as %s: %d %s", pattern, body, kind, got.status, got.body)
				}
			}
		}
		if method == "DELETE" {
			_, err := h.Store.Bin.RestoreTasks(t.Context(), db.User{ID: 1, Role: db.Admin}, []int64{film.ID})
			must(t, err)
		}
	}
	if n := len(h.Mine(t, 1)); n != 1 {
		t.Errorf("%d videos were made", n-1)
	}
}
