package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"dailies/db"
)

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
