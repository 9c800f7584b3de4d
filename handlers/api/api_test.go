package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/program"
	"dailies/db/spending"
	"dailies/db/store/failtest"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/handlers/site"
	"dailies/web/htmltest"
)

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// A client is a program with a token.
type client struct {
	testing.TB
	h     *handlerstest.Server
	token string
}

// newClient makes a token for the person on the page of the settings.
func newClient(t testing.TB, h *handlerstest.Server, p *handlerstest.Browser, may string, limit float64) *client {
	t.Helper()
	page := p.Post("/settings/programs", url.Values{"name": {"Importer"}, "may": {may}, "days": {"90"}, "cap": {fmt.Sprint(limit)}}).Is(303)
	page = p.Get(page.Header.Get("Location")).Is(200)
	token := htmltest.Attr(htmltest.First(t, page.Root(), "#new-token"), "value")
	p.Get("/settings/programs").Is(200).Hides(token)
	return &client{t, h, token}
}

// A reply is the answer to a program.
type reply struct {
	testing.TB
	status int
	header http.Header
	body   []byte
}

// do sends the request. Headers follow as "Name: value".
func (c *client) do(method, path, body string, headers ...string) reply {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Context(), method, c.h.URL+path, strings.NewReader(body))
	must(c, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	got, err := (&http.Client{Transport: c.h.Transport()}).Do(r)
	must(c, err)
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	must(c, err)
	checkDocumented(c, r, body, got, text)
	return reply{c, got.StatusCode, got.Header, text}
}

func (c *client) get(path string, headers ...string) reply {
	c.Helper()
	return c.do("GET", path, "", headers...)
}

// is fails the test unless the reply has the status and, if it is a problem, the code.
func (r reply) is(status int, code ...string) reply {
	r.Helper()
	if r.status != status {
		r.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	if len(code) > 0 && (r.value()["code"] != code[0] || r.header.Get("Content-Type") != "application/problem+json" || r.value()["detail"] == "") {
		r.Fatalf("want the problem %s: %s", code[0], r.body)
	}
	return r
}

func (r reply) value() (v map[string]any) {
	r.Helper()
	if err := json.Unmarshal(r.body, &v); err != nil {
		r.Fatalf("%v: %s", err, r.body)
	}
	return v
}

// order is a request for a video of 30 credits.
const order = `{"scene":"text-to-video","model":"seedance-2.0","prompt":"A harbour at dawn","options":{"duration":5,"resolution":"720p","aspect_ratio":"16:9","generate_audio":false}%s}`

func ordering(more string) string { return fmt.Sprintf(order, more) }

// started runs the app with a person who has a key.
func started(t *testing.T) (*handlerstest.Server, *handlerstest.Browser) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.Run(t)
	return h, kim
}

func TestOnlyATokenOpensTheAPI(t *testing.T) {
	h, kim := started(t)
	kim.Send("GET", "/api/v1/me", nil).Is(401) // a session does not
	c := newClient(t, h, kim, "look", 0)
	c.get("/api/v1/me").is(200)
	stranger := &client{t, h, ""}
	for name, headers := range map[string][]string{
		"no token":    nil,
		"another one": {"Authorization: Bearer " + program.NewSecret()},
		"junk":        {"Authorization: Bearer x"},
		"basic":       {"Authorization: Basic " + c.token},
		"empty":       {"Authorization: "},
	} {
		got := stranger.get("/api/v1/me?token="+c.token+"&access_token="+c.token, headers...).is(401, "unauthorized")
		if got.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: it does not say how to sign in", name)
		}
	}
	c.get("/api/v1/nothing").is(404, "not_found")
	c.do("PUT", "/api/v1/videos", "{}").is(404, "not_found")
	kim.Post("/settings/programs/1/end", nil).Is(303)
	c.get("/api/v1/me").is(401, "unauthorized")
}

