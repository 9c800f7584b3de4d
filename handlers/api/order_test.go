package api_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/option"
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
	form := url.Values{
		"token": {secrets.NewToken()}, "model": {"veo3"}, "prompt": {"a tram crosses the bridge"}, "resolution": {"1080p"},
		"aspect_ratio": {"16:9"},
	}
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
		page := a.kim.Post(path, handlerstest.FilledForm("do", "check", "table", fmt.Sprintf(
			"product\tplace\ncup %d\toak\njug %d\toak", i, i,
		)))
		return a.post(path, handlerstest.RowsOf(a.t, page, "make"))
	},
	"a recipe": func(a attack, _ int) (int, string) {
		return a.post(fmt.Sprintf("/recipes/%d", a.recipe), handlerstest.FilledForm(
			"token", secrets.NewToken(), "blank:product", "cup", "blank:place", "oak", "anyway", "true",
		))
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
		r := a.c.do(
			"POST", "/api/v1/videos", fmt.Sprintf(unpricedOrder, `,"max_credits":0.001,"accept_unknown_price":true`),
			fmt.Sprintf("Idempotency-Key: v%d", i),
		)
		return r.status, string(r.body)
	},
	"a recipe of the API": func(a attack, i int) (int, string) {
		r := a.c.do(
			"POST", fmt.Sprintf("/api/v1/recipes/%d/videos", a.recipe),
			`{"blanks":{"product":"jug","place":"oak"},"max_credits":900,"accept_unknown_price":true,"count":2}`,
			fmt.Sprintf("Idempotency-Key: r%d", i),
		)
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
			kim.Post(fmt.Sprintf("/tasks/%d/notes", a.film.ID), url.Values{
				"task": {fmt.Sprint(a.film.ID)}, "at": {"100"}, "body": {"slower"},
			}).Is(303)
			budget, err := h.Store.Limits.Budget(t.Context(), 1, db.Now())
			must(t, err)
			a.c = newClient(t, h, kim, "make", limit)
			must(t, h.Store.Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(budget.TeamHas + limit)}))
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
					if task.State == db.Rejected &&
						(task.ErrorKind != db.LimitError ||
							!strings.Contains(task.Message, "limit") && !strings.Contains(task.Message, "this month")) {
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
	for where, value := range map[string]any{
		"/me": me["cap"], "/limits": limits["cap"], "left of /limits": limits["left"].(map[string]any)["cap"],
		"/quotes": quote["left"].(map[string]any)["cap"],
	} {
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

// One key makes one video, however often and however fast it is sent.
func TestAKeyMakesOneVideo(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 1000)
	body := ordering(`,"max_credits":30`)
	c.do("POST", "/api/v1/videos", body).is(400, "no_key")
	c.do("POST", "/api/v1/videos", body, "Idempotency-Key: "+strings.Repeat("k", 256)).is(400, "invalid")
	statuses := make(chan int, 200)
	for range cap(statuses) {
		go func() { statuses <- c.do("POST", "/api/v1/videos", body, "Idempotency-Key: a").status }()
	}
	seen := map[int]int{}
	for range cap(statuses) {
		seen[<-statuses]++
	}
	if seen[202] == 0 || seen[202]+seen[409] != cap(statuses) {
		t.Errorf("the answers are %v", seen)
	}
	first := c.do("POST", "/api/v1/videos", body, "Idempotency-Key: a").is(202)
	again := newClient(t, h, kim, "make", 0).do("POST", "/api/v1/videos", body, "Idempotency-Key: a").is(202)
	if again.header.Get("Idempotent-Replayed") != "true" || !bytes.Equal(first.body, again.body) ||
		again.header.Get("Location") != "/api/v1/videos/1" {
		t.Errorf("the repeat is answered with %v %s", again.header, again.body)
	}
	c.do("POST", "/api/v1/videos", ordering(`,"max_credits":31`), "Idempotency-Key: a").is(422, "key_reused")
	if n := len(c.get("/api/v1/videos?status=all").value()["videos"].([]any)); n != 1 {
		t.Errorf("%d videos", n)
	}
}

// unanswer makes the requests of that age look as if they had not been answered.
func unanswer(t *testing.T, h *handlerstest.Server, age time.Duration) {
	t.Helper()
	d, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer d.Close()
	_, err = d.Exec(`UPDATE program_requests SET status = 0, answer = '', created_at = $1`, time.Now().Add(-age).UnixMilli())
	must(t, err)
}

// A process that died between the commit and its answer is no reason to make a second one.
func TestARepeatFindsWhatWasCutOff(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 1000)
	body := ordering(`,"max_credits":60,"count":2`)
	first := c.do("POST", "/api/v1/videos", body, "Idempotency-Key: a").is(202)
	if n := len(first.value()["videos"].([]any)); n != 2 {
		t.Fatalf("%d videos", n)
	}
	unanswer(t, h, 0)
	if got := c.do("POST", "/api/v1/videos", body, "Idempotency-Key: a").is(409, "busy"); got.header.Get("Retry-After") == "" {
		t.Error("it does not say when to try again")
	}
	unanswer(t, h, time.Minute)
	again := c.do("POST", "/api/v1/videos", body, "Idempotency-Key: a").is(202)
	if n := len(again.value()["videos"].([]any)); n != 2 || len(c.get("/api/v1/videos?status=all").value()["videos"].([]any)) != 2 {
		t.Errorf("%s", again.body)
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
		again := []reply{
			c.do("POST", call.path, call.body, "Idempotency-Key: of-"+call.path),
			other.do("POST", call.path, call.body, "Idempotency-Key: of-"+call.path),
		}
		if string(again[0].body) != string(again[1].body) ||
			slices.ContainsFunc(again, func(r reply) bool { return r.header.Get("Idempotent-Replayed") != "true" }) {
			t.Errorf("%s: %s and %s", call.path, again[0].body, again[1].body)
		}
	}
}

