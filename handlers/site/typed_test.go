package site_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db/ordering"
	"dailies/handlers/handlerstest"
	createview "dailies/views/create"
)

// signIn returns the form that a user submits to /login, with the page to go to
// afterwards.
func signIn(email, next string) url.Values {
	return url.Values{"email": {email}, "password": {handlerstest.Password}, "next": {next}}
}

// nextOf returns the page to which the sign-in page will lead.
func nextOf(a *handlerstest.Answer) string {
	to, err := url.Parse(a.Is(303).Header.Get("Location"))
	must(a.T, err)
	if to.Path != "/login" {
		a.T.Fatalf("%s: leads to %s", a.What, to)
	}
	return to.Query().Get("next")
}

const backAgain = "Picked up where you left off"

func TestWhatWasTypedComesBackAfterSigningInAgain(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	recipe := h.AddRecipe(t, 1)
	filled := fmt.Sprintf("/recipes/%d", recipe.ID)
	kim.Post("/collections", handlerstest.FilledForm("name", "Harbour")).Is(303)
	for page, c := range map[string]struct {
		post  string
		form  url.Values
		shows []string
	}{
		"/create/text-to-video": {"", handlerstest.FilledForm("prompt", "A “long” story <b>\nof a boat", "model", "seedance-2.0", "duration", "7", "aspect_ratio", "9:16", "token", "x"),
			[]string{"A “long” story &lt;b&gt;\nof a boat", `value="seedance-2.0" checked`, `value="7" checked`, `value="9:16" checked`}},
		"/create/image-to-video": {"", handlerstest.FilledForm("prompt", "It moves", "image_input", "https://example.com/a.png"), []string{"It moves", "https://example.com/a.png"}},
		filled:                   {"", handlerstest.FilledForm(createview.BlankField(recipe.Blanks()[0]), "a teapot of glass"), []string{`value="a teapot of glass"`}},
		filled + "/edit":         {"", handlerstest.FilledForm("name", "Another name", "note", "for the fair", "prompt", "a {{thing}}", "options_of", "veo3", "model", "veo3"), []string{"Another name", "for the fair", "a {{thing}}"}},
		filled + "/batch":        {"", handlerstest.FilledForm("do", "check", "table", "product\tplace\ncup\toak"), []string{"1 video", "cup", "oak"}},
		"/recipes/new":           {"/recipes", handlerstest.FilledForm("scene", "text-to-video", "name", "Quite new", "prompt", "about {{x}}"), []string{"Quite new", "about {{x}}"}},
		"/collections/1":         {"", handlerstest.FilledForm("name", "Harbour 2", "note", "For the fair in May"), []string{"Harbour 2", "For the fair in May"}},
	} {
		kim.Post("/logout", nil).Is(303)
		post := c.post
		if post == "" {
			post = page
		}
		next := nextOf(kim.Post(post, c.form))
		if next != page {
			t.Errorf("%s: the sign-in leads to %q", page, next)
		}
		kim.Post("/login", signIn("kim@example.com", next)).Is(303).LeadsTo(page)
		kim.Get(page).Is(200).Shows(append(c.shows, backAgain)...)
		kim.Get(page).Is(200).Shows(append(c.shows, backAgain)...) // again after a reload
		kim.Post("/drafts/discard", handlerstest.FilledForm("page", page)).Is(303).LeadsTo(page)
		kim.Get(page).Is(200).Hides(backAgain)
	}
	if n := len(h.Tasks(t)); n != 0 {
		t.Errorf("%d videos were asked for", n)
	}
}

func TestWhatWasTypedIsNobodyElses(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.Joiner(t, kim, "ada")
	const page = "/create/text-to-video"
	secret := handlerstest.FilledForm("prompt", "a secret of Kim's")
	own := handlerstest.WithField(secret, "as", "1")
	for _, form := range []url.Values{own, secret} { // the account is known from the form, or from the browser's cookie
		kim.Post("/logout", nil).Is(303)
		kim.Post("/login", signIn("kim@example.com", "")).Is(303)
		kim.Post("/logout", nil).Is(303)
		next := nextOf(kim.Post(page, form))
		kim.Post("/login", signIn("ada@example.com", next)).Is(303).LeadsTo(page)
		kim.Get(page).Is(200).Hides("a secret", backAgain)
		kim.Post("/logout", nil).Is(303)
		kim.Post("/login", signIn("kim@example.com", next)).Is(303)
		kim.Get(page).Is(200).Shows("a secret", backAgain)
		kim.Post("/drafts/discard", handlerstest.FilledForm("page", page)).Is(303)
	}

	// A page of Kim's that was still open when Ada signed in.
	kim.Post("/logout", nil).Is(303)
	kim.Post("/login", signIn("ada@example.com", "")).Is(303)
	kim.Post(page, own).Is(409).Shows("nothing was sent").Hides("a secret")
	kim.Get(page).Is(200).Hides("a secret")
	kim.Post("/logout", nil).Is(303)
	kim.Post("/login", signIn("kim@example.com", "")).Is(303)
	kim.Get(page).Is(200).Shows("a secret", backAgain)
	if n := len(h.Tasks(t)); n != 0 {
		t.Errorf("%d videos were asked for", n)
	}
}