func TestATokenMayDoWhatItSays(t *testing.T) {
	h, kim := started(t)
	look, makes := newClient(t, h, kim, "look", 100), newClient(t, h, kim, "make", 100)
	look.do("POST", "/api/v1/quotes", ordering("")).is(200)
	look.do("POST", "/api/v1/videos", ordering(`,"max_credits":30`), "Idempotency-Key: a").is(403, "forbidden")
	made := makes.do("POST", "/api/v1/videos", ordering(`,"max_credits":30`), "Idempotency-Key: a").is(202)
	path := made.header.Get("Location")
	look.get(path).is(200)
	look.do("PATCH", path, `{"title":"x"}`).is(403, "forbidden")
	makes.do("PATCH", path, `{"private":true}`).is(403, "forbidden")
	makes.do("DELETE", path, "").is(403, "forbidden")
	// A demotion reduces it.
	ada := h.Joiner(t, kim, "Ada")
	hers := newClient(t, h, ada, "make", 100)
	hers.do("POST", "/api/v1/quotes", ordering("")).is(200)
	kim.Post("/members/2/role", url.Values{"role": {"viewer"}}).Is(303)
	hers.do("POST", "/api/v1/videos", ordering(`,"max_credits":30`), "Idempotency-Key: a").is(403, "forbidden")
	hers.get("/api/v1/videos").is(200)
	kim.Post("/members/2/deactivate", url.Values{"private": {"bin"}}).Is(303)
	hers.get("/api/v1/videos").is(401, "unauthorized")
}

// Each route asks for its permission, whatever else is wrong with the request.
func TestEveryRouteAsksForItsPermission(t *testing.T) {
	h, kim := started(t)
	done := h.AddTask(t, 1, db.Success)
	needed := map[site.Audience]program.Permission{
		site.ForLookTokens: program.Look, site.ForMakeTokens: program.Make, site.ForChangeTokens: program.Change,
	}
	walked := 0
	for _, may := range []program.Permission{program.Look, program.Make, program.Change} {
		c := newClient(t, h, kim, string(may), 100)
		for _, row := range h.App.Routes() {
			pattern := row.Pattern
			method, path, some := strings.Cut(pattern, " ")
			if !some || !strings.HasPrefix(path, "/api/v1/") || !row.For.NeedsToken() {
				continue
			}
			walked++
			got := c.do(method, strings.NewReplacer("{id}", fmt.Sprint(done.ID), "{delivery}", "1").Replace(path), "")
			refused := got.status == 403
			if allowed := may.Includes(needed[row.For]); refused == allowed || got.status == 401 || got.status >= 500 {
				t.Errorf("%s with a token that may %s: %d %s", pattern, may, got.status, got.body)
			}
			if got.header.Get("RateLimit") == "" || got.header.Get("RateLimit-Policy") == "" {
				t.Errorf("%s does not say how many requests are left", pattern)
			}
		}
	}
	if walked < 3*14 {
		t.Errorf("only %d requests were sent", walked)
	}
}

