package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
)

func TestKeyIsShownByItsLastFourAndNowhereElse(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	const key = "sk-abcdefghijklmnopqrstuvwxyzWXYZ12"
	p.post("/settings/key", url.Values{"key": {" " + key + "\n"}}).is(303)
	p.get("/settings").is(200).shows("YZ12").hides(key, "abcdefgh")
	p.post("/settings/key/test", nil).is(303)
	p.get("/settings").is(200).shows("does not accept").hides(key)
	p.post("/create/text-to-video", good()).is(422).hides(key)
	kept, err := h.store.Key(t.Context(), 1)
	must(t, err)
	if strings.Contains(string(kept.Sealed), "abcdefgh") || strings.Contains(string(kept.Fingerprint), "abcdefgh") {
		t.Error("the key lies in the database in the clear")
	}
	if strings.Contains(h.log.String(), "abcdefgh") || strings.Contains(h.log.String(), password) {
		t.Error("a secret is in the log")
	}
	p.post("/settings/sandbox/key", nil).is(303)
	p.post("/settings/key/test", nil).is(303)
	p.get("/settings").is(200).shows("accepts")
	p.post("/settings/sandbox/credits", nil).is(303)
	p.get("/settings").is(200).shows("2,000")
	p.post("/settings/key/delete", nil).is(303)
	p.post("/settings/key/test", nil).is(303)
	p.get("/settings").is(200).shows("no key to test")
}

// A key that was sealed with another secret, as after the data was restored
// without it, is like none, and the person is told.
func TestKeyThatDoesNotOpenIsAskedForAgain(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	other, err := db.NewVault([]byte("another secret"))
	must(t, err)
	must(t, h.store.PutKey(t.Context(), db.Key{UserID: 1, Sealed: other.Seal(1, "sk-0123456789abcdef"), LastFour: "cdef", Accepted: true, CreatedAt: db.Now()}))
	p.get("/settings").is(200).shows("can no longer be opened").shows("paste your key once more").hides("cdef")
	p.post("/settings/key/test", nil).is(303)
	p.get("/create/text-to-video").is(200).shows("/settings#sandbox")
	p.post("/create/text-to-video", good()).is(422).shows("no API key yet")
	p.post("/settings/sandbox/credits", nil).is(303)
	running := h.addTask(t, 1, db.Processing)
	p.get(fmt.Sprintf("/tasks/%d", running.ID)).is(200)
	p.post("/settings/sandbox/key", nil).is(303)
	p.get("/settings").is(200).hides("can no longer be opened")
	p.post("/create/text-to-video", good()).is(303)
}

func TestBadKeysAreRefusedBesideTheField(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	for _, key := range []string{"", "  ", "two words", "käse", "a\nb", strings.Repeat("x", 600)} {
		p.post("/settings/key", url.Values{"key": {key}}).is(422)
	}
}

func TestKeyTestSaysWhenTheServiceIsAway(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.wire.divert(func(*http.Request) (*http.Response, error) { return nil, http.ErrServerClosed })
	p.post("/settings/key/test", nil).is(303)
	p.get("/settings").is(200).shows("could not be asked just now")
}
