package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
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