// The keys of a video are those of PROGRAMS.md, and its states those of package db.
func TestAProgramMakesAndFindsAVideo(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "change", 100)
	quote := c.do("POST", "/api/v1/quotes", ordering("")).is(200).value()
	if quote["credits"] != 30.0 || quote["price"] != "stated" || !strings.HasPrefix(quote["quote"].(string), "q_") || quote["left"].(map[string]any)["cap"] != 100.0 {
		t.Errorf("%v", quote)
	}
	made := c.do("POST", "/api/v1/videos", ordering(`,"title":"Harbour","max_credits":30`), "Idempotency-Key: a").is(202)
	path := made.header.Get("Location")
	video := made.value()
	want := []string{"created_at", "credits", "done_at", "file", "id", "model", "page", "private", "prompt", "reason", "scene", "shape", "starred", "state", "tags", "title"}
	if keys := slices.Sorted(maps.Keys(video)); !slices.Equal(keys, want) {
		t.Errorf("the keys are %q", keys)
	}
	if video["title"] != "Harbour" || video["model"] != "seedance-2.0" || video["file"] != nil {
		t.Errorf("%v", video)
	}
	handlerstest.Eventually(t, "the video is here", func() bool { return c.get(path + "?wait=5").is(200).value()["file"] != nil })
	video = c.get(path).value()
	if video["state"] != "success" || video["credits"].(map[string]any)["charged"] != 30.0 {
		t.Errorf("%v", video)
	}
	address, _ := strings.CutPrefix(video["file"].(string), h.URL)
	if part := c.get(address, "Range: bytes=0-3").is(206); len(part.body) != 4 || !strings.HasPrefix(part.header.Get("Content-Type"), "video/") {
		t.Errorf("%d bytes of %s", len(part.body), part.header.Get("Content-Type"))
	}
	changed := c.do("PATCH", path, `{"title":"Dawn","star":true,"tags":["sea","boats"],"private":true}`).is(200).value()
	if changed["title"] != "Dawn" || changed["starred"] != true || fmt.Sprint(changed["tags"]) != "[boats sea]" || changed["private"] != true {
		t.Errorf("%v", changed)
	}
	changed = c.do("PATCH", path, `{"tags":["sea"]}`).is(200).value()
	if changed["title"] != "Dawn" || fmt.Sprint(changed["tags"]) != "[sea]" {
		t.Errorf("%v", changed)
	}
	kim.Get("/tasks/1").Is(200).Shows("Dawn")
	c.do("DELETE", path, "").is(204)
	c.get(path).is(404, "not_found")
	if left := c.get("/api/v1/limits").is(200).value()["left"].(map[string]any)["cap"]; left != 70.0 {
		t.Errorf("%v are left of the cap", left)
	}
}

func TestAPageOfTheListFollowsTheOther(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "look", 0)
	for range 5 {
		h.AddTask(t, 1, db.Success)
	}
	var ids []any
	for path := "/api/v1/videos?limit=2&scene=text-to-video"; path != ""; {
		got := c.get(path).is(200)
		for _, v := range got.value()["videos"].([]any) {
			ids = append(ids, v.(map[string]any)["id"])
		}
		next, _, _ := strings.Cut(strings.TrimPrefix(got.header.Get("Link"), "<"), ">")
		if path = strings.TrimPrefix(next, h.URL); path != "" {
			c.get(strings.Replace(path, "text-to-video", "image-to-video", 1)).is(422, "cursor")
		}
	}
	if fmt.Sprint(ids) != "[5 4 3 2 1]" {
		t.Errorf("%v", ids)
	}
	for _, q := range []string{"limit=0", "limit=101", "limit=x", "limit="} {
		c.get("/api/v1/videos?"+q).is(422, "invalid")
	}
	for _, cursor := range []string{"x", "AAAA", "MS4"} {
		c.get("/api/v1/videos?cursor="+cursor).is(422, "cursor")
	}
	// Others' private videos are in no answer.
	private := h.AddTask(t, 1, db.Success)
	_, err := h.Store.Tasks.PrivateTasks(t.Context(), db.User{ID: 1, Role: db.Admin}, []int64{private.ID}, true)
	must(t, err)
	ada := newClient(t, h, h.Joiner(t, kim, "Ada"), "change", 0)
	ada.get(fmt.Sprintf("/api/v1/videos/%d", private.ID)).is(404, "not_found")
	if got := ada.get("/api/v1/videos").is(200).value()["videos"].([]any); len(got) != 5 {
		t.Errorf("%d videos", len(got))
	}
}

func TestACapAndALimitHold(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 7*30)
	statuses := make(chan int, 200)
	for i := range cap(statuses) {
		go func() {
			statuses <- c.do("POST", "/api/v1/videos", ordering(`,"max_credits":30`), fmt.Sprintf("Idempotency-Key: %d", i)).status
		}()
	}
	seen := map[int]int{}
	for range cap(statuses) {
		seen[<-statuses]++
	}
	if seen[202] != 7 || seen[422] != cap(statuses)-7 {
		t.Errorf("the answers are %v", seen)
	}
	c.do("POST", "/api/v1/videos", ordering(`,"max_credits":30`), "Idempotency-Key: z").is(422, "limit_reached")
	must(t, h.Store.Limits.SetLimit(t.Context(), 1, spending.Limit{Allowance: spending.Own, Credits: 220}))
	newClient(t, h, kim, "make", 1000).do("POST", "/api/v1/videos", ordering(`,"max_credits":30`), "Idempotency-Key: y").is(422, "limit_reached")
}

