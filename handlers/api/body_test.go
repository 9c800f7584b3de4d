package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dailies/db"
	recipes "dailies/db/ordering"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

func TestRecipesAreListedWhole(t *testing.T) {
	h, kim := started(t)
	h.Joiner(t, kim, "ada")
	for i := range recipes.MaxRecipes {
		h.AddRecipe(t, int64(1+i%2))
	}
	deleted := h.AddRecipe(t, 1)
	newest := h.AddRecipe(t, 2, func(r *recipes.Recipe) {
		r.Name, r.Pictures = "With a picture", []string{"{{photo}}"}
		r.Options = db.Options{Duration: 5, Resolution: "720p", AspectRatio: "9:16"}
	})
	kim.Post(fmt.Sprintf("/recipes/%d/delete", deleted.ID), nil).Is(303)
	c := newClient(t, h, kim, "look", 0)
	all := c.get("/api/v1/recipes").is(200).value()["recipes"].([]any)
	if len(all) != recipes.MaxRecipes+1 {
		t.Fatalf("%d recipes", len(all))
	}
	first := all[0].(map[string]any)
	blanks, options := fmt.Sprint(first["blanks"]), fmt.Sprint(first["options"])
	if first["id"] != float64(newest.ID) || !strings.Contains(blanks, "map[kind:picture name:photo picture:true]") || !strings.Contains(blanks, "kind:words") {
		t.Errorf("%v", first)
	}
	if options != "map[aspect_ratio:9:16 duration:5 resolution:720p]" {
		t.Errorf("options %s", options)
	}
	// Those who may not see recipes on pages do not see them here.
	kim.Post("/members/2/role", url.Values{"role": {"viewer"}}).Is(303)
	c.get("/api/v1/recipes").is(200)
	viewer := h.Stranger(t)
	viewer.Post("/login", handlerstest.Credentials("ada@example.com", handlerstest.Password)).Is(303)
	newClient(t, h, viewer, "look", 0).get("/api/v1/recipes").is(403, "forbidden")
}

func TestWhatTheDocumentForbidsIsRefused(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 1000)
	for change, field := range map[string]string{
		`"duration":5|"duration":"5"`:                                   "options.duration",
		`"duration":5|"seed":"7"`:                                       "options.seed",
		`"duration":5|"duration":5.5`:                                   "options.duration",
		`"duration":5|"mode":"image-to-video"`:                          "options.mode",
		`"generate_audio":false|"generate_audio":"false"`:               "options.generate_audio",
		`"prompt":"A harbour at dawn"|"prompt":7`:                       "prompt",
		`"scene":"text-to-video"|"scene":"text"`:                        "scene",
		`"prompt":"A harbour at dawn"|"prompt":"x","mediaType":"image"`: "mediaType",
	} {
		before, after, _ := strings.Cut(change, "|")
		body := strings.Replace(ordering(`,"max_credits":30`), before, after, 1)
		if got := c.do("POST", "/api/v1/videos", body, "Idempotency-Key: "+field+after[:5]).is(422, "invalid"); got.value()["field"] != field {
			t.Errorf("%s: %s", change, got.body)
		}
		c.do("POST", "/api/v1/quotes", body).is(422, "invalid")
	}
	same := strings.Replace(ordering(`,"max_credits":30`), `"duration":5`, `"duration":5,"mode":"text-to-video"`, 1)
	c.do("POST", "/api/v1/videos", same, "Idempotency-Key: same").is(202)
}

