package handlers_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

// hidden is text in a name that must not be stored.
const hidden = "\u202eA\u200b\u2066d\u2069\u00ada\u0301\u0301\u0301\u0301\u0301\u0301\ufeff\U000e0041 \u3164"

// cleaned is what is left of it.
const cleaned = "Ada\u0301\u0301\u0301\u0301"

// blanks are names of which nothing can be seen.
var blanks = []string{"\u3164", "\u2800\u2800", "\u200b", "\u202e\u202c", "\u00ad \ufeff", "\u0301", "\U000e0041", "\u115f\u1160", "\ufe0f"}

func TestEveryNameIsCleaned(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	film := h.AddKept(t, 1, "film")
	task, ctx := fmt.Sprintf("/tasks/%d", film.ID), t.Context()
	recipe := url.Values{"scene": {"text-to-video"}, "prompt": {"A {{thing}}"}, "model": {"seedance-2.0"}, "name": {hidden}, "note": {"one\n" + hidden}}
	for path, form := range map[string]url.Values{
		"/settings": {"name": {hidden}}, task + "/title": {"title": {hidden}}, "/tasks/tag": {"id": {fmt.Sprint(film.ID)}, "add": {hidden}},
		"/collections": {"name": {hidden}, "note": {"one\n" + hidden}}, "/recipes": recipe, "/team/keys": {"name": {hidden}},
		task + "/share": {"title": {hidden}, "days": {"7"}}, "/team/announcement": {"text": {hidden}, "until": {tomorrow()}},
		"/team/sign-on": {"passwords": {"1"}, "admit": {"nobody"}, "label": {hidden}},
	} {
		kim.Post(path, form).Is(303)
	}
	user, err := h.Store.Accounts.User(ctx, 1)
	must(t, err)
	kept, err := h.Store.Tasks.Task(ctx, film.ID)
	must(t, err)
	collections, err := h.Store.Collections.CollectionNames(ctx, 10)
	must(t, err)
	recipes, err := h.Store.Recipes.Latest(ctx, 1, 10)
	must(t, err)
	keys, err := h.Store.Keys.TeamKeys(ctx)
	must(t, err)
	shares, err := h.Store.Links.SharesOf(ctx, film.ID, 0, db.Now())
	must(t, err)
	said, err := h.Store.Settings.Announcement(ctx)
	must(t, err)
	rules, err := h.Store.SignOn.Rules(ctx)
	must(t, err)
	if len(collections) != 1 || len(recipes) != 1 || len(keys) != 1 || len(shares) != 1 || len(kept.Tags) != 1 {
		t.Fatal("something is missing")
	}
	for what, got := range map[string]string{
		"user": user.Name, "title": kept.Title, "tag": kept.Tags[0], "collection": collections[0].Name, "recipe": recipes[0].Name, "key": keys[0].Name,
		"share": shares[0].Title, "announcement": said.Text, "sign-on": rules.Label,
	} {
		if got != cleaned {
			t.Errorf("%s is kept as %+q", what, got)
		}
	}
	if collections[0].Note != "one\n"+cleaned || recipes[0].Note != "one\n"+cleaned {
		t.Errorf("notes are kept as %+q and %+q", collections[0].Note, recipes[0].Note)
	}
	if got := kim.Get(fmt.Sprintf("/media/%d?download=1", film.ID)).Header.Get("Content-Disposition"); strings.ContainsAny(got, "\u202e\u200b") || strings.Contains(got, "%E2%80") {
		t.Errorf("it is downloaded as %q", got)
	}
}

func TestNamesThatLookBlankAreRefused(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	film := h.AddKept(t, 1, "film")
	kim.Post("/collections", url.Values{"name": {"Harbour"}}).Is(303)
	for _, blank := range blanks {
		for path, form := range map[string]url.Values{
			"/settings": {"name": {blank}}, fmt.Sprintf("/tasks/%d/title", film.ID): {"title": {blank}}, fmt.Sprintf("/tasks/%d/share", film.ID): {"title": {blank}, "days": {"7"}},
			"/collections": {"name": {blank}}, "/collections/1": {"name": {blank}}, "/recipes": {"scene": {"text-to-video"}, "prompt": {"A {{thing}}"}, "model": {"seedance-2.0"}, "name": {blank}},
			"/team/keys": {"name": {blank}}, "/team/announcement": {"text": {blank}, "until": {tomorrow()}},
		} {
			kim.Post(path, form).Is(422)
		}
	}
	kim.Post("/members/invites", nil).Is(303)
	link := regexp.MustCompile(`/join/[A-Z0-9]+`).FindString(kim.Get("/members").Is(200).Text)
	for _, blank := range blanks {
		h.Stranger(t).Post(link, url.Values{"name": {blank}, "email": {"new@example.com"}, "password": {handlerstest.Password}}).Is(422)
	}
}

func TestLookAlikesAreOneName(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.AddTeamKey(t, "Café")
	kim.Post("/collections", url.Values{"name": {"Café"}}).Is(303)
	for _, same := range []string{"Cafe\u0301", "CAFÉ", " Ca\u200bfé\u202e "} {
		kim.Post("/collections", url.Values{"name": {same}}).Is(422).Shows("This name is taken.")
		kim.Post("/team/keys", url.Values{"name": {same}}).Is(422).Shows("Another team key has this name.")
	}
}

func TestNamesOfEarlierVersionsAreCleanedWhenTheyAreShown(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.AddKept(t, 1, "film")
	kim.Post("/collections", url.Values{"name": {"Harbour"}}).Is(303)
	d, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer d.Close()
	for _, statement := range []string{`UPDATE users SET name = $1`, `UPDATE tasks SET title = $1`, `UPDATE collections SET name = $1`} {
		_, err := d.ExecContext(t.Context(), statement, hidden)
		must(t, err)
	}
	for _, page := range []string{"/gallery", "/tasks/1", "/collections", "/collections/1", "/members", "/settings", "/audit"} {
		kim.Get(page).Is(200).Shows(cleaned).Hides("\u202e", "\u200b", cleaned+"\u0301")
	}
	_, err = d.ExecContext(t.Context(), `UPDATE users SET name = $1`, "\u3164")
	must(t, err)
	kim.Get("/members").Is(200).Shows("(unnamed)")
}

func TestPromptsKeepWhatWasTypedAndStayApart(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	const prompt = "\u202eA \u05e7\u05d0\u05e8 \u2069boat"
	film := h.AddKept(t, 1, prompt)
	h.Alter(t, film.ID, func(t *db.Task) { t.Prompt, t.Title = prompt, "" })
	if kept, err := h.Store.Tasks.Task(t.Context(), film.ID); err != nil || kept.Prompt != prompt {
		t.Errorf("the prompt is kept as %+q, %v", kept.Prompt, err)
	}
	const isolated = "\u2068A \u05e7\u05d0\u05e8 boat\u2069"
	page := kim.Get(fmt.Sprintf("/tasks/%d", film.ID)).Is(200)
	page.Shows("<title>"+isolated+" · Dailies</title>", `<p class="whole" dir="auto">`+prompt+"</p>", `aria-label="`+isolated)
	kim.Get("/gallery").Is(200).Shows(isolated).Hides("\u202e")
}
