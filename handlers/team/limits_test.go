package team_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
)

// film returns a form for a video whose price the service states: 30 credits. More has
// names and values of further fields.
func film(more ...string) url.Values {
	form := url.Values{
		"token": {secrets.NewToken()}, "model": {"seedance-2.0"}, "prompt": {"a tram in the rain"}, "duration": {"5"},
		"resolution": {"720p"},
	}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

const scene = "/create/text-to-video"

func TestAnOrderBeyondTheLimitIsExplainedRequestedAndAllowed(t *testing.T) {
	h := handlerstest.New(t)
	admin := h.Founder(t)
	bo := h.Joiner(t, admin, "Bo")
	admin.Post("/team/limits", url.Values{"default": {"50"}, "unpriced": {"allow"}}).LeadsTo("/team/spending")
	bo.Get(scene + "?model=seedance-2.0&duration=5&resolution=720p").Is(200).Shows("50 of 50 left this month").Lacks("#ask")
	handlerstest.Made(t, bo.Post(scene, film()))

	bo.Get(scene + "?model=seedance-2.0&duration=5&resolution=720p").Is(200).Shows("10 credits short: 20 of 50 left this month.").
		Has("button.make").Lacks("button.make[disabled]")
	refused := bo.Post(scene, film()).Is(422).Shows("10 credits short: 20 of 50 left this month.", "a tram in the rain", "Ask for more").
		Has("[name=ask_credits][value=10]")
	if n := strings.Count(refused.Text, "10 credits short"); n != 1 {
		t.Errorf("the page says %d times what is wrong", n)
	}
	if n := len(h.Mine(t, 2)); n != 1 {
		t.Fatalf("%d videos were made", n)
	}
	bo.Post(scene, film("do", "ask", "ask_credits", "-1", "ask_sentence", "")).Is(422).
		Shows("a tram in the rain", "Enter a number, such as", "Say in one sentence")
	bo.Post(scene, film("do", "ask", "ask_credits", "1e30", "ask_sentence", strings.Repeat("x", 301))).Is(422).
		Shows("Enter a number, such as", "300 characters at most")
	bo.Post(scene, film("do", "ask", "ask_credits", "30", "ask_sentence", "For the <b>fair</b>.")).Is(200).
		Shows("a tram in the rain", "Asked for 30 more")
	bo.Post(scene, film("do", "ask", "ask_credits", "30", "ask_sentence", "Again.")).Is(200).Shows("For the &lt;b&gt;fair")
	if n := len(h.Mine(t, 2)); n != 1 {
		t.Fatalf("a question made a video: %d", n)
	}

	admin.Get("/gallery").Is(200).Shows("Bo asks for 30 credits more.", "For the &lt;b&gt;fair", "/team/spending#ask-1")
	bo.Get("/gallery").Is(200).Hides("asks for 30")
	admin.Post("/asks/1/answer", url.Values{"answer": {"once"}, "credits": {"NaN"}}).Is(422).Shows("Enter a number, such as 90.", "Bo")
	admin.Post("/asks/1/answer", url.Values{"answer": {"perhaps"}, "credits": {"30"}}).Is(422)
	admin.Post("/asks/1/answer", url.Values{"answer": {"once"}, "credits": {"30"}}).LeadsTo("/team/spending")
	admin.Post("/asks/1/answer", url.Values{"answer": {"no"}, "credits": {"30"}}).LeadsTo("/team/spending")
	admin.Get("/team/spending").Is(200).Shows("gave 30 credits already, once.")
	bo.Get("/gallery").Is(200).Shows("gave you 30 credits more, once this month")
	bo.Post("/limit/seen", nil).Is(303)
	bo.Get("/gallery").Is(200).Hides("gave you 30")

	handlerstest.Made(t, bo.Post(scene, film()))
	bo.Post(scene, film()).Is(422).Shows("30 credits short: 0 of 50 left this month.")
	bo.Post("/limit/ask", url.Values{"ask_credits": {"30"}, "ask_sentence": {"One more."}}).LeadsTo("/limit")
	bo.Post("/limit/ask", url.Values{"ask_credits": {"31"}, "ask_sentence": {"In another tab."}}).LeadsTo("/limit")
	bo.Get("/limit").Is(200).Shows("You’ve asked already.", "One more.").Hides("In another tab.")
	admin.Post("/asks/2/answer", url.Values{"answer": {"no"}, "reason": {"Next month."}}).LeadsTo("/team/spending")
	bo.Get("/limit").Is(200).Shows("said no to more credits: “Next month.”")
	if n := len(h.Mine(t, 2)); n != 2 {
		t.Errorf("%d videos were made", n)
	}
}

func TestLimitsOfTheTeamOfAUserAndOnesOwnAllApply(t *testing.T) {
	h := handlerstest.New(t)
	admin := h.Founder(t)
	bo := h.Joiner(t, admin, "Bo")
	for _, bad := range []string{"-1", "1e30", "NaN", "many", "0x10", "10000000000"} {
		admin.Post("/team/limits", url.Values{"default": {bad}, "team": {"7"}}).Is(422).Shows("Enter a number, such as 500.").
			Has(`[name=team][value="7"]`)
		admin.Post("/members/2/limit", url.Values{"limit": {"own"}, "credits": {bad}}).Is(422).Shows("Enter a number, such as 500.")
		bo.Post("/limit", url.Values{"self": {bad}}).Is(422).Shows("Enter a number, such as 200.")
	}
	admin.Post("/members/2/limit", url.Values{"limit": {"all"}}).Is(422)
	admin.Post("/team/limits", url.Values{"default": {"1,500"}}).LeadsTo("/team/spending")
	admin.Post("/members/2/limit", url.Values{"limit": {"own"}, "next": {"/members/2"}}).Is(422).Shows("1500 credits a month").
		Has(`[name=next][value="/members/2"]`)
	admin.Post("/team/limits", nil).LeadsTo("/team/spending")
	bo.Post("/members/2/limit", url.Values{"limit": {"none"}}).Is(404)
	// An address that fits into no cookie is led to all the same, only not by Undo.
	far := "/members?q=" + strings.Repeat("x", 5000)
	admin.Post("/members/2/limit", url.Values{"limit": {"default"}, "next": {far}}).Is(303).LeadsTo(far)

	admin.Post("/members/2/limit", url.Values{"limit": {"own"}, "credits": {"100"}}).Is(303)
	bo.Post("/limit", url.Values{"self": {"40"}}).LeadsTo("/settings#limit")
	handlerstest.Made(t, bo.Post(scene, film()))
	bo.Post(scene, film()).Is(422).Shows("20 credits short: your own limit leaves 10 of 40 this month.")
	bo.Post("/limit", url.Values{"self": {""}}).LeadsTo("/settings#limit")
	admin.Post("/team/limits", url.Values{"team": {"45,5"}}).LeadsTo("/team/spending")
	bo.Post(scene, film()).Is(422).Shows("14.5 credits short: the team has 15.5 of 45.5 left this month.")
	admin.Post(scene, film()).Is(422).Shows("the team has 15.5", "Change limits")
	admin.Post("/team/limits", url.Values{"team": {""}}).LeadsTo("/team/spending")

	// Of 100 credits, 30 are spent: three more videos do not fit, and two do.
	bo.Post(scene, film("count", "3")).Is(422).Shows("20 credits short: 70 of 100 left this month.").Has(`button[name=only][value="2"]`)
	handlerstest.Made(t, bo.Post(scene, film("count", "3", "only", "2")))
	if n := len(h.Mine(t, 2)); n != 3 {
		t.Errorf("%d videos were made", n)
	}
	for _, want := range []string{"You’ve used 80% of your limit.", ""} {
		page := bo.Get("/gallery").Is(200)
		if said := strings.Contains(page.Text, "You’ve used 80"); said != (want != "") {
			t.Errorf("the warning is there: %t", said)
		}
	}
	entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Noun: "limit", Limit: 100})
	must(t, err)
	var said []string
	for _, e := range entries {
		said = append([]string{fmt.Sprintf("%s %s %s: %s -> %s", e.Actor.Name, e.User, e.What, e.Before, e.After)}, said...)
	}
	if want := "Kim Doe Bo limit: the team's default -> 100 credits a month"; !strings.Contains(strings.Join(said, "\n"), want) ||
		len(said) != 7 {
		t.Errorf("the audit says:\n%s", strings.Join(said, "\n"))
	}
}