func TestWhatWasTypedIsDeletedOnceItIsSubmitted(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.Run(t)
	const page = "/create/text-to-video"
	kim.Post("/logout", nil).Is(303)
	form := handlerstest.FilledForm("prompt", "a boat", "model", "seedance-2.0", "as", "1", "draft", page, "token", "t1")
	nextOf(kim.Post(page, form))
	kim.Post("/login", signIn("kim@example.com", page)).Is(303)
	kim.Get(page).Is(200).Shows("a boat", backAgain).Hides("data-sent")
	after := kim.Post(page, form).Is(303).Header.Get("Location")
	kim.Get(after).Is(200).Has(`[data-sent="` + page + ` t1"]`).Hides(backAgain)
	kim.Get(page).Is(200).Hides(backAgain, "data-sent")
}

func TestAFormWithAMistakeIsNotTakenForSent(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	const page = "/create/text-to-video"
	kim.Post(page, handlerstest.FilledForm("prompt", "", "draft", page)).Is(422).Shows("data-answer").Hides("data-sent")
	kim.Get(page).Is(200).Hides("data-answer", "data-sent")
}

func TestTooMuchWithoutASessionIsNotKept(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	kim.Post("/logout", nil).Is(303)
	const page = "/recipes/new"
	for _, size := range []int{ordering.MaxTyped, 3 << 20} {
		if next := nextOf(kim.Post("/recipes", handlerstest.FilledForm("prompt", strings.Repeat("x", size)))); next != page {
			t.Errorf("%d bytes lead to %q", size, next)
		}
	}
	nextOf(kim.Post("/settings/password", handlerstest.FilledForm("password", "never kept")))
	nextOf(kim.Post("/settings/key", handlerstest.FilledForm("key", "sk-never kept")))
	kim.Post("/login", signIn("kim@example.com", page)).Is(303)
	kim.Get(page).Is(200).Hides(backAgain)
	kim.Get("/settings").Is(200).Hides("never kept")
}

func TestWhatWasTypedDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		typed := ordering.Typed{UserID: 1, At: time.Now()}
		if !typed.For(1, time.Now()) || typed.For(2, time.Now()) || !(ordering.Typed{At: time.Now()}).For(2, time.Now()) {
			t.Error("it is for the wrong people")
		}
		time.Sleep(ordering.TypedLife)
		if typed.For(1, time.Now()) {
			t.Error("it still waits")
		}
	})
}

func TestStrangersDoNotPushOutWhatAColleagueTyped(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	pages := []string{"/create/text-to-video", "/create/image-to-video"}
	kim.Post("/logout", nil).Is(303)
	flood := func() {
		for range 5 {
			stranger := h.Stranger(t)
			for n := range 20 {
				stranger.Post(pages[n%2], handlerstest.FilledForm("prompt", strings.Repeat("x", 100<<10), "as", "1")).Is(303)
			}
		}
	}
	flood() // from the colleague's own network address, before and after
	for _, page := range pages {
		nextOf(kim.Post(page, handlerstest.FilledForm("prompt", "a boat for "+page)))
	}
	flood()
	kim.Post("/login", signIn("kim@example.com", "")).Is(303)
	for _, page := range pages {
		kim.Get(page).Is(200).Shows("a boat for "+page, backAgain)
	}
	kim.Post("/drafts/discard", handlerstest.FilledForm("page", pages[0])).Is(303)
	kim.Get(pages[0]).Is(200).Hides("a boat for", backAgain)
	kim.Get(pages[1]).Is(200).Shows("a boat for "+pages[1], backAgain) // each page has its own
	kim.Post("/drafts/discard", handlerstest.FilledForm("page", pages[1])).Is(303)
	kim.Get(pages[1]).Is(200).Hides("a boat for", backAgain)
}

func TestAStrangersTextWaitsUntilTheyHaveSignedIn(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	const page = "/create/text-to-video"
	p := h.Stranger(t) // a browser in which Kim has never signed in
	p.Post(page, handlerstest.FilledForm("prompt", "a boat")).Is(303)
	p.Post("/login", signIn("kim@example.com", "")).Is(303)
	p.Get(page).Is(200).Shows("a boat", backAgain)
}
