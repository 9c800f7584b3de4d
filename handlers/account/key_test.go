package account_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestKeyIsShownByItsLastFourAndNowhereElse(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	const key = "sk-abcdefghijklmnopqrstuvwxyzWXYZ12"
	p.Post("/settings/key", url.Values{"key": {" " + key + "\n"}}).Is(303)
	p.Get("/settings").Is(200).Shows("YZ12").Hides(key, "abcdefgh")
	p.Post("/settings/key/test", nil).Is(303)
	p.Get("/settings").Is(200).Shows("does not accept").Hides(key)
	p.Post("/create/text-to-video", handlerstest.GoodForm()).Is(422).Hides(key)
	kept, err := h.Store.Key(t.Context(), 1)
	must(t, err)
	if strings.Contains(string(kept.Sealed), "abcdefgh") || strings.Contains(string(kept.Fingerprint), "abcdefgh") {
		t.Error("the key lies in the database in the clear")
	}
	if strings.Contains(h.Log.String(), "abcdefgh") || strings.Contains(h.Log.String(), handlerstest.Password) {
		t.Error("a secret is in the log")
	}
	p.Post("/settings/sandbox/key", nil).Is(303)
	p.Post("/settings/key/test", nil).Is(303)
	p.Get("/settings").Is(200).Shows("accepts")
	p.Post("/settings/sandbox/credits", nil).Is(303)
	p.Get("/settings").Is(200).Shows("2,000")
	p.Post("/settings/key/delete", nil).Is(303)
	p.Post("/settings/key/test", nil).Is(303)
	p.Get("/settings").Is(200).Shows("no key to test")
}

// A key that was encrypted with another secret, for example because the data was
// restored without its secret, counts as no key, and the user is told.
func TestKeyThatDoesNotOpenIsAskedForAgain(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	other, err := db.NewVault([]byte("another secret"))
	must(t, err)
	must(t, h.Store.PutKey(t.Context(), db.Key{UserID: 1, Sealed: other.Seal(1, "sk-0123456789abcdef"), LastFour: "cdef", Accepted: true, CreatedAt: db.Now()}))
	p.Get("/settings").Is(200).Shows("can no longer be opened").Shows("paste your key once more").Hides("cdef")
	p.Post("/settings/key/test", nil).Is(303)
	p.Get("/create/text-to-video").Is(200).Shows("/settings#sandbox")
	p.Post("/create/text-to-video", handlerstest.GoodForm()).Is(422).Shows("no API key yet")
	p.Post("/settings/sandbox/credits", nil).Is(303)
	running := h.AddTask(t, 1, db.Processing)
	p.Get(fmt.Sprintf("/tasks/%d", running.ID)).Is(200)
	p.Post("/settings/sandbox/key", nil).Is(303)
	p.Get("/settings").Is(200).Hides("can no longer be opened")
	p.Post("/create/text-to-video", handlerstest.GoodForm()).Is(303)
}

func TestBadKeysAreRefusedBesideTheField(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for _, key := range []string{"", "  ", "two words", "käse", "a\nb", strings.Repeat("x", 600)} {
		p.Post("/settings/key", url.Values{"key": {key}}).Is(422)
	}
}

func TestKeyTestSaysWhenTheServiceIsAway(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Wire.Divert(func(*http.Request) (*http.Response, error) { return nil, http.ErrServerClosed })
	p.Post("/settings/key/test", nil).Is(303)
	p.Get("/settings").Is(200).Shows("could not be asked just now")
}

// The service answers all users of this program together.
func TestOneMemberAsksTheServiceOnlySoOften(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	p.Post("/settings/key", url.Values{"key": {"sk-abcdefghijklmnopqrstuvwxyzWXYZ12"}}).Is(303)
	for range 60 {
		p.Post("/settings/key/test", nil).Is(303)
	}
	if n := h.Wire.Count("/api/ai/query"); n == 0 || n > 30 {
		t.Errorf("the service was asked %d times", n)
	}
	p.Get("/settings").Is(200).Shows("tested keys very often")
}
