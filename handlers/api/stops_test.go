package api_test

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dailies/db"
	recipes "dailies/db/ordering"
)

var stop = regexp.MustCompile(`msg=press stop=(\w+)`)

// TestAPressComesToEachStopOnce makes videos in each way in which people and programs order them.
// An order is read before it comes to the first stop that is noted.
func TestAPressComesToEachStopOnce(t *testing.T) {
	h, kim := started(t)
	a := attack{t: t, h: h, kim: kim}
	a.recipe = h.AddRecipe(t, 1, func(r *recipes.Recipe) {
		r.Model, r.Options, r.Ceiling = "veo3", db.Options{Resolution: "1080p", AspectRatio: "16:9"}, db.Credits{}
	}).ID
	a.failed, a.uncertain = []db.Task{h.AddTask(t, 1, db.Failed)}, []db.Task{h.AddTask(t, 1, db.Unconfirmed)}
	like := func(model, resolution string) db.Task {
		return h.Recipe(t, 1, db.Success, func(t *db.Task) {
			t.Scene, t.Model, t.Pictures, t.Options = "text-to-video", model, nil, db.Options{Resolution: resolution, AspectRatio: "16:9"}
		})
	}
	a.film, a.draft = like("veo3", "720p"), like("veo3_fast", "1080p")
	kim.Post(fmt.Sprintf("/tasks/%d/notes", a.film.ID), url.Values{
		"task": {fmt.Sprint(a.film.ID)}, "at": {"100"}, "body": {"slower"},
	}).Is(303)
	a.c = newClient(t, h, kim, "make", 1000)

	all := maps.Clone(ways)
	all["a list"] = func(a attack, _ int) (int, string) {
		return a.post("/create/text-to-video", a.form("lines", "true", "prompt", "a tram\na boat"))
	}
	all["a draft"] = func(a attack, _ int) (int, string) {
		return a.post("/create/text-to-video", a.form("draft_first", "true"))
	}
	all["a quote"] = func(a attack, _ int) (int, string) {
		r := a.c.do("POST", "/api/v1/quotes", ordering(""))
		return r.status, string(r.body)
	}
	all["a refused form"] = func(a attack, _ int) (int, string) { return a.post("/create/text-to-video", a.form("prompt", "")) }
	all["another try"] = func(a attack, i int) (int, string) { // the price is known by now
		return a.post(fmt.Sprintf("/tasks/%d/again", a.failed[i].ID), url.Values{"price_shown": {"1 900"}})
	}
	all["the API"] = func(a attack, _ int) (int, string) {
		r := a.c.do("POST", "/api/v1/videos", ordering(`,"max_credits":900`), "Idempotency-Key: stops")
		return r.status, string(r.body)
	}
	whole := "complete check price inspect place"
	want := map[string]string{
		"a quote": "complete check price", "a refused form": "complete check",
		"a table": "complete check price " + whole, // it is looked at before it is sent
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		h.Log.Take()
		status, text := all[name](a, 0)
		var stops []string
		for _, found := range stop.FindAllStringSubmatch(h.Log.Take(), -1) {
			stops = append(stops, found[1])
		}
		if want[name] == "" {
			want[name] = whole
		}
		if got := strings.Join(stops, " "); got != want[name] {
			t.Errorf("%s stops at %s, want %s; status %d: %.300s", name, got, want[name], status, text)
		}
	}
}
