package account_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

// post is a request that the webhook received.
type post struct{ body, signature string }

// listener starts a user's program that responds with the status. It returns its
// address and the requests that it gets.
func listener(t *testing.T, status int) (address string, got chan post) {
	t.Helper()
	got = make(chan post, 20)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- post{string(b), r.Header.Get("Dailies-Signature")}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/hook", got
}

var secretOnPage = regexp.MustCompile(`whsec_[A-Z0-9]+`)

func TestAWebhookIsSetUpTestedAndTold(t *testing.T) {
	h := handlerstest.New(t)
	h.Run(t)
	p := h.Founder(t)
	address, got := listener(t, 200)
	p.Get("/settings").Is(200).Shows("Webhook").Hides("Send a test", "whsec_")
	p.Post("/settings/webhook", url.Values{"webhook": {address}}).Is(303).LeadsTo("/settings#webhook-section")
	page := p.Get("/settings").Is(200).Shows("Send a test", "Nothing sent yet").Has(`[value="` + address + `"]`)
	secret := secretOnPage.FindString(page.Text)
	if secret == "" {
		t.Fatal("the secret is not shown")
	}
	p.Get("/settings").Hides("whsec_")
	p.Post("/settings/webhook/test", nil).Is(303)
	if test := <-got; !strings.Contains(test.body, `"test":true`) {
		t.Errorf("the test says %s", test.body)
	}
	p.Get("/settings").Shows("The test arrived.", "Arrived")

	p.Post("/create/text-to-video", url.Values{"model": {"seedance-2.0"}, "prompt": {"a boat"}, "duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {"16:9"}, "generate_audio": {"true"}}).Is(303)
	told := <-got
	var notice struct {
		ID          int64
		State       string
		Page, Media string
	}
	must(t, json.Unmarshal([]byte(told.body), &notice))
	if notice.State != "success" || notice.Page != h.URL+"/tasks/1" || !strings.HasPrefix(notice.Media, h.URL+"/media/") {
		t.Errorf("told %s", told.body)
	}
	p.Get(strings.TrimPrefix(notice.Media, h.URL)).Is(200)
	if log := h.Log.String(); strings.Contains(log, secret) || strings.Contains(log, "/hook") {
		t.Error("the log holds the secret or the address")
	}
	key, err := h.Store.Webhooks.Webhook(t.Context(), 1)
	must(t, err)
	if strings.Contains(string(key.Sealed), secret) {
		t.Error("the secret lies open in the database")
	}
}

func TestAFailingWebhookIsReported(t *testing.T) {
	h := handlerstest.New(t)
	h.Run(t)
	p := h.Founder(t)
	address, _ := listener(t, 500)
	p.Post("/settings/webhook", url.Values{"webhook": {address}}).Is(303)
	p.Post("/settings/webhook/test", nil).Is(303)
	p.Get("/settings").Shows("The test didn’t arrive. It answered with HTTP 500.", "Failed")
}

func TestTestsOfAWebhookFloodNobody(t *testing.T) {
	h := handlerstest.New(t)
	h.Run(t)
	p := h.Founder(t)
	address, got := listener(t, 200)
	p.Post("/settings/webhook", url.Values{"webhook": {address}}).Is(303)
	for i := range 14 {
		if i%4 == 0 { // another address of the same host does not help
			p.Post("/settings/webhook", url.Values{"webhook": {address + strings.Repeat("/", i)}}).Is(303)
		}
		p.Post("/settings/webhook/test", nil).Is(303)
	}
	p.Get("/settings").Shows("Too many tests")
	if n := len(got); n < 8 || n > 12 {
		t.Errorf("%d tests were sent", n)
	}
}

func TestAWebhookIsChangedRenewedAndDeleted(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for _, bad := range []string{"", "nonsense", "ftp://example.com", "javascript:alert(1)", "https://" + strings.Repeat("x", 2100)} {
		p.Post("/settings/webhook", url.Values{"webhook": {bad}}).Is(422).Shows("A web address starts with https://").Has("[aria-invalid=true]")
	}
	p.Post("/settings/webhook/secret", nil).Is(303)
	p.Get("/settings").Shows("Save an address first").Hides("whsec_")
	p.Post("/settings/webhook", url.Values{"webhook": {"https://one.example.com/a"}}).Is(303)
	first := secretOnPage.FindString(p.Get("/settings").Text)
	p.Post("/settings/webhook", url.Values{"webhook": {"https://two.example.com/b"}}).Is(303)
	p.Get("/settings").Shows("two.example.com").Hides("whsec_", "one.example.com")
	p.Post("/settings/webhook/secret", nil).Is(303)
	if second := secretOnPage.FindString(p.Get("/settings").Text); second == "" || second == first {
		t.Errorf("renewed from %q to %q", first, second)
	}
	ada := h.Joiner(t, p, "ada")
	ada.Get("/settings").Hides("two.example.com")
	ada.Post("/settings/webhook/delete", nil).Is(303)
	h.AddTask(t, 1, db.Failed)
	p.Get("/settings").Shows("two.example.com", "Failed", "Waiting")
	p.Post("/settings/webhook/delete", nil).Is(303)
	p.Get("/settings").Hides("two.example.com", "Send a test")
}