func TestAFilterThatIsNotInTheDocumentIsRefused(t *testing.T) {
	h, kim := started(t)
	film := h.KeptFilm(t, 1, "a boat")
	c := newClient(t, h, kim, "look", 0)
	for _, query := range []string{
		"sceen=text-to-video", "Scene=text-to-video", "state=failed", "page=2", "before=3", "through=1", "date=week", "", // none at all
		"scene=text", "status=done", "verdict=maybe", "starred=yes", "who=kim", "collection=x", "cast=anna", "from=yesterday", "until=31.1.2026",
	} {
		if query == "" {
			continue
		}
		name, _, _ := strings.Cut(query, "=")
		if got := c.get("/api/v1/videos?"+query).is(422, "invalid"); got.value()["field"] != name {
			t.Errorf("%s: %s", query, got.body)
		}
	}
	for _, path := range []string{"/me", "/limits", "/usage", "/models", "/recipes", "/cast", "/collections", "/webhooks", fmt.Sprintf("/videos/%d/notes", film.ID), fmt.Sprintf("/videos/%d", film.ID), fmt.Sprintf("/videos/%d/file", film.ID)} {
		c.get("/api/v1"+path+"?q=x").is(422, "invalid")
	}
	for _, query := range []string{"q=boat", "who=me", "who=1", "scene=text-to-video&scene=image-to-video", "status=all", "verdict=approved", "starred=1", "from=2026-01-31&until=2026-12-31", "tag=x", "ratio=16:9", "scene="} {
		c.get("/api/v1/videos?" + query).is(200)
	}
}

// A token has no limit of its own unless it was given one; nothing is one, too.
func TestATokenHasNoCapUnlessItWasGivenOne(t *testing.T) {
	h, kim := started(t)
	for name, form := range map[string]url.Values{
		"empty":  {"name": {"x"}, "may": {"make"}, "days": {"90"}, "cap": {""}},
		"absent": {"name": {"x"}, "may": {"make"}, "days": {"90"}},
		"0":      {"name": {"x"}, "may": {"make"}, "days": {"90"}, "cap": {"0"}},
		"40":     {"name": {"x"}, "may": {"make"}, "days": {"90"}, "cap": {"40"}},
	} {
		page := kim.Get(kim.Post("/settings/programs", form).Is(303).Header.Get("Location")).Is(200)
		c := &client{t, h, htmltest.Attr(htmltest.First(t, page.Root(), "#new-token"), "value")}
		var want any
		if n, err := strconv.ParseFloat(name, 64); err == nil {
			want = n
		}
		me, limits := c.get("/api/v1/me").is(200).value(), c.get("/api/v1/limits").is(200).value()
		quote := c.do("POST", "/api/v1/quotes", ordering("")).is(200).value()
		if got := []any{me["token"].(map[string]any)["cap"], limits["cap"], limits["left"].(map[string]any)["cap"], quote["left"].(map[string]any)["cap"]}; !slices.Equal(got, []any{want, want, want, want}) {
			t.Errorf("%s: %v", name, got)
		}
	}
	kim.Post("/settings/programs", url.Values{"name": {"x"}, "may": {"make"}, "days": {"90"}, "cap": {"many"}}).Is(422).Has(`[name=cap][value=many]`)
}

// A program that waits for a video that has ended is answered at once, however many wait.
func TestNobodyWaitsForAVideoThatHasEnded(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "look", 0)
	film := h.KeptFilm(t, 1, "a boat")
	failed := h.AddTask(t, 1, db.Failed)
	for range 12 { // 25 seconds for each would be far more than the test's client waits
		for _, id := range []int64{film.ID, failed.ID} {
			c.get(fmt.Sprintf("/api/v1/videos/%d?wait=25", id)).is(200)
		}
	}
}

func TestEveryAnswerSaysHowManyRequestsAreLeft(t *testing.T) {
	h, kim := started(t)
	c, stranger := newClient(t, h, kim, "look", 0), &client{t, h, ""}
	for name, got := range map[string]reply{
		"no token":     stranger.get("/api/v1/me").is(401, "unauthorized"),
		"the document": stranger.get("/api/v1/openapi.json").is(200),
		"a token":      c.get("/api/v1/me").is(200),
		"forbidden":    c.do("DELETE", "/api/v1/videos/1", "").is(403, "forbidden"),
		"not found":    c.get("/api/v1/nothing").is(404, "not_found"),
		"a filter":     c.get("/api/v1/videos?x=y").is(422, "invalid"),
		"the dialect":  stranger.do("POST", "/api/ai/query", "{}").is(200),
	} {
		if got.header.Get("RateLimit") == "" || got.header.Get("RateLimit-Policy") != `"requests";q=1200;w=60` {
			t.Errorf("%s: %v", name, got.header)
		}
	}
}

