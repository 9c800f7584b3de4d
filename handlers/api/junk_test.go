package api_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
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

// Processes share nothing but the database, where a key makes one video.
func TestTwoProcessesMakeOneVideoWithAKey(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 1000)
	other := &client{t, h.Beside(t), c.token}
	for _, call := range []struct{ path, body string }{
		{"/api/v1/videos", ordering(`,"max_credits":30`)}, {"/api/ai/generate", generate},
	} {
		before := len(h.Mine(t, 1))
		var all sync.WaitGroup
		answers := make(chan reply, 40)
		for i := range cap(answers) {
			p := []*client{c, other}[i%2]
			all.Go(func() { answers <- p.do("POST", call.path, call.body, "Idempotency-Key: of-"+call.path) })
		}
		all.Wait()
		close(answers)
		seen := map[int]int{}
		for a := range answers {
			seen[a.status]++
		}
		if made := len(h.Mine(t, 1)) - before; made != 1 || seen[200]+seen[202] == 0 {
			t.Errorf("%s made %d videos and answered %v", call.path, made, seen)
		}
		again := []reply{c.do("POST", call.path, call.body, "Idempotency-Key: of-"+call.path), other.do("POST", call.path, call.body, "Idempotency-Key: of-"+call.path)}
		if string(again[0].body) != string(again[1].body) || slices.ContainsFunc(again, func(r reply) bool { return r.header.Get("Idempotent-Replayed") != "true" }) {
			t.Errorf("%s: %s and %s", call.path, again[0].body, again[1].body)
		}
	}
}
