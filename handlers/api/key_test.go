package api_test

import (
	"bytes"
	"database/sql"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/handlers/handlerstest"
)

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
	if again.header.Get("Idempotent-Replayed") != "true" || !bytes.Equal(first.body, again.body) || again.header.Get("Location") != "/api/v1/videos/1" {
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
		again := []reply{c.do("POST", call.path, call.body, "Idempotency-Key: of-"+call.path), other.do("POST", call.path, call.body, "Idempotency-Key: of-"+call.path)}
		if string(again[0].body) != string(again[1].body) || slices.ContainsFunc(again, func(r reply) bool { return r.header.Get("Idempotent-Replayed") != "true" }) {
			t.Errorf("%s: %s and %s", call.path, again[0].body, again[1].body)
		}
	}
}