// Generators of clients make a type of each name, and take numbers for short ones unless the
// document says otherwise.
func TestForeignGeneratorsReadTheDocument(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	must(t, err)
	var d struct {
		Components map[string]map[string]json.RawMessage
	}
	must(t, json.Unmarshal(text, &d))
	kinds := map[string]string{}
	for kind, components := range d.Components {
		for name := range components {
			if kinds[name] != "" {
				t.Errorf("%s stands for %s and for %s", name, kinds[name], kind)
			}
			kinds[name] = kind
		}
	}
	var whole any
	must(t, json.Unmarshal(text, &whole))
	eachSchema(whole, "", func(path string, schema map[string]any) {
		kind := fmt.Sprint(schema["type"])
		switch format := schema["format"]; {
		case strings.Contains(kind, "integer") && format != "int64":
			t.Errorf("%s: a whole number with the format %v", path, format)
		case strings.Contains(kind, "number") && format != "double":
			t.Errorf("%s: a number with the format %v", path, format)
		}
	})
}

// eachSchema calls the function for everything in the document that has a type.
func eachSchema(v any, path string, do func(path string, schema map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		if v["type"] != nil {
			do(path, v)
		}
		for name, in := range v {
			eachSchema(in, path+"/"+name, do)
		}
	case []any:
		for i, in := range v {
			eachSchema(in, fmt.Sprintf("%s/%d", path, i), do)
		}
	}
}

// Package json takes a field in any case, and the last of several: a second max_credits
// would decide unseen.
func TestFieldsAreSpelledExactly(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 1000)
	for more, field := range map[string]string{
		`,"max_credits":1,"MAX_CREDITS":1000`:             "MAX_CREDITS",
		`,"Max_Credits":1000`:                             "Max_Credits",
		`,"max_credits":30,"Prompt":"another"`:            "Prompt",
		`,"max_credits":30,"\u017fcene":"image-to-video"`: "\u017fcene",
	} {
		got := c.do("POST", "/api/v1/videos", ordering(more), "Idempotency-Key: a").is(422, "unknown_field").value()
		if got["field"] != field {
			t.Errorf("%s: the field is %v", more, got["field"])
		}
	}
	inOptions := strings.Replace(ordering(`,"max_credits":30`), `"options":{`, `"options":{"DURATION":15,`, 1)
	if got := c.do("POST", "/api/v1/videos", inOptions, "Idempotency-Key: a").is(422, "unknown_field").value(); got["field"] != "options.DURATION" {
		t.Errorf("%v", got)
	}
	for _, odd := range []string{`"max_credits":"5"`, `"max_credits":1e400`, `"count":1.5`} {
		name := strings.Trim(strings.Split(odd, ":")[0], `"`)
		if got := c.do("POST", "/api/v1/videos", ordering(","+odd), "Idempotency-Key: a").is(422, "invalid").value(); got["field"] != name || !strings.Contains(got["detail"].(string), `"`+name+`"`) {
			t.Errorf("%s: %v", odd, got)
		}
	}
	// The service ignores what it does not know.
	said := c.do("POST", "/api/ai/generate", strings.Replace(ordering(`,"PROMPT":"another"`), "{", `{"mediaType":"video",`, 1)).is(200).value()
	if data, is := said["data"].(map[string]any); !is || data["prompt"] != "A harbour at dawn" {
		t.Errorf("%v", said)
	}
}