func TestVideosOfUnknownPriceNeedAnAdminsPermission(t *testing.T) {
	h := handlerstest.New(t)
	admin := h.Founder(t)
	bo := h.Joiner(t, admin, "Bo")
	admin.Post("/team/limits", url.Values{"unpriced": {"ask"}}).LeadsTo("/team/spending")
	unknown := func() url.Values {
		return url.Values{"token": {secrets.NewToken()}, "model": {"veo3"}, "prompt": {"a tram"}}
	}
	bo.Post(scene, unknown()).Is(422).Shows("This has no fixed price").Has("[name=ask_unpriced]")
	handlerstest.Made(t, admin.Post(scene, unknown()))
	form := unknown()
	form.Set("do", "ask")
	form.Set("ask_unpriced", "true")
	form.Set("ask_credits", "120")
	form.Set("ask_sentence", "To try it.")
	bo.Post(scene, form).Is(200)
	admin.Get("/gallery").Shows("with no fixed price, about 120 credits")
	admin.Post("/asks/1/answer", url.Values{"answer": {"once"}, "credits": {"120"}}).LeadsTo("/team/spending")
	id := handlerstest.Made(t, bo.Post(scene, unknown()))
	task, err := h.Store.Tasks.Task(t.Context(), id)
	must(t, err)
	if task.Reserved != 0 { // it holds nothing before it is sent, alone
		t.Errorf("%g are held for it", task.Reserved)
	}
	bo.Post(scene, unknown()).Is(422).Shows("This has no fixed price")
}

