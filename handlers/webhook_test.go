package handlers_test

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
)

// post is one request that a webhook got.
type post struct{ body, signature string }

// listener is a person's own program.
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
	h := newHouse(t)
	h.work(t)
	p := h.founder(t)
	address, got := listener(t, 200)
	p.get("/settings").is(200).shows("Webhook").hides("Send a test", "whsec_")
	p.post("/settings/webhook", url.Values{"webhook": {address}}).is(303).leadsTo("/settings#webhook-section")
	page := p.get("/settings").is(200).shows("Send a test", `value="`+address+`"`, "Nothing was sent yet")
	secret := secretOnPage.FindString(page.body)
	if secret == "" {
		t.Fatal("the secret is not shown")
	}
	p.get("/settings").hides("whsec_")
	p.post("/settings/webhook/test", nil).is(303)
	if test := <-got; !strings.Contains(test.body, `"test":true`) {
		t.Errorf("the test says %s", test.body)
	}
	p.get("/settings").shows("The test arrived.", "Arrived")

	p.post("/create/text-to-video", url.Values{"model": {"seedance-2.0"}, "prompt": {"a boat"}, "duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {"16:9"}, "generate_audio": {"true"}}).is(303)
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
	p.get(strings.TrimPrefix(notice.Media, h.URL)).is(200)
	if log := h.log.String(); strings.Contains(log, secret) || strings.Contains(log, "/hook") {
		t.Error("the log holds the secret or the address")
	}
	key, err := h.store.Webhook(t.Context(), 1)
	must(t, err)
	if strings.Contains(string(key.Sealed), secret) {
		t.Error("the secret lies open in the database")
	}
}

func TestAWebhookThatFailsIsToldOf(t *testing.T) {
	h := newHouse(t)
	h.work(t)
	p := h.founder(t)
	address, _ := listener(t, 500)
	p.post("/settings/webhook", url.Values{"webhook": {address}}).is(303)
	p.post("/settings/webhook/test", nil).is(303)
	p.get("/settings").shows("The test did not arrive. It answered with HTTP 500.", "Given up")
}

func TestAWebhookIsChangedRenewedAndDeleted(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	for _, bad := range []string{"", "nonsense", "ftp://example.com", "javascript:alert(1)", "https://" + strings.Repeat("x", 2100)} {
		p.post("/settings/webhook", url.Values{"webhook": {bad}}).is(422).shows("This is not a web address", `aria-invalid="true"`)
	}
	p.post("/settings/webhook/secret", nil).is(303)
	p.get("/settings").shows("There is no webhook yet").hides("whsec_")
	p.post("/settings/webhook", url.Values{"webhook": {"https://one.example.com/a"}}).is(303)
	first := secretOnPage.FindString(p.get("/settings").body)
	p.post("/settings/webhook", url.Values{"webhook": {"https://two.example.com/b"}}).is(303)
	p.get("/settings").shows("two.example.com").hides("whsec_", "one.example.com")
	p.post("/settings/webhook/secret", nil).is(303)
	if second := secretOnPage.FindString(p.get("/settings").body); second == "" || second == first {
		t.Errorf("renewed from %q to %q", first, second)
	}
	ada := h.joiner(t, p, "ada")
	ada.get("/settings").hides("two.example.com")
	ada.post("/settings/webhook/delete", nil).is(303)
	h.addTask(t, 1, db.Failed)
	p.get("/settings").shows("two.example.com", "Did not work", "Waiting")
	p.post("/settings/webhook/delete", nil).is(303)
	p.get("/settings").hides("two.example.com", "Send a test")
}
