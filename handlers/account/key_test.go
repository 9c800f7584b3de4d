package account_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
)

func TestKeyIsShownByItsLastFourAndNowhereElse(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	const key = "sk-abcdefghijklmnopqrstuvwxyzWXYZ12"
	h.Wire.Divert(unreachable) // so that the key is saved untested
	p.Post("/settings/key", url.Values{"key": {" " + key + "\n"}}).Is(303)
	h.Wire.Divert(nil)
	p.Get("/settings").Is(200).Shows("YZ12").Hides(key, "abcdefgh")
	p.Post("/settings/key/test", nil).Is(303)
	p.Get("/settings").Is(200).Shows("refuses this key").Hides(key)
	p.Post("/create/text-to-video", handlerstest.GoodForm()).Is(422).Hides(key)
	kept, err := h.Store.Keys.Key(t.Context(), 1)
	must(t, err)
	if strings.Contains(string(kept.Sealed), "abcdefgh") || strings.Contains(string(kept.Fingerprint), "abcdefgh") {
		t.Error("the key lies in the database in the clear")
	}
	if strings.Contains(h.Log.String(), "abcdefgh") || strings.Contains(h.Log.String(), handlerstest.Password) {
		t.Error("a secret is in the log")
	}
	p.Post("/settings/sandbox/key", nil).Is(303)
	p.Post("/settings/key/test", nil).Is(303)
	p.Get("/settings").Is(200).Shows("It works.")
	p.Post("/settings/sandbox/credits", nil).Is(303)
	p.Get("/settings").Is(200).Shows("2,000")
	p.Post("/settings/key/delete", nil).Is(303)
	p.Post("/settings/key/test", nil).Is(303)
	p.Get("/settings").Is(200).Shows("No key to test")
}

// After a change of services, a key of one's own is asked for anew. The earlier one is kept
// for the earlier service.
func TestOwnKeysAreForOneService(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	p.Get("/settings").Is(200).Lacks("#earlier-keys")
	h.Connect(t, "https://video.example.com")
	p.Get("/settings").Is(200).Shows("add one for it.").Shows("video.example.com").
		Shows("Your practice key is kept for practice mode.").Shows("Video service")
	key, err := h.Sandbox.NewKey(t.Context(), "Kim", 100)
	must(t, err)
	p.Post("/settings/key", url.Values{"key": {key}}).Is(303)
	p.Get("/settings").Is(200).Hides("add one for it.").Shows("Your practice key is kept for practice mode.")
	p.Post("/team/service", url.Values{"do": {"practice"}}).Is(303)
	p.Get("/settings").Is(200).Shows("is kept, in case your team returns there.").Hides("practice key is kept")
}

// A key that was encrypted with another secret, for example because the data was
// restored without its secret, counts as no key, and the user is told.
func TestKeyThatDoesNotOpenIsAskedForAgain(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	other, err := secrets.NewVault([]byte("another secret"))
	must(t, err)
	must(t, h.Store.Keys.PutKey(t.Context(), secrets.Key{
		UserID: 1, Sealed: other.Seal(1, "sk-0123456789abcdef"), LastFour: "cdef", Accepted: true, CreatedAt: db.Now(),
	}))
	p.Get("/settings").Is(200).Shows("We can’t read your key").Shows("Paste it again").Hides("cdef")
	p.Post("/settings/key/test", nil).Is(303)
	p.Get("/create/text-to-video").Is(200).Shows("/settings#sandbox")
	p.Post("/create/text-to-video", handlerstest.GoodForm()).Is(422).Shows("Add a key first")
	p.Post("/settings/sandbox/credits", nil).Is(303)
	running := h.AddTask(t, 1, db.Processing)
	p.Get(fmt.Sprintf("/tasks/%d", running.ID)).Is(200)
	p.Post("/settings/sandbox/key", nil).Is(303)
	p.Get("/settings").Is(200).Hides("We can’t read your key")
	p.Post("/create/text-to-video", handlerstest.GoodForm()).Is(303)
}

func TestBadKeysAreRefusedBesideTheField(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for _, key := range []string{"", "  ", "two words", "käse", "a\nb", strings.Repeat("x", 600)} {
		p.Post("/settings/key", url.Values{"key": {key}}).Is(422)
	}
}

// unreachable answers in place of a service that cannot be reached.
func unreachable(*http.Request) (*http.Response, error) { return nil, http.ErrServerClosed }

// saying returns a function that answers in the service's place with the error message.
func saying(message string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		body := io.NopCloser(strings.NewReader(fmt.Sprintf(`{"code":-1,"message":%q}`, message)))
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, Request: r}, nil
	}
}

// A key is tested before it is saved. Only a refused one is not saved; the field and its
// reason come back, without the key.
func TestAKeyIsTestedWhenItIsSaved(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	good, err := h.Sandbox.NewKey(t.Context(), "Kim", 100)
	must(t, err)
	save := func(key string) *handlerstest.Answer { return p.Post("/settings/key", url.Values{"key": {key}}) }
	tail := func() string {
		kept, err := h.Store.Keys.Key(t.Context(), 1)
		must(t, err)
		return kept.LastFour
	}
	was := tail()
	save("sk-abcdefghijklmnopqrstuvwxyzWXYZ12").Is(422).Has("#key[aria-invalid=true]").
		Shows("refuses this key, so it isn’t saved").Hides("abcdefgh")
	if tail() != was {
		t.Error("a refused key is saved")
	}
	save(good).Is(303)
	p.Get("/settings").Is(200).Shows("Saved. It works.", "Worked")
	if tail() != secrets.LastFour(good) {
		t.Error("the good key is not saved")
	}
	for key, answer := range map[string]struct {
		divert func(*http.Request) (*http.Response, error)
		said   string
	}{
		"sk-0000000000000000000000000000aaaa": {unreachable, "Saved, but we couldn’t reach the video service"},
		"sk-0000000000000000000000000000bbbb": {saying("invalid params"), "didn’t say if the key works"},
		"sk-0000000000000000000000000000cccc": {saying("recordInfo is null"), "Saved. It works."},
	} {
		h.Wire.Divert(answer.divert)
		save(key).Is(303)
		p.Get("/settings").Is(200).Shows(answer.said, secrets.LastFour(key))
	}
	if n := h.Wire.Count("/api/ai/generate"); n != 0 {
		t.Errorf("a test of a key made %d calls that cost credits", n)
	}
}

func TestKeyTestSaysWhenTheServiceIsAway(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Wire.Divert(unreachable)
	p.Post("/settings/key/test", nil).Is(303)
	p.Get("/settings").Is(200).Shows("couldn’t reach the video service")
}

// The service answers all users of this program together.
func TestOneMemberAsksTheServiceOnlySoOften(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	wrong := url.Values{"key": {"sk-abcdefghijklmnopqrstuvwxyzWXYZ12"}}
	p.Post("/settings/key", wrong).Is(422)
	for range 60 {
		p.Post("/settings/key/test", nil).Is(303)
	}
	if n := h.Wire.Count("/api/ai/query"); n == 0 || n > 30 {
		t.Errorf("the service was asked %d times", n)
	}
	p.Get("/settings").Is(200).Shows("Too many tests")
	p.Post("/settings/key", wrong).Is(429).Has("#key[aria-invalid=true]").Shows("Too many tries")
}