// A video that is sent again in place of an unconfirmed one may use the credits that
// are reserved for that one.
func TestSendingAgainUsesTheReservedCredits(t *testing.T) {
	h := handlerstest.New(t)
	admin := h.Founder(t)
	bo := h.Joiner(t, admin, "Bo")
	admin.Post("/members/2/limit", url.Values{"limit": {"own"}, "credits": {"50"}}).Is(303)
	id := handlerstest.Made(t, bo.Post(scene, film()))
	h.Change(t, id, func(t *db.Task) error {
		if err := t.Begin(db.Now()); err != nil {
			return err
		}
		return t.Lose("The video service gave no clear answer.", db.Now())
	})
	bo.Post(scene, film()).Is(422).Shows("10 credits short: 20 of 50 left this month.")
	again := bo.Post(fmt.Sprintf("/tasks/%d/resend", id), url.Values{"token": {secrets.NewToken()}}).Is(303)
	if at := again.Header.Get("Location"); !strings.HasPrefix(at, "/tasks/") || at == fmt.Sprintf("/tasks/%d", id) {
		t.Errorf("it leads to %s", at)
	}
	if n := len(h.Mine(t, 2)); n != 2 {
		t.Errorf("there are %d videos", n)
	}
}

func TestAViewerIsOfferedNoLimitForms(t *testing.T) {
	h := handlerstest.New(t)
	admin := h.Founder(t)
	bo := h.Joiner(t, admin, "Bo")
	admin.Post("/team/limits", url.Values{"default": {"50"}, "unpriced": {"ask"}}).Is(303)
	bo.Get("/limit").Is(200).Has(`a[href="/settings#limit"]`, `form[action="/limit/ask"]`)
	bo.Get("/settings").Is(200).Has(`form[action="/limit"]`)
	admin.Post("/members/2/role", url.Values{"role": {"viewer"}}).Is(303)
	bo.Get("/limit").Is(200).Lacks(`a[href="/settings#limit"]`, `form[action="/limit/ask"]`)
	bo.Get("/settings").Is(200).Lacks(`form[action="/limit"]`)
}