func TestNothingIsSpentWithoutPermission(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 1000)
	post := func(more string) reply {
		t.Helper()
		return c.do("POST", "/api/v1/videos", ordering(more), fmt.Sprintf("Idempotency-Key: %d", time.Now().UnixNano()))
	}
	post("").is(422, "invalid")
	post(`,"max_credits":29.999`).is(422, "price_changed")
	post(`,"max_credits":59,"count":2`).is(422, "price_changed")
	post(`,"max_credits":1e300`).is(422, "invalid")
	post(`,"max_credits":0.0001`).is(422, "invalid")
	post(`,"max_credits":-1`).is(422, "invalid")
	post(`,"max_credits":30,"count":0`).is(422, "invalid")
	post(`,"max_credits":30,"count":5`).is(422, "invalid")
	unpriced := strings.Replace(ordering(`%s`), "720p", "480p", 1)
	unknown := func(more string) reply {
		t.Helper()
		return c.do("POST", "/api/v1/videos", fmt.Sprintf(unpriced, more), fmt.Sprintf("Idempotency-Key: %d", time.Now().UnixNano()))
	}
	unknown(`,"max_credits":40`).is(422, "price_unknown")
	must(t, h.Store.Limits.SetOfTeam(t.Context(), spending.Limits{ApproveUnpriced: true}))
	must(t, h.Store.Limits.SetLimit(t.Context(), 1, spending.Limit{Allowance: spending.None}))
	unknown(`,"max_credits":40,"accept_unknown_price":true`).is(202) // an admin need not ask
	if task, err := h.Store.Tasks.Task(t.Context(), 1); err != nil || task.Quoted.Known || task.Reserved != 0 {
		t.Errorf("%+v, %v", task, err)
	}
}

func TestBadRequestsGetProblems(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "change", 1000)
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	for body, want := range map[string]struct {
		status int
		code   string
	}{
		"":                                {400, "invalid"},
		"[]":                              {400, "invalid"},
		"null":                            {400, "invalid"},
		"{":                               {400, "invalid"},
		"{}{}":                            {400, "invalid"},
		"{}":                              {422, "invalid"},
		`{"scene":1}`:                     {422, "invalid"},
		`{"prompt":"a","prompt":"b"}`:     {400, "invalid"},
		`{"options":{"seed":1,"seed":2}}`: {400, "invalid"},
		`{"promt":"a"}`:                   {422, "unknown_field"},
		`{"options":{"durations":5}}`:     {422, "unknown_field"},
		deep:                              {400, "invalid"},
		ordering(`,"title":"a\nb"`):       {422, "invalid"},
		`{"pad":"` + strings.Repeat("a", 10<<20) + `"}`: {413, "too_large"},
	} {
		got := c.do("POST", "/api/v1/quotes", body, "Content-Type: application/json")
		if got.status != want.status || got.value()["code"] != want.code {
			t.Errorf("%.60s: %d %s", body, got.status, got.body)
		}
	}
	c.do("POST", "/api/v1/quotes", ordering(""), "Content-Type: text/plain").is(415, "invalid")
	for field, body := range map[string]string{
		"prompt":              strings.Replace(ordering(""), "A harbour at dawn", "", 1),
		"model":               strings.Replace(ordering(""), "seedance-2.0", "nothing", 1),
		"scene":               strings.Replace(ordering(""), "text-to-video", "nothing", 1),
		"options.duration":    strings.Replace(ordering(""), `"duration":5`, `"duration":7.5`, 1),
		"options.resolution":  strings.Replace(ordering(""), "720p", "9p", 1),
		"options.image_input": strings.Replace(ordering(""), `"duration"`, `"image_input":["https://example.com/a.png"],"duration"`, 1),
	} {
		if got := c.do("POST", "/api/v1/quotes", body).is(422, "invalid"); got.value()["field"] != field {
			t.Errorf("%s: %s", field, got.body)
		}
	}
}