func TestWithoutAShapeAProgramGetsThatOfThePicture(t *testing.T) {
	h, p := started(t)
	c := newClient(t, h, p, "make", 10_000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(handlerstest.Photo(t, 900, 1600))
	}))
	t.Cleanup(s.Close)
	for i, tt := range []struct {
		scene, model, more string
		shape              option.Shape
		ratio              string
		sent               any
	}{
		{"image-to-video", "seedance-2.0", ``, option.LikePicture, "9:16", "9:16"},
		{"image-to-video", "seedance-2.0", `,"aspect_ratio":""`, option.LikePicture, "9:16", "9:16"},
		{"image-to-video", "seedance-2.0", `,"aspect_ratio":"1:1"`, option.ChosenShape, "1:1", "1:1"},
		{"reference-to-video", "seedance-2.0", ``, option.ChosenShape, "16:9", "16:9"},
		{"image-to-video", "bytedance/v1-pro-image-to-video", ``, option.LikePicture, "", nil},
		{"image-to-video", "veo3", ``, option.ChosenShape, option.AutoRatio, nil},
		{"text-to-video", "veo3", ``, option.ChosenShape, option.AutoRatio, nil},
		{"text-to-video", "seedance-2.0", ``, option.ChosenShape, "16:9", "16:9"},
	} {
		pictures := fmt.Sprintf(`,"image_input":[%q]`, s.URL+"/a.jpg")
		if tt.scene == "text-to-video" {
			pictures = ""
		}
		fields := fmt.Sprintf(
			`"scene":%q,"model":%q,"prompt":"A harbour","options":{"mode":%q%s%s}`, tt.scene, tt.model, tt.scene, tt.more,
			pictures,
		)
		made := c.do(
			"POST", "/api/v1/videos", `{`+fields+`,"max_credits":500,"accept_unknown_price":true}`,
			fmt.Sprintf("Idempotency-Key: %d", i),
		).is(202).value()
		shape := made["shape"].(map[string]any)
		if shape["like_picture"] != (tt.shape != option.ChosenShape) || shape["sent"] != tt.sent || shape["size_unknown"] != false {
			t.Errorf("%s on %s%s: %v", tt.scene, tt.model, tt.more, shape)
		}
		id, err := strconv.ParseInt(
			c.do("POST", "/api/ai/generate", `{"mediaType":"video",`+fields+`}`).is(200).value()["data"].(map[string]any)["id"].(string),
			10, 64,
		)
		must(t, err)
		for _, id := range []int64{int64(made["id"].(float64)), id} {
			task, err := h.Store.Tasks.Task(t.Context(), id)
			must(t, err)
			if task.Options.Shape != tt.shape || task.Options.AspectRatio != tt.ratio {
				t.Errorf("%s on %s%s: %+v", tt.scene, tt.model, tt.more, task.Options)
			}
		}
	}
	c.do("POST", "/api/v1/quotes", fmt.Sprintf(
		`{"scene":"image-to-video","model":"seedance-2.0","prompt":"A harbour","options":{"aspect_ratio":"picture","image_input":[%q]}}`,
		s.URL,
	)).is(422, "invalid")
}