func TestTextArrivesAsItWasSentOrNotAtAll(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "change", 1000)
	film := h.Film(t, 1, func(*db.Task) {})
	path := fmt.Sprintf("/api/v1/videos/%d", film.ID)
	for _, prompt := range []string{"a\xff\xfe", `a\u0000b`} {
		body := strings.Replace(ordering(`,"max_credits":30`), "A harbour at dawn", prompt, 1)
		c.do("POST", "/api/v1/videos", body, "Idempotency-Key: a").is(400, "invalid")
		if said := c.do("POST", "/api/ai/generate", strings.Replace(body, "{", `{"mediaType":"video",`, 1)).is(200).value(); said["code"] != -1.0 {
			t.Errorf("%q: %v", prompt, said)
		}
	}
	c.do("PATCH", path, `{"tags":["`+strings.Repeat("x", 41)+`"]}`).is(422, "invalid")
	c.do("PATCH", path, `{"tags":["`+strings.Repeat("x", 40)+`"]}`).is(200)
	// The answer has the title that is stored: without what could deceive.
	made := c.do("POST", "/api/v1/videos", ordering(`,"max_credits":30,"title":" clip\u202egnp.exe"`), "Idempotency-Key: t").is(202).value()
	if kept := c.get(fmt.Sprintf("/api/v1/videos/%v", made["id"])).is(200).value(); made["title"] != "clipgnp.exe" || kept["title"] != made["title"] {
		t.Errorf("answered with %q, kept is %q", made["title"], kept["title"])
	}
}

// A body that breaks off is the program's fault.
func TestABodyThatBreaksOffIsNoFaultOfOurs(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "change", 1000)
	for path, want := range map[string]int{"/api/v1/videos": 400, "/api/v1/webhooks": 400, "/api/ai/generate": 200} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(h.URL, "http://"))
		must(t, err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n", path, c.token)
		must(t, err)
		got, err := http.ReadResponse(bufio.NewReader(conn), nil)
		must(t, err)
		body, err := io.ReadAll(got.Body)
		must(t, err)
		if got.StatusCode != want || strings.Contains(string(body), "internal error") {
			t.Errorf("%s: %d %s", path, got.StatusCode, body)
		}
	}
}

// A number of seconds that is too large for a duration is too large.
func TestNobodyWaitsForCenturies(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "look", 0)
	film := h.Film(t, 1, func(*db.Task) {})
	for _, wait := range []string{"26", "-1", "9223372037", "18446744074", "99999999999999999999"} {
		c.get(fmt.Sprintf("/api/v1/videos/%d?wait=%s", film.ID, wait)).is(422, "invalid")
	}
}

// One's own video is not somebody else's because it is not done yet.
func TestAVideoThatIsNotDoneStays(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "change", 1000)
	film := h.Film(t, 1, func(task *db.Task) { task.State, task.Media = db.Pending, nil })
	path := fmt.Sprintf("/api/v1/videos/%d", film.ID)
	if got := c.do("DELETE", path, "").is(409, "busy"); got.header.Get("Retry-After") == "" {
		t.Errorf("%v", got.header)
	}
	c.get(path).is(200)
}

// What is allowed to cost nothing is not made while nobody knows what it costs: it would
// count for nothing against the cap, however much the service charges.
func TestNothingIsHeldForNothing(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 50)
	unpriced := strings.Replace(ordering(`,"max_credits":%s,"accept_unknown_price":true`), "720p", "480p", 1)
	for _, most := range []string{"0", "-0"} {
		if got := c.do("POST", "/api/v1/videos", fmt.Sprintf(unpriced, most), "Idempotency-Key: a").is(422, "price_unknown").value(); got["field"] != "max_credits" {
			t.Errorf("%v", got)
		}
	}
	c.do("POST", "/api/v1/videos", fmt.Sprintf(unpriced, "50"), "Idempotency-Key: a").is(202)
}

func TestOnlyItsOwnTagMatches(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "look", 0)
	tag := c.get("/api/v1/models").is(200).header.Get("ETag")
	for list, want := range map[string]int{tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, "*": 304, "x" + tag + "y": 200, strings.Trim(tag, `"`): 200, "": 200} {
		c.get("/api/v1/models", "If-None-Match: "+list).is(want)
	}
}

// Only an answer that was given before is said to be replayed.
func TestARepeatThatWaitsIsNoReplay(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "make", 100)
	body := ordering(`,"max_credits":30`)
	c.do("POST", "/api/v1/videos", body, "Idempotency-Key: a").is(202)
	unanswer(t, h, 0)
	if got := c.do("POST", "/api/v1/videos", body, "Idempotency-Key: a").is(409, "busy"); got.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("%v", got.header)
	}
}

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
	for _, row := range h.App.Routes() {
		pattern := row.Pattern
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