func TestWhatRarelyChangesHasATag(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "look", 0)
	for _, list := range []string{"models", "recipes", "cast", "collections"} {
		got := c.get("/api/v1/" + list).is(200)
		if _, is := got.value()[list].([]any); !is || got.header.Get("ETag") == "" {
			t.Errorf("%s: %v %.100s", list, got.header, got.body)
		}
		c.get("/api/v1/"+list, "If-None-Match: "+got.header.Get("ETag")).is(304)
	}
	if got := c.get("/api/v1/usage").is(200); !strings.HasPrefix(got.header.Get("RateLimit"), `"requests";r=11`) {
		t.Errorf("%v", got.header)
	}
}

func TestATokenHasOnlySoManyRequestsAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where no time passes during the requests
		h := handlerstest.NewFailing(t, &failtest.Plan{}, func(*handlers.Config) {})
		c := newClient(t, h, h.Founder(t), "make", 0)
		spend := func() reply { return c.do("POST", "/api/v1/videos", "{}", "Idempotency-Key: a") }
		for range 300 {
			spend().is(422)
		}
		got := spend().is(429, "rate")
		if got.header.Get("Retry-After") != "1" || !strings.Contains(got.header.Get("RateLimit"), `"spending";r=0`) {
			t.Errorf("%v", got.header)
		}
		c.get("/api/v1/me").is(200)
		time.Sleep(time.Second) // the bubble's clock
		for range 5 {
			spend().is(422)
		}
		spend().is(429, "rate")
	})
}

// What is not looked at because others were is no fault of the picture: the program is asked
// to come again.
func TestCheckingTooManyPicturesIsAMatterOfRate(t *testing.T) {
	h, p := started(t)
	c := newClient(t, h, p, "make", 10_000)
	photo := handlerstest.Photo(t, 400, 300)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(photo) }))
	t.Cleanup(s.Close)
	for i := range 24 {
		c.do("POST", "/api/v1/pictures", fmt.Sprintf(`{"url":"%s/%d.jpg"}`, s.URL, i)).is(201)
	}
	fields := `"scene":"image-to-video","model":"seedance-2.0","prompt":"A harbour","options":{"duration":5,"resolution":"720p","image_input":["` + s.URL + `/new.jpg"]}`
	for path, body := range map[string]string{
		"/api/v1/pictures": `{"url":"` + s.URL + `/new.jpg"}`,
		"/api/v1/videos":   `{` + fields + `,"max_credits":30}`,
	} {
		said := c.do("POST", path, body, "Idempotency-Key: "+path).is(429, "rate")
		if said.header.Get("Retry-After") == "" || strings.Contains(string(said.body), "Press") {
			t.Errorf("%s: %v, %s", path, said.header, said.body)
		}
	}
	said := c.do("POST", "/api/ai/generate", `{"mediaType":"video",`+fields+`}`).is(200)
	if message, _ := said.value()["message"].(string); !strings.HasPrefix(message, "rate limit: Not checked yet") || said.header.Get("Retry-After") == "" {
		t.Errorf("the dialect: %v, %s", said.header, said.body)
	}
	if tasks := h.Tasks(t); len(tasks) != 0 {
		t.Errorf("%d videos were made", len(tasks))
	}
	// A press on a page says when to press again, and cannot insist.
	form := handlerstest.WithField(handlerstest.WithField(handlerstest.GoodForm(), "image_input", s.URL+"/new.jpg"), "slow_told", s.URL+"/new.jpg")
	p.Post("/create/image-to-video", form).Is(422).Shows("Not checked yet", "Press again in ").Hides("use it anyway")
}
