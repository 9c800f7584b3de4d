package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	createview "dailies/views/create"
)

// signIn is what the person sends to /login, on the way to next.
func signIn(email, next string) url.Values {
	return url.Values{"email": {email}, "password": {password}, "next": {next}}
}

// nextOf is where the sign-in leads that the answer asks for.
func nextOf(a *answer) string {
	to, err := url.Parse(a.is(303).Header.Get("Location"))
	must(a.t, err)
	if to.Path != "/login" {
		a.t.Fatalf("%s: leads to %s", a.what, to)
	}
	return to.Query().Get("next")
}

const backAgain = "What you typed is back."

func TestWhatWasTypedComesBackAfterSigningInAgain(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	recipe := h.addRecipe(t, 1)
	filled := fmt.Sprintf("/recipes/%d", recipe.ID)
	kim.post("/collections", fill("name", "Harbour")).is(303)
	for page, c := range map[string]struct {
		post  string
		form  url.Values
		shows []string
	}{
		"/create/text-to-video": {"", fill("prompt", "A “long” story <b>\nof a boat", "model", "seedance-2.0", "duration", "7", "aspect_ratio", "9:16", "token", "x"),
			[]string{"A “long” story &lt;b&gt;\nof a boat", `value="seedance-2.0" checked`, `value="7" checked`, `value="9:16" checked`}},
		"/create/image-to-video": {"", fill("prompt", "It moves", "image_input", "https://example.com/a.png"), []string{"It moves", "https://example.com/a.png"}},
		filled:                   {"", fill(createview.BlankField(recipe.Blanks()[0]), "a teapot of glass"), []string{`value="a teapot of glass"`}},
		filled + "/edit":         {"", fill("name", "Another name", "note", "for the fair", "prompt", "a {{thing}}", "options_of", "veo3", "model", "veo3"), []string{"Another name", "for the fair", "a {{thing}}"}},
		filled + "/batch":        {"", fill("do", "check", "table", "product\tplace\ncup\toak"), []string{"1 video", "cup", "oak"}},
		"/recipes/new":           {"/recipes", fill("scene", "text-to-video", "name", "Quite new", "prompt", "about {{x}}"), []string{"Quite new", "about {{x}}"}},
		"/collections/1":         {"", fill("name", "Harbour 2", "note", "For the fair in May"), []string{"Harbour 2", "For the fair in May"}},
	} {
		kim.post("/logout", nil).is(303)
		post := c.post
		if post == "" {
			post = page
		}
		next := nextOf(kim.post(post, c.form))
		if next != page {
			t.Errorf("%s: the sign-in leads to %q", page, next)
		}
		kim.post("/login", signIn("kim@example.com", next)).is(303).leadsTo(page)
		kim.get(page).is(200).shows(append(c.shows, backAgain)...)
		kim.get(page).is(200).shows(append(c.shows, backAgain)...) // and again after a reload
		kim.post("/drafts/discard", fill("page", page)).is(303).leadsTo(page)
		kim.get(page).is(200).hides(backAgain)
	}
	if n := len(h.tasks(t)); n != 0 {
		t.Errorf("%d videos were asked for", n)
	}
}

func TestWhatWasTypedIsNobodyElses(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	h.joiner(t, kim, "ada")
	const page = "/create/text-to-video"
	secret := fill("prompt", "a secret of Kim's")
	own := with(secret, "as", "1")
	for _, form := range []url.Values{own, secret} { // the form says whose it is, or the browser knows
		kim.post("/logout", nil).is(303)
		kim.post("/login", signIn("kim@example.com", "")).is(303)
		kim.post("/logout", nil).is(303)
		next := nextOf(kim.post(page, form))
		kim.post("/login", signIn("ada@example.com", next)).is(303).leadsTo(page)
		kim.get(page).is(200).hides("a secret", backAgain)
		kim.post("/logout", nil).is(303)
		kim.post("/login", signIn("kim@example.com", next)).is(303)
		kim.get(page).is(200).shows("a secret", backAgain)
		kim.post("/drafts/discard", fill("page", page)).is(303)
	}

	// A page of Kim's that is still open when Ada has signed in.
	kim.post("/logout", nil).is(303)
	kim.post("/login", signIn("ada@example.com", "")).is(303)
	kim.post(page, own).is(409).shows("Nothing was sent").hides("a secret")
	kim.get(page).is(200).hides("a secret")
	kim.post("/logout", nil).is(303)
	kim.post("/login", signIn("kim@example.com", "")).is(303)
	kim.get(page).is(200).shows("a secret", backAgain)
	if n := len(h.tasks(t)); n != 0 {
		t.Errorf("%d videos were asked for", n)
	}
}

func TestWhatWasTypedIsForgottenOnceItIsSent(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	h.work(t)
	const page = "/create/text-to-video"
	kim.post("/logout", nil).is(303)
	form := fill("prompt", "a boat", "model", "seedance-2.0", "as", "1", "draft", page, "token", "t1")
	nextOf(kim.post(page, form))
	kim.post("/login", signIn("kim@example.com", page)).is(303)
	kim.get(page).is(200).shows("a boat", backAgain).hides("data-sent")
	after := kim.post(page, form).is(303).Header.Get("Location")
	kim.get(after).is(200).shows(`data-sent="` + page + ` t1"`).hides(backAgain)
	kim.get(page).is(200).hides(backAgain, "data-sent")
}

func TestAFormWithAMistakeIsNotTakenForSent(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	const page = "/create/text-to-video"
	kim.post(page, fill("prompt", "", "draft", page)).is(422).shows("data-answer").hides("data-sent")
	kim.get(page).is(200).hides("data-answer", "data-sent")
}

func TestTooMuchWithoutASessionIsNotKept(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	kim.post("/logout", nil).is(303)
	const page = "/recipes/new"
	for _, size := range []int{db.MaxTyped, 3 << 20} {
		if next := nextOf(kim.post("/recipes", fill("prompt", strings.Repeat("x", size)))); next != page {
			t.Errorf("%d bytes lead to %q", size, next)
		}
	}
	nextOf(kim.post("/settings/password", fill("password", "never kept")))
	nextOf(kim.post("/settings/key", fill("key", "sk-never kept")))
	kim.post("/login", signIn("kim@example.com", page)).is(303)
	kim.get(page).is(200).hides(backAgain)
	kim.get("/settings").is(200).hides("never kept")
}

func TestWhatWasTypedDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		typed := db.Typed{UserID: 1, At: time.Now()}
		if !typed.For(1, time.Now()) || typed.For(2, time.Now()) || !(db.Typed{At: time.Now()}).For(2, time.Now()) {
			t.Error("it is for the wrong people")
		}
		time.Sleep(db.TypedLife)
		if typed.For(1, time.Now()) {
			t.Error("it still waits")
		}
	})
}
