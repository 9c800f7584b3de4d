package api_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"dailies/db"
	recipes "dailies/db/ordering"
	"dailies/db/program"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/handlers/handlerstest"
	"dailies/web/scopetest"
)

// An attack orders videos whose price nobody knows, many at once.
type attack struct {
	t   *testing.T
	h   *handlerstest.Server
	kim *handlerstest.Browser
	c   *client

	recipe    int64
	failed    []db.Task
	uncertain []db.Task
	film      db.Task // on which there is a note
	draft     db.Task
}

// form returns a form for a video of a kind that the service was never asked for.
func (a attack) form(more ...string) url.Values {
	form := url.Values{"token": {secrets.NewToken()}, "model": {"veo3"}, "prompt": {"a tram crosses the bridge"}, "resolution": {"1080p"}, "aspect_ratio": {"16:9"}}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

const unpricedOrder = `{"scene":"text-to-video","model":"veo3","prompt":"A harbour","options":{"resolution":"1080p","aspect_ratio":"16:9"}%s}`

// ways are those in which people and programs order videos.
var ways = map[string]func(a attack, i int) (status int, text string){
	"a form": func(a attack, _ int) (int, string) { return a.post("/create/text-to-video", a.form()) },
	"copies": func(a attack, _ int) (int, string) { return a.post("/create/text-to-video", a.form("count", "4")) },
	"a table": func(a attack, i int) (int, string) {
		path := fmt.Sprintf("/recipes/%d/batch", a.recipe)
		page := a.kim.Post(path, handlerstest.FilledForm("do", "check", "table", fmt.Sprintf("product\tplace\ncup %d\toak\njug %d\toak", i, i)))
		return a.post(path, handlerstest.RowsOf(a.t, page, "make"))
	},
	"a recipe": func(a attack, _ int) (int, string) {
		return a.post(fmt.Sprintf("/recipes/%d", a.recipe), handlerstest.FilledForm("token", secrets.NewToken(), "blank:product", "cup", "blank:place", "oak", "anyway", "true"))
	},
	"a next take": func(a attack, _ int) (int, string) {
		return a.post("/create/text-to-video", a.form("from", fmt.Sprint(a.film.ID), "use", "answer", "note", "1"))
	},
	"the final of a draft": func(a attack, _ int) (int, string) {
		return a.post("/create/text-to-video", a.form("from", fmt.Sprint(a.draft.ID), "use", "final", "prompt", a.draft.Prompt))
	},
	"another try": func(a attack, i int) (int, string) {
		return a.post(fmt.Sprintf("/tasks/%d/again", a.failed[i].ID), url.Values{})
	},
	"a lost answer": func(a attack, i int) (int, string) {
		return a.post(fmt.Sprintf("/tasks/%d/resend", a.uncertain[i].ID), url.Values{})
	},
	"the API": func(a attack, i int) (int, string) {
		r := a.c.do("POST", "/api/v1/videos", fmt.Sprintf(unpricedOrder, `,"max_credits":0.001,"accept_unknown_price":true`), fmt.Sprintf("Idempotency-Key: v%d", i))
		return r.status, string(r.body)
	},
	"a recipe of the API": func(a attack, i int) (int, string) {
		r := a.c.do("POST", fmt.Sprintf("/api/v1/recipes/%d/videos", a.recipe), `{"blanks":{"product":"jug","place":"oak"},"max_credits":900,"accept_unknown_price":true,"count":2}`, fmt.Sprintf("Idempotency-Key: r%d", i))
		return r.status, string(r.body)
	},
	"the dialect": func(a attack, _ int) (int, string) {
		r := a.c.do("POST", "/api/ai/generate", fmt.Sprintf(unpricedOrder, `,"mediaType":"video"`))
		return r.status, string(r.body)
	},
}

func (a attack) post(path string, form url.Values) (int, string) {
	page := a.kim.Send("POST", path, form)
	return page.StatusCode, page.Text
}

// TestNoWayLeadsAroundALimit orders 40 videos at once in each way, and in all of them,
// whose price nobody knows. What the service charges passes the limit by one video at most.
func TestNoWayLeadsAroundALimit(t *testing.T) {
	times := 40
	if scopetest.Long() {
		times = 200
	}
	for _, name := range append(slices.Sorted(maps.Keys(ways)), "all") {
		t.Run(name, func(t *testing.T) {
			const limit = 40
			h, kim := started(t)
			a := attack{t: t, h: h, kim: kim}
			a.recipe = h.AddRecipe(t, 1, func(r *recipes.Recipe) {
				r.Model, r.Options, r.Ceiling = "veo3", db.Options{Resolution: "1080p", AspectRatio: "16:9"}, db.Credits{}
			}).ID
			for range times {
				a.failed, a.uncertain = append(a.failed, h.AddTask(t, 1, db.Failed)), append(a.uncertain, h.AddTask(t, 1, db.Unconfirmed))
			}
			for _, task := range a.uncertain[times/8:] { // these may have been charged, and count
				h.Change(t, task.ID, func(t *db.Task) error { return t.Decide(db.Now()) })
			}
			like := func(model, resolution string) db.Task {
				return h.Recipe(t, 1, db.Success, func(t *db.Task) {
					t.Scene, t.Model, t.Pictures, t.Options = "text-to-video", model, nil, db.Options{Resolution: resolution, AspectRatio: "16:9"}
				})
			}
			a.film, a.draft = like("veo3", "720p"), like("veo3_fast", "1080p")
			kim.Post(fmt.Sprintf("/tasks/%d/notes", a.film.ID), url.Values{"task": {fmt.Sprint(a.film.ID)}, "at": {"100"}, "body": {"slower"}}).Is(303)
			room, err := h.Store.Limits.Room(t.Context(), 1, db.Now())
			must(t, err)
			a.c = newClient(t, h, kim, "make", limit)
			must(t, h.Store.Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(room.TeamHas + limit)}))
			var chosen []string
			for way := range ways {
				if way == name || name == "all" {
					chosen = append(chosen, way)
				}
			}
			slices.Sort(chosen)
			var all sync.WaitGroup
			for i := range times {
				all.Go(func() {
					if status, text := ways[chosen[i%len(chosen)]](a, i/len(chosen)); status >= 500 || status == 400 {
						t.Errorf("%s: status %d: %.300s", chosen[i%len(chosen)], status, text)
					}
				})
			}
			all.Wait()
			var sum, dearest float64
			made := map[db.Reuse]int{}
			handlerstest.Eventually(t, "no video waits", func() bool {
				sum, dearest = 0, 0
				clear(made)
				for _, task := range h.Tasks(t) {
					if task.State == db.Queued || task.State == db.Sending {
						return false
					}
					if task.State == db.Rejected && (task.Blame != db.BlameLimit || !strings.Contains(task.Message, "limit") && !strings.Contains(task.Message, "this month")) {
						t.Errorf("a video was rejected: %s", task.Message)
					}
					made[task.Reuse]++
					if task.State != db.Failed && task.Charged.Known && task.ID != a.film.ID && task.ID != a.draft.ID {
						sum, dearest = sum+task.Charged.Amount, max(dearest, task.Charged.Amount)
					}
				}
				return true
			})
			if dearest == 0 || sum >= limit+dearest {
				t.Errorf("%g were charged of a limit of %d; the dearest cost %g", sum, limit, dearest)
			}
			// Of several ways, the first to be charged may leave nothing to the others.
			reuses := map[string]db.Reuse{"a next take": db.Answered, "the final of a draft": db.Finalized, "another try": db.Retried}
			if reuse, ok := reuses[name]; ok && made[reuse] == 0 {
				t.Errorf("%s: none was made", name)
			}
			t.Logf("%g were charged of a limit of %d; the dearest cost %g", sum, limit, dearest)
		})
	}
}

