package signin_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
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

func TestAccountFormKeepsWhatWasTyped(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Stranger(t)
	path := "/setup?token=" + handlerstest.SetupToken
	p.Post(path, url.Values{"name": {""}, "email": {"kim@"}, "password": {"short"}}).Is(422).
		Shows("Enter your name", "Enter an address, such as", "at least 10 characters").Has(`[value="kim@"]`).Hides("short\"")
	p.Post(path, url.Values{"name": {strings.Repeat("x", 500)}, "email": {"kim@example.com"}, "password": {handlerstest.Password}}).
		Is(422).Shows("80 characters at most")
	if has, err := h.Store.Accounts.HasUsers(t.Context()); has || err != nil {
		t.Errorf("an account was made, or %v", err)
	}
}

func TestOnlyOneFirstAccountIsMade(t *testing.T) {
	h := handlerstest.New(t)
	var all sync.WaitGroup
	for i := range 5 {
		p := h.Stranger(t)
		all.Go(func() {
			p.Post("/setup?token="+handlerstest.SetupToken,
				url.Values{"name": {"Kim"}, "email": {fmt.Sprintf("k%d@example.com", i)}, "password": {handlerstest.Password}})
		})
	}
	all.Wait()
	users, err := h.Store.Accounts.Users(t.Context())
	must(t, err)
	if len(users) != 1 || users[0].Role != db.Admin {
		t.Errorf("accounts: %+v", users)
	}
}

func TestSignInAndOut(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	p := h.Stranger(t)
	p.Get("/gallery?q=boat").Is(303).LeadsTo("/login?next=%2Fgallery%3Fq%3Dboat")
	p.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {"wrong"}}).Is(422).Shows("Wrong email or password").
		Has(`[value="kim@example.com"]`)
	p.Post("/login", url.Values{"email": {"nobody@example.com"}, "password": {"wrong"}}).Is(422).Shows("Wrong email or password")
	p.Post("/login", url.Values{"email": {"KIM@example.com"}, "password": {handlerstest.Password}, "next": {"/gallery?q=boat"}}).
		Is(303).LeadsTo("/gallery?q=boat")
	p.Get("/gallery").Is(200)
	p.Post("/logout", nil).Is(303)
	p.Get("/gallery").Is(303)
	for _, evil := range []string{"https://evil.example.com", "//evil.example.com", "/\\evil.example.com", "javascript:alert(1)",
		"\t//evil.example.com"} {
		q := h.Stranger(t)
		q.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {handlerstest.Password}, "next": {evil}}).Is(303).LeadsTo("/")
	}
}

func TestGuessingIsSlowed(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	p := h.Stranger(t)
	wrong := url.Values{"email": {"kim@example.com"}, "password": {"guess"}}
	for range 8 {
		p.Post("/login", wrong).Is(422)
	}
	a := p.Post("/login", wrong).Is(429).Shows("Try again in")
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	p.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {handlerstest.Password}}).Is(429)
}

func TestJoinLinkWorksOnce(t *testing.T) {
	h := handlerstest.New(t)
	founder := h.Founder(t)
	ada := h.Joiner(t, founder, "ada")
	ada.Get("/").Is(303).LeadsTo("/create/text-to-video")
	ada.Get("/members").Is(404)
	founder.Get("/members").Is(200).Shows("ada@example.com").Hides("/join/")

	founder.Post("/members/invites", nil).Is(303)
	link := handlerstest.JoinLink(founder.Get("/members").Is(200).Text)
	p := h.Stranger(t)
	p.Get(link).Is(200)
	p.Post(link, url.Values{"name": {"Ada"}, "email": {"ADA@example.com"}, "password": {handlerstest.Password}}).Is(422).
		Shows("already has an account")
	p.Post(link, url.Values{"name": {"Bo"}, "email": {"bo@example.com"}, "password": {handlerstest.Password}}).Is(303)
	late := h.Stranger(t)
	late.Get(link).Is(404)
	late.Post(link, url.Values{"name": {"Cy"}, "email": {"cy@example.com"}, "password": {handlerstest.Password}}).Is(404)

	founder.Post("/members/invites", nil).Is(303)
	revoked := handlerstest.JoinLink(founder.Get("/members").Text)
	invites, err := h.Store.Invites.All(t.Context())
	must(t, err)
	founder.Post(fmt.Sprintf("/members/invites/%d/revoke", invites[0].ID), nil).Is(303)
	founder.Post(fmt.Sprintf("/members/invites/%d/revoke", invites[0].ID), nil).Is(303) // as if another admin had revoked it already
	founder.Get("/members").Is(200).Shows("used or turned off already")
	h.Stranger(t).Get(revoked).Is(404)
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	h := handlerstest.New(t)
	first := h.Founder(t)
	second := h.Stranger(t)
	second.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {handlerstest.Password}}).Is(303)
	first.Get("/settings").Is(200).Shows("/end")
	sessions, err := h.Store.Sessions.Of(t.Context(), 1, db.Now())
	must(t, err)
	if len(sessions) != 2 {
		t.Fatalf("%d sessions", len(sessions))
	}
	first.Post("/settings/sessions/end-others", nil).Is(303)
	second.Get("/gallery").Is(303)
	first.Get("/gallery").Is(200)

	ada := h.Joiner(t, first, "ada")
	sessions, err = h.Store.Sessions.Of(t.Context(), 1, db.Now())
	must(t, err)
	ada.Post(fmt.Sprintf("/settings/sessions/%d/end", sessions[0].ID), nil).Is(404)
	first.Get("/gallery").Is(200)
}

func TestNewPasswordEndsOtherSessions(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	other := h.Stranger(t)
	other.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {handlerstest.Password}}).Is(303)
	p.Post("/settings/password", url.Values{"current": {"wrong"}, "password": {"another long one"}}).Is(422).
		Shows("not your current password")
	p.Post("/settings/password", url.Values{"current": {handlerstest.Password}, "password": {"short"}}).Is(422).Shows("at least 10")
	p.Post("/settings/password", url.Values{"current": {handlerstest.Password}, "password": {"another long one"}}).Is(303)
	p.Get("/gallery").Is(200)
	other.Get("/gallery").Is(303)
	other.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {handlerstest.Password}}).Is(422)
	other.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {"another long one"}}).Is(303)
	p.Post("/settings", url.Values{"name": {"  Kim   Possible "}}).Is(303)
	p.Get("/settings").Is(200).Has(`[value="Kim Possible"]`)
}