// The handle of a deleted cast member is plain text: it stops no program, in a prompt, in a
// recipe or in the dialect.
func TestADeletedHandleStopsNoProgram(t *testing.T) {
	h, p := started(t)
	c := newClient(t, h, p, "make", 1000)
	bo := cast.Member{
		Handle: "bo", Name: "Bo", Kind: cast.Product, Pictures: []string{"https://example.com/bo.png"}, CreatedBy: 1,
		CreatedAt: db.Now(),
	}
	must(t, h.Store.Cast.Create(t.Context(), &bo, nil))
	must(t, h.Store.Cast.Delete(t.Context(), bo.ID, 1, db.Now()))
	const body = `{"scene":"text-to-video","model":"seedance-2.0","prompt":"@bo waves","max_credits":100,"accept_unknown_price":true}`
	c.do("POST", "/api/v1/quotes", body).is(200)
	c.do("POST", "/api/v1/videos", body, "Idempotency-Key: 1").is(202)
	path := fmt.Sprintf("/api/v1/recipes/%d/videos", h.AddRecipe(t, 1).ID)
	c.do("POST", path, `{"blanks":{"product":"@bo","place":"oak"},"max_credits":60}`, "Idempotency-Key: 2").is(202)
	c.call("generate", strings.Replace(generate, "@anna", "@bo", 1))
	for _, task := range h.Mine(t, 1) {
		if !strings.Contains(task.Prompt, "@bo") || task.SentPrompt != "" || len(task.Cast) > 0 {
			t.Errorf("sent %q of %q", task.SentPrompt, task.Prompt)
		}
	}
	if n := len(h.Mine(t, 1)); n != 3 {
		t.Errorf("%d videos", n)
	}
	must(t, h.Store.Cast.Restore(t.Context(), bo.ID, db.Now()))
	c.do("POST", "/api/v1/videos", body, "Idempotency-Key: 3").is(202)
}

func TestAProgramFillsInARecipe(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 1000)
	path := fmt.Sprintf("/api/v1/recipes/%d/videos", h.AddRecipe(t, 1).ID)
	post := func(path, body string) reply {
		t.Helper()
		return c.do("POST", path, body, fmt.Sprintf("Idempotency-Key: %d", time.Now().UnixNano()))
	}
	const filled = `{"blanks":{"Product":"jug","place":"oak"},"max_credits":%s}`
	made := post(path, fmt.Sprintf(filled, `60,"count":2,"title":"Jugs"`)).is(202).value()["videos"].([]any)
	task, err := h.Store.Tasks.Task(t.Context(), 1)
	must(t, err)
	if len(made) != 2 || task.Prompt != "A jug stands on a oak table" || task.RecipeID != 1 || task.Title != "Jugs" || task.Batch == "" {
		t.Errorf("%v, %+v", made, task)
	}
	for body, field := range map[string]string{
		`{"blanks":{"place":"oak"},"max_credits":30}`: "blanks.product",
		`{"max_credits":30}`:                          "blanks.product",
		`{"blanks":{"product":"jug","place":"oak","colour":"red"},"max_credits":30}`:                "blanks.colour",
		`{"blanks":{"product":"jug","place":"` + strings.Repeat("a", 9000) + `"},"max_credits":30}`: "blanks.Place",
		`{"blanks":{"product":"jug","place":"oak"}}`:                                                "max_credits",
	} {
		if got := post(path, body).is(422, "invalid"); got.value()["field"] != field {
			t.Errorf("%.80s: %s", body, got.body)
		}
	}
	post(path, fmt.Sprintf(filled, "29")).is(422, "price_changed")
	post(path, `{"prompt":"x","max_credits":30}`).is(422, "unknown_field")
	post("/api/v1/recipes/99/videos", fmt.Sprintf(filled, "30")).is(404, "not_found")
	c.do("POST", path, fmt.Sprintf(filled, "30")).is(400, "no_key")
	dear := h.AddRecipe(t, 1, func(r *recipes.Recipe) { r.Options.Resolution = "1080p"; r.Ceiling.Amount = 20 })
	h.LastCost(t, 1, 30)
	post(fmt.Sprintf("/api/v1/recipes/%d/videos", dear.ID), fmt.Sprintf(filled, "900")).is(422, "price_unknown")
	low := h.AddRecipe(t, 1, func(r *recipes.Recipe) { r.Ceiling.Amount = 20 })
	post(fmt.Sprintf("/api/v1/recipes/%d/videos", low.ID), fmt.Sprintf(filled, "900")).is(422, "limit_reached")
	if n := len(h.Mine(t, 1)); n != 2 {
		t.Errorf("%d videos", n)
	}
}