// A token without a limit of its own has none in any answer.
func TestATokenWithoutALimitSaysSo(t *testing.T) {
	h, kim := started(t)
	secret := program.NewSecret()
	hash, _ := program.Parse(secret)
	now := db.Now()
	must(t, h.Store.Programs.Add(t.Context(), &program.Token{
		UserID: 1, Name: "Free", Start: program.Start(secret), Hash: hash, May: program.Make, CreatedAt: now, EndsAt: now.AddDate(0, 0, 1),
	}))
	c := &client{t, h, secret}
	me, limits := c.get("/api/v1/me").is(200).value()["token"].(map[string]any), c.get("/api/v1/limits").is(200).value()
	quote := c.do("POST", "/api/v1/quotes", ordering("")).is(200).value()
	for where, value := range map[string]any{"/me": me["cap"], "/limits": limits["cap"], "left of /limits": limits["left"].(map[string]any)["cap"], "/quotes": quote["left"].(map[string]any)["cap"]} {
		if value != nil {
			t.Errorf("%s: %v", where, value)
		}
	}
	if _, has := me["cap"]; !has {
		t.Error("/me has no cap")
	}
	kim.Get("/settings/programs").Is(200).Shows("credits this month, within your limit")
	c.do("POST", "/api/v1/videos", ordering(`,"max_credits":30`), "Idempotency-Key: a").is(202)
}
