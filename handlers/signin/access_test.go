package signin_test

import (
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/signin"
	"dailies/handlers/handlerstest"
)

// hooksOf counts the webhooks of the person.
func hooksOf(t *testing.T, h *handlerstest.Server, userID int64) int {
	t.Helper()
	hooks, err := h.Store.Webhooks.Of(t.Context(), userID)
	must(t, err)
	return len(hooks)
}

// Who changes their password is asked whether tokens and webhooks end, too, and yes is
// chosen. A form without the question, as the page had it before there were any, means yes.
func TestANewPasswordAsksAboutPrograms(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	beside := h.Beside(t)
	p.Get("/settings").Lacks("[name=programs]")
	token := handlerstest.AddToken(t, h, 1)
	handlerstest.AddedWebhook(p, "https://one.example.com/a")
	p.Get("/settings").Has("[name=programs][value=end][checked]", "[name=programs][value=keep]").Shows("Tokens: 1, webhooks: 1")
	now := handlerstest.Password
	change := func(next string, more ...string) *handlerstest.Answer {
		form := url.Values{"current": {now}, "password": {next}}
		if len(more) > 0 {
			form["programs"] = more
		}
		return p.Post("/settings/password", form)
	}
	change("another long one", "perhaps").Is(422).Shows("Choose one of these.")
	change("another long one", "keep").Is(303)
	now = "another long one"
	p.Get("/settings").Shows("Your password is changed").Hides("Ended too")
	beside.WithToken(t, token, "/api/v1/me").Is(200)
	p.Post("/settings/sessions/end-others", nil).Is(303)
	if hooksOf(t, h, 1) != 1 {
		t.Error("the webhook has ended")
	}
	beside.WithToken(t, token, "/api/v1/me").Is(200)
	change("short", "keep").Is(422).Has("[name=programs][value=keep][checked]")
	change("a third long one").Is(303)
	p.Get("/settings").Shows("Ended too: tokens: 1, webhooks: 1.").Lacks("[name=programs]")
	beside.WithToken(t, token, "/api/v1/me").Is(401)
	if hooksOf(t, h, 1) != 0 {
		t.Error("the webhook goes on")
	}
	if log := h.Log.String(); !strings.Contains(log, `"tokens ended"=1`) || strings.Contains(log, token) {
		t.Errorf("the log says %s", log)
	}
}

// A link that sets a new password ends tokens and webhooks, and its page says so.
func TestAResetEndsPrograms(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Joiner(t, p, "ada")
	token, other := handlerstest.AddToken(t, h, 2), handlerstest.AddToken(t, h, 1)
	reset, resetToken := signin.NewReset(2, db.Now())
	must(t, h.Store.Sessions.AddReset(t.Context(), reset))
	link := "/reset/" + resetToken
	h.Stranger(t).Get(link).Shows("Your programs stop: tokens: 1, webhooks: 0.")
	h.WithToken(t, token, "/api/v1/me").Is(200)
	h.Stranger(t).Post(link, url.Values{"password": {"another long one"}}).Is(303)
	h.WithToken(t, token, "/api/v1/me").Is(401)
	h.WithToken(t, other, "/api/v1/me").Is(200)
}

// An admin who signs somebody out everywhere is told first how many tokens and webhooks end
// with that; so is one who deactivates an account.
func TestAnAdminEndsProgramsWithTheSessions(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	ada := h.Joiner(t, p, "ada")
	p.Get("/members/2").Hides("For good end their tokens")
	token := handlerstest.AddToken(t, h, 2)
	handlerstest.AddToken(t, h, 2)
	handlerstest.AddedWebhook(ada, "https://one.example.com/a")
	p.Get("/members/2").Shows("Sign out everywhere", "For good end their tokens: 2, webhooks: 1.")
	p.Get("/members/2/leave").Shows("2 tokens of their programs end.", "1 webhook of theirs ends.")
	ada.Post("/members/2/sessions/end", nil).Is(404)
	h.WithToken(t, token, "/api/v1/me").Is(200)
	p.Post("/members/2/sessions/end", nil).Is(303)
	p.Get("/members/2").Shows("is signed out everywhere.", "Ended too: tokens: 2, webhooks: 1.").Hides("For good end their tokens")
	ada.Get("/gallery").Is(303)
	h.WithToken(t, token, "/api/v1/me").Is(401)
	if hooksOf(t, h, 2) != 0 {
		t.Error("the webhook goes on")
	}
}

// Whoever makes or ends a token leaves a line in the log, without the token.
func TestTheLogHasWhoMakesAndEndsTokens(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	p.Post("/settings/programs", url.Values{"name": {"Importer"}, "may": {"make"}, "days": {"90"}, "cap": {"100"}}).Is(303)
	page := p.Get("/settings/programs").Is(200).Text
	secret := page[strings.Index(page, `value="dly_`)+len(`value="`):][:36]
	h.WithToken(t, secret, "/api/v1/me").Is(200)
	p.Post("/settings/programs/1/end", nil).Is(303)
	log := h.Log.String()
	for _, line := range []string{`msg="a token was made" user=1 token=1 may=make`, `msg="a token was ended" token=1 by=1`} {
		if !strings.Contains(log, line) {
			t.Errorf("the log lacks %s: %s", line, log)
		}
	}
	if strings.Contains(log, secret) || strings.Contains(log, secret[:8]) {
		t.Error("the token is in the log")
	}
}

// Whoever has lost every group at the provider has tokens that open nothing, in every
// process, until a sign-in with a group. Nobody else's are touched.
func TestTokensRestWhileTheProviderGivesNoRole(t *testing.T) {
	h := newRechecked(t, offers{refresh: true})
	beside := h.Beside(t)
	h.op.in("2", "ada@example.com", "staff")
	h.op.enter(t, h.Stranger(t)).Is(303)
	token, kims := handlerstest.AddToken(t, h.Server, 2), handlerstest.AddToken(t, h.Server, 1)
	opens := func(want int) {
		t.Helper()
		for _, process := range []*handlerstest.Server{h.Server, beside} {
			process.WithToken(t, token, "/api/v1/videos").Is(want)
			process.WithToken(t, kims, "/api/v1/videos").Is(200)
		}
	}
	opens(200)
	h.round(t)
	opens(200)
	h.op.in("2", "ada@example.com", "visitors")
	h.round(t)
	opens(401)
	// A refused sign-in changes nothing, one with a group lets them work again.
	h.op.enter(t, h.Stranger(t))
	opens(401)
	h.op.in("2", "ada@example.com", "staff")
	h.op.enter(t, h.Stranger(t)).Is(303)
	opens(200)
	h.op.in("2", "ada@example.com", "visitors")
	h.op.enter(t, h.Stranger(t))
	opens(401)
	// What is ended meanwhile stays so.
	ended, err := h.Store.Programs.EndAll(t.Context(), 2, db.Now())
	must(t, err)
	if ended != 1 {
		t.Errorf("%d were ended", ended)
	}
	h.op.in("2", "ada@example.com", "staff")
	h.op.enter(t, h.Stranger(t)).Is(303)
	opens(401)
}