// Pictures are kept and checked as those of the pages, and can be sent with a video.
func TestAProgramAddsPictures(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 1000)
	photo := handlerstest.Photo(t, 400, 300)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("picture", "harbour.jpg")
	must(t, err)
	_, err = part.Write(photo)
	must(t, err)
	must(t, w.Close())
	uploaded := c.do("POST", "/api/v1/pictures", form.String(), "Content-Type: "+w.FormDataContentType()).is(201).value()
	raw := c.do(
		"POST", "/api/v1/pictures", string(photo), "Content-Type: image/jpeg",
		`Content-Disposition: attachment; filename="sea.jpg"`,
	).is(201).value()
	if uploaded["width"] != 400.0 || uploaded["height"] != 300.0 || raw["url"] != uploaded["url"] {
		t.Errorf("%v and %v", uploaded, raw)
	}
	link := c.do("POST", "/api/v1/pictures", fmt.Sprintf(`{"url":%q}`, handlerstest.Pictures(t)+"/a.png")).is(201).value()
	if !strings.HasSuffix(link["url"].(string), "/a.png") || link["width"] != 64.0 {
		t.Errorf("%v", link)
	}
	kim.Get("/pictures").Is(200).Shows("harbour.jpg")
	video := fmt.Sprintf(
		`{"scene":"frames-to-video","model":"seedance-2.0","options":{"duration":5,"resolution":"720p","image_input":[%q,%q]},"max_credits":30}`,
		uploaded["url"], link["url"],
	)
	c.do("POST", "/api/v1/videos", video, "Idempotency-Key: a").is(202)
	for _, bad := range []struct{ kind, body, field string }{
		{"image/png", "no picture", ""},
		{"application/json", `{"url":"ftp://a.example/b.png"}`, "url"},
		{"application/json", `{"url":""}`, "url"},
		{"application/json", fmt.Sprintf(`{"url":%q}`, h.URL+"/healthz"), "url"},
	} {
		if got := c.do(
			"POST", "/api/v1/pictures", bad.body, "Content-Type: "+bad.kind,
		).is(422, "picture_refused"); bad.field != "" && got.value()["field"] != bad.field {
			t.Errorf("%s: %s", bad.body, got.body)
		}
	}
	c.do("POST", "/api/v1/pictures", "{}", "Content-Type: text/plain").is(415, "invalid")
	c.do("POST", "/api/v1/pictures", "{", "Content-Type: application/json").is(400, "invalid")
	c.do("POST", "/api/v1/pictures", "--x", "Content-Type: multipart/form-data").is(422, "invalid")
	c.do(
		"POST", "/api/v1/pictures", "--x\r\nContent-Disposition: form-data; name=\"picture\"; filename=\"a.png\"\r\n\r\ncut",
		"Content-Type: multipart/form-data; boundary=x",
	).is(400, "invalid")
	c.do(
		"POST", "/api/v1/pictures", strings.Replace(form.String(), `name="picture"`, `name="file"`, 1),
		"Content-Type: "+w.FormDataContentType(),
	).is(422, "unknown_field")
	c.do("POST", "/api/v1/pictures", strings.Repeat("a", 25<<20), "Content-Type: image/png").is(422, "picture_refused")
}
