package program_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/handlers/handlerstest"
)

// post is a request that the webhook received.
type post struct {
	body   string
	header http.Header
}

// listener starts a user's program that responds with the status. It returns its
// address and the requests that it gets.
func listener(t *testing.T, status int) (address string, got chan post) {
	t.Helper()
	got = make(chan post, 20)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- post{string(b), r.Header}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/hook", got
}

var secretOnPage = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`)

// secretIn returns the new secret that the page shows.
func secretIn(p *handlerstest.Browser, path string) string {
	return secretOnPage.FindString(strings.ReplaceAll(p.Get(path).Is(200).Text, "&#43;", "+"))
}

func TestAWebhookIsSetUpTestedAndTold(t *testing.T) {
	h := handlerstest.New(t)
	h.Run(t)
	p := h.Founder(t)
	address, got := listener(t, 200)
	p.Get("/settings").Is(200).Shows("New webhook").Hides("whsec_")
	p.Get("/settings/webhooks/new").Is(200).Has("[name=webhook]").Has(`[value="video.ready"][checked]`).Hides("[value=test]")
	page := handlerstest.AddedWebhook(p, address)
	secret := secretIn(p, page)
	if secret == "" {
		t.Fatal("the secret is not shown")
	}
	p.Get(page).Shows("Send a test", "Nothing sent yet").Has(`[value="` + address + `"]`).Hides("whsec_")
	p.Get("/settings").Shows(address, "Told of ready videos, failed videos.").Hides("whsec_")
	p.Post(page+"/test", nil).Is(303).LeadsTo(page)
	if test := <-got; !strings.HasPrefix(test.body, `{"type":"test",`) || !strings.HasPrefix(test.header.Get("webhook-signature"), "v1,") {
		t.Errorf("the test says %s", test.body)
	}
	p.Get(page).Shows("The test arrived.", "Arrived", "Works")

	p.Post("/create/text-to-video",
		url.Values{"model": {"seedance-2.0"}, "prompt": {"a boat"}, "duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {"16:9"},
			"generate_audio": {"true"}}).Is(303)
	told := <-got
	var message struct {
		Type string
		Data struct {
			ID         int64
			State      string
			Page, File string
		}
	}
	must(t, json.Unmarshal([]byte(told.body), &message))
	if d := message.Data; message.Type != "video.ready" || d.State != "success" || d.Page != h.URL+"/tasks/1" ||
		d.File != h.URL+"/api/v1/videos/1/file" {
		t.Errorf("told %s", told.body)
	}
	handlerstest.Eventually(t, "the page has the delivery", func() bool { return strings.Count(p.Get(page).Text, ">Arrived<") == 2 })
	p.Post(page+"/deliveries/2/again", nil).Is(303).LeadsTo(page)
	if again := <-got; again.header.Get("webhook-id") != told.header.Get("webhook-id") || again.body != told.body {
		t.Errorf("sent again as %s", again.body)
	}
	if log := h.Log.String(); strings.Contains(log, secret) || strings.Contains(log, "/hook") {
		t.Error("the log holds the secret or the address")
	}
	sealed, err := h.Store.Webhooks.Secrets(t.Context(), 1, db.Now())
	must(t, err)
	if len(sealed) != 1 || strings.Contains(string(sealed[0]), secret) {
		t.Error("the secret lies open in the database")
	}
}

func TestAFailingWebhookIsReported(t *testing.T) {
	h := handlerstest.New(t)
	h.Run(t)
	p := h.Founder(t)
	for status, want := range map[int]string{500: "The test didn’t arrive. It answered with HTTP 500.", 410: "nothing is sent"} {
		address, _ := listener(t, status)
		page := handlerstest.AddedWebhook(p, address)
		p.Post(page+"/test", nil).Is(303)
		p.Get(page).Shows(want, "Failed")
		if status == 410 {
			p.Get("/settings").Shows("Off")
			p.Post(page+"/on", nil).Is(303)
			p.Get(page).Hides("nothing is sent")
		}
	}
}

func TestTestsOfAWebhookFloodNobody(t *testing.T) {
	h := handlerstest.New(t)
	h.Run(t)
	p := h.Founder(t)
	address, got := listener(t, 200)
	page := handlerstest.AddedWebhook(p, address)
	for i := range 14 {
		if i%4 == 3 { // another address of the same host does not help
			page = handlerstest.AddedWebhook(p, address+strings.Repeat("/", i))
		}
		p.Post(page+"/test", nil).Is(303)
	}
	p.Get(page).Shows("Too many tests")
	if n := len(got); n < 8 || n > 12 {
		t.Errorf("%d tests were sent", n)
	}
}

func TestAWebhookIsChangedRenewedAndDeleted(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for _, bad := range []string{"", "nonsense", "ftp://example.com", "javascript:alert(1)", "https://" + strings.Repeat("x", 2100)} {
		p.Post("/settings/webhooks", url.Values{"webhook": {bad}}).Is(422).Shows("A web address starts with https://").
			Has("[aria-invalid=true]")
	}
	p.Post("/settings/webhooks", url.Values{"webhook": {"https://one.example.com"}, "chosen": {"1"}}).Is(422).Shows("Choose at least one.").
		Has(`[value="https://one.example.com"]`)
	page := handlerstest.AddedWebhook(p, "https://one.example.com/a")
	first := secretIn(p, page)
	p.Post(page, url.Values{"webhook": {"https://two.example.com/b"}, "types": {"note.created", "nothing"}}).Is(303)
	p.Get(page).Shows("two.example.com").Hides("whsec_", "one.example.com").Has(`[value="note.created"][checked]`)
	p.Post(page, url.Values{"webhook": {"https://"}, "types": {"note.created"}}).Is(422).Shows("A web address starts with https://")
	p.Post(page+"/secret", nil).Is(303)
	if second := secretIn(p, page); second == "" || second == first {
		t.Errorf("renewed from %q to %q", first, second)
	}
	ada := h.Joiner(t, p, "ada")
	ada.Get("/settings").Hides("two.example.com")
	ada.Get(page).Is(404)
	for _, action := range []string{"/delete", "/secret", "/test", "/on", "/deliveries/1/again"} {
		ada.Post(page+action, nil).Is(404)
	}
	for range 4 {
		handlerstest.AddedWebhook(p, "https://more.example.com")
	}
	p.Post("/settings/webhooks", url.Values{"webhook": {"https://six.example.com"}, "types": {"video.ready"}}).Is(422).
		Shows("Five webhooks at most.")
	p.Get("/settings").Hides("New webhook")
	p.Post(page+"/delete", nil).Is(303).LeadsTo("/settings#webhook-section")
	p.Get("/settings").Shows("Deleted.").Hides("two.example.com")
}

// The addresses from when there was one webhook are about one with the format of that time.
// Without it, there is nothing, except for the button that changes the format.
func TestTheAddressesOfASingleWebhookEndWithIt(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	ada := h.Joiner(t, p, "ada")
	secretIn(p, handlerstest.AddedWebhook(p, "https://standard.example.com/"))
	for _, who := range []*handlerstest.Browser{p, ada} {
		for _, path := range []string{"/settings/webhook", "/settings/webhook/secret", "/settings/webhook/test",
			"/settings/webhook/delete"} {
			who.Post(path, url.Values{"webhook": {"https://one.example.com/a"}}).Is(404)
		}
		who.Post("/settings/webhook/standard", nil).Is(303)
		who.Get("/settings").Shows("have the standard format already").Hides("whsec_", "one.example.com")
	}
	earlier := handlerstest.AddEarlierHook(t, h, 1)
	page := fmt.Sprintf("/settings/webhooks/%d", earlier)
	p.Post("/settings/webhook", url.Values{"webhook": {"https://two.example.com/b"}, "notes": {"on"}}).Is(303).LeadsTo(page)
	p.Get(page).Shows("two.example.com").Has(`[value="verdict.given"][checked]`)
	for _, action := range []string{"secret", "test"} {
		p.Post("/settings/webhook/"+action, nil).Is(303).LeadsTo(page)
		p.Get(page).Shows("has a format from before the standard one, and is off").Hides("whsec_")
	}
	ada.Post("/settings/webhook/delete", nil).Is(404)
	p.Post("/settings/webhook/delete", nil).Is(303)
	p.Get("/settings").Hides("two.example.com").Shows("standard.example.com")
	p.Post("/settings/webhook/delete", nil).Is(404)
}

// The team's webhooks are for admins.
func TestAdminsManageTheWebhooksOfTheTeam(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	ada := h.Joiner(t, p, "ada")
	p.Get("/team/webhooks").Is(200).Shows("New webhook")
	p.Get("/settings/webhooks/new?team=1").Is(200).Shows("New webhook of the team")
	page := handlerstest.AddedWebhook(p, "https://team.example.com/x", "team", "1")
	p.Get("/team/webhooks").Is(200).Shows("https://team.example.com/x")
	p.Get("/settings").Hides("team.example.com")
	p.Get(page).Is(200).Shows("Webhooks of the team")
	ada.Get(page).Is(404)
	ada.Get("/team/webhooks").Is(404)
	own := handlerstest.AddedWebhook(ada, "https://ada.example.com/", "team", "1") // for members, it is their own
	ada.Get("/settings").Shows("ada.example.com")
	p.Get(own).Is(404)
	p.Get("/team/webhooks").Hides("ada.example.com")
	ada.Post(page+"/delete", nil).Is(404)
	p.Post("/members/2/role", url.Values{"role": {"admin"}}).Is(303)
	ada.Post(page+"/delete", nil).Is(303).LeadsTo("/team/webhooks")
}

// The owner of a webhook from before the standard format is told on every page that it is
// off, and turns it on with one press, in the standard format.
func TestAnEarlierWebhookIsTurnedOnInTheStandardFormat(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	ada := h.Joiner(t, p, "ada")
	page := fmt.Sprintf("/settings/webhooks/%d", handlerstest.AddEarlierHook(t, h, 1))
	for _, path := range []string{"/gallery", "/settings", page} {
		p.Get(path).Has(`.notice a[href="` + page + `"]`).Shows("A webhook of yours is off")
	}
	ada.Get("/gallery").Lacks(".notice")
	p.Get("/settings").Shows("Earlier format")
	p.Get(page).Shows("Change format").Hides("Turn on", "Send a test", "New signing secret")
	p.Post(page+"/on", nil).Is(303)
	p.Get(page).Shows("Change its format first.")
	p.Post("/settings/webhook/standard", nil).Is(303).LeadsTo(page)
	if secretIn(p, page) == "" {
		t.Error("no secret is shown")
	}
	p.Get(page).Hides("Change format", "is off").Lacks(".notice").Shows("Send a test", "New signing secret")
	hook, err := h.Store.Webhooks.Webhook(t.Context(), 1)
	must(t, err)
	sealed, err := h.Store.Webhooks.Secrets(t.Context(), 1, db.Now())
	must(t, err)
	if len(sealed) != 1 || hook.State != outbox.On || !hook.Standard {
		t.Errorf("%d secrets sign for %+v", len(sealed), hook)
	}
}

// After a restore nothing is sent to a webhook, not even a test, until an admin confirms
// that with one press. Every page tells admins, and nobody else.
func TestWebhooksOfABackupWaitForAnAdmin(t *testing.T) {
	h := handlerstest.New(t)
	h.Run(t)
	p := h.Founder(t)
	ada := h.Joiner(t, p, "ada")
	address, got := listener(t, 204)
	page := handlerstest.AddedWebhook(ada, address)
	_, err := h.Store.Accounts.CloseAccess(t.Context(), "a backup", db.Now())
	must(t, err)
	// A restore signs everybody out.
	for who, email := range map[*handlerstest.Browser]string{p: "kim@example.com", ada: "ada@example.com"} {
		who.Post("/login", handlerstest.Credentials(email, handlerstest.Password)).Is(303)
	}
	ada.Get(page).Shows("Waits for an admin").Hides("Send a test", "Turn on")
	ada.Get("/gallery").Lacks(".notice")
	for _, action := range []string{"/test", "/on"} {
		ada.Post(page+action, nil).Is(303).LeadsTo(page)
		ada.Get(page).Shows("is of a restored copy")
	}
	ada.Post("/team/service", url.Values{"do": {"webhooks"}}).Is(403)
	p.Get("/gallery").Has(`.notice a[href="/team/service#webhooks"]`)
	p.Get("/team/service").Shows("1 webhook came with a backup").Has(`button[name=do][value=webhooks]`)
	if len(got) != 0 {
		t.Fatalf("told %d times", len(got))
	}
	p.Post("/team/service", url.Values{"do": {"webhooks"}}).Is(303)
	p.Get("/team/service").Shows("Webhooks are told again").Lacks(`button[value=webhooks]`, ".notice")
	ada.Post(page+"/test", nil).Is(303)
	ada.Get(page).Shows("The test arrived.")
}
