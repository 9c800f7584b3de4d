package team_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/signin"
	"dailies/db/store/sampletest"
	"dailies/db/team"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

// recorded fails the test unless the audit log has an entry for each action, done by
// the founder to the user.
func recorded(t *testing.T, h *handlerstest.Server, userID int64, actions ...audit.Action) {
	t.Helper()
	entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{UserID: userID, Limit: 100})
	must(t, err)
	for _, action := range actions {
		if !slices.ContainsFunc(entries,
			func(e audit.Entry) bool { return e.Action == action && e.Actor.UserID == 1 && e.Actor.Address != "" }) {
			t.Errorf("no entry of %s about %d: %v", action, userID, entries)
		}
	}
}

func TestAnAdminLooksAfterAPerson(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	kim.Get("/members/2").Is(200).Shows("ada@example.com", "Member")
	must(t, h.Store.SignOn.Link(t.Context(), 2,
		signin.Claims{Issuer: "https://login.example.com", Subject: "1", Email: "ada@elsewhere.example"}, db.Now()))
	kim.Get("/members/2").Shows("ada@elsewhere.example").Has(`form[action="/members/2/second/remove"]`)
	kim.Post("/members/2/second/remove", nil).Is(303)
	kim.Get("/members/2").Hides("ada@elsewhere.example")
	ada.Get("/gallery").Is(303).LeadsTo("/login?next=%2Fgallery")
	ada.Post("/login", handlerstest.Credentials("ada@example.com", handlerstest.Password)).Is(303)
	kim.Post("/members/2/role", url.Values{"role": {"boss"}}).Is(422).Shows("Choose one.")
	kim.Post("/members/2/role", url.Values{"role": {"viewer"}}).Is(303).LeadsTo("/members/2")
	ada.Get("/create/text-to-video").Is(403)
	kim.Post("/members/2/role", url.Values{"role": {"member"}}).Is(303)
	ada.Get("/create/text-to-video").Is(200)

	kim.Post("/members/2/reset", nil).Is(303).LeadsTo("/members/2#signing-in")
	link := htmltest.Attr(htmltest.First(t, kim.Get("/members/2").Is(200).Root(), "#reset-link"), "value")
	kim.Get("/members/2").Lacks("#reset-link")
	path := link[strings.Index(link, "/reset/"):]
	h.Stranger(t).Post(path, url.Values{"password": {"five new words are fine"}}).Is(303).LeadsTo("/login")
	ada.Get("/gallery").Is(303)
	ada.Post("/login", handlerstest.Credentials("ada@example.com", "five new words are fine")).Is(303)

	kim.Post("/members/2/sessions/end", nil).Is(303)
	ada.Get("/gallery").Is(303).LeadsTo("/login?next=%2Fgallery")
	kim.Post("/members/1/sessions/end", nil).Is(303) // the founder's own present session stays
	kim.Get("/members").Is(200)
	recorded(t, h, 2, audit.MemberRole, audit.PasswordReset, audit.SessionEnded)
}

func TestTheOnlyAdminStays(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	kim.Post("/members/1/role", url.Values{"role": {"viewer"}}).Is(409).Shows("Make another person an admin first").
		Has("[name=role][value=viewer][checked]")
	kim.Get("/members/1/leave").Is(200).Shows("The only admin.")
	kim.Post("/members/1/deactivate", url.Values{"hand_to": {"2"}, "private": {"hand"}}).Is(409).Shows("Make another person an admin first")
	kim.Post("/members/2/role", url.Values{"role": {"admin"}}).Is(303)
	kim.Post("/members/1/role", url.Values{"role": {"member"}}).Is(303).LeadsTo("/")
	kim.Get("/members").Is(404)
	ada.Post("/members/1/role", url.Values{"role": {"admin"}}).Is(303)
	kim.Post("/members/1/deactivate", nil).Is(303).LeadsTo("/login") // an admin may deactivate their own account
	ada.Post("/members/2/deactivate", nil).Is(409)
}

// Two admins remove each other's role at the same moment.
func TestOfTwoAdminsAtOnceOneStays(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	for range 10 {
		must(t, h.Store.Members.SetRole(t.Context(), 1, db.Admin, db.Now()))
		must(t, h.Store.Members.SetRole(t.Context(), 2, db.Admin, db.Now()))
		got := handlerstest.AtOnce(2, func(i int) *handlerstest.Answer {
			return []*handlerstest.Browser{kim, ada}[i].Post(fmt.Sprintf("/members/%d/role", 2-i), url.Values{"role": {"member"}})
		})
		// The second one is then the only admin, or no admin any more.
		if got[303] != 1 || got[409]+got[404] != 1 {
			t.Fatal(got)
		}
	}
}

func TestLeavingHandsOverAndSignsOut(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	jon := h.Joiner(t, kim, "jon")
	film, secret := h.KeptFilm(t, 2, "the harbour"), h.KeptFilm(t, 2, "a secret")
	h.Alter(t, secret.ID, func(t *db.Task) { t.Private = true })
	page := fmt.Sprintf("/tasks/%d", film.ID)
	link := jon.Share(page, "The harbour")
	jon.Post("/settings/webhooks", url.Values{"webhook": {"https://example.com/hook"}}).Is(303)
	kim.Get("/members/2/leave").Is(200).Shows("2 videos", "1 of them private", "1 shared link", "own key", "1 webhook")

	for field, form := range map[string]url.Values{
		"hand_to": {"hand_to": {"99"}, "private": {"hand"}},
		"private": {"hand_to": {""}, "private": {"hand"}},
	} {
		kim.Post("/members/2/deactivate", form).Is(422).Has("#" + field + "-error")
	}
	kim.Post("/members/2/deactivate", url.Values{"hand_to": {"nobody"}}).Is(422).Has("#hand_to-error")
	kim.Post("/members/2/deactivate", url.Values{"hand_to": {"2"}, "private": {"bin"}}).Is(422).Has("[name=private][value=bin][checked]")
	kim.Post("/members/2/deactivate", url.Values{"hand_to": {"1"}, "private": {"shred"}}).Is(422).
		Has("#private-error", `[value="1"][selected]`)
	kim.Get("/members/2").Is(200).Shows("Active")

	kim.Post("/members/2/deactivate", url.Values{"hand_to": {"1"}, "private": {"hand"}}).Is(303).LeadsTo("/members/2")
	kim.Get("/members/2").Is(200).Shows("Deactivated.", "Bring back")
	kim.Post("/members/2/deactivate", url.Values{"hand_to": {"1"}}).Is(303) // the form was sent twice
	kim.Get("/members/2/leave").Is(303).LeadsTo("/members/2")
	kim.Get(fmt.Sprintf("/tasks/%d", secret.ID)).Is(200).Shows("a secret")
	if text := kim.Get(page + "/share").Is(200).Text; !strings.Contains(text, link) {
		t.Error("the shared link is not shown to its new owner")
	}
	h.Stranger(t).Get(link).Is(200).Shows("The harbour")

	jon.Post("/create/text-to-video", handlerstest.GoodForm()).Is(303) // from a tab that was still open
	jon.Get("/login?next=%2Fcreate%2Ftext-to-video").Is(200).Shows("Your account is deactivated.")
	jon.Post("/login", handlerstest.Credentials("jon@example.com", handlerstest.Password)).Is(422).Shows("Your account is deactivated.")
	kim.Post("/members/2/reset", nil).Is(303)
	kim.Get("/members/2").Is(200).Lacks("#reset-link")
	kim.Post("/members/2/activate", nil).Is(303)
	kim.Post("/members/2/activate", nil).Is(303)
	jon.Post("/login", handlerstest.Credentials("jon@example.com", handlerstest.Password)).Is(303)
	jon.Get("/create/text-to-video").Is(200).Shows("a tram crosses the bridge") // the form keeps what was typed
	recorded(t, h, 2, audit.MemberDeactivated, audit.MemberActivated)
	recorded(t, h, 1, audit.MemberLeft)
}

func TestManyPeopleAreShownInPages(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	for n := range team.MembersShown + 20 {
		must(t, sampletest.AddUser(t, h.Store,
			&db.User{Name: fmt.Sprintf("Person %03d", n), Email: fmt.Sprintf("p%d@example.com", n), Role: db.Member, CreatedAt: db.Now()}))
	}
	first := kim.Get("/members").Is(200).Shows("121 people", "Page 1 of 2", "Kim Doe", "Person 098").Hides("Person 099")
	if len(first.Text) > 250_000 {
		t.Errorf("the page has %d bytes", len(first.Text))
	}
	kim.Get("/members?page=2").Is(200).Shows("Person 119").Hides("Kim Doe@")
	for _, page := range []string{"9", "-1", "x", "99999999999999999999"} {
		kim.Get("/members?page=" + page).Is(200)
	}
	kim.Get("/members?q=PERSON+11").Is(200).Shows("11 people found", "Person 119").Hides("Person 010")
	kim.Get("/members?q=nobody").Is(200).Shows("0 people found")

	// A colleague who gets somebody's videos can be searched by name. Other choices
	// stay.
	kim.Get("/members/2/leave").Is(200).Shows("100 of 120 people.").Has(`option[value="50"]`).Lacks(`option[value="120"]`)
	kim.Get("/members/2/leave?q=person+119&hand_to=50&private=bin").Is(200).Shows("1 person found").
		Has(`option[value="121"]`, `option[value="50"][selected]`).Lacks(`option[value="51"]`)
	kim.Get("/members/2/leave?q=nobody").Is(200).Shows("Nobody with this name")
	kim.Post("/members/2/deactivate", url.Values{"q": {"person 119"}, "hand_to": {"nobody"}}).Is(422).
		Has("#hand_to-error", `option[value="121"]`)

	kim.Get("/audit?who=Kim+Doe").Is(200).Shows("signed in").Has(`[name=who][value="kim@example.com"]`, `a[href="/audit.csv?person=1"]`).
		Lacks("[name=person]")
	kim.Get("/audit?who=p1@example.com").Is(200).Hides("signed in").Has(`a[href="/audit.csv?person=3"]`)
	kim.Get("/audit?who=person+01&noun=member").Is(200).Shows("Several people fit", "Nothing fits").
		Has(`a[href="/audit?noun=member&person=12"]`)
	kim.Get("/audit?who=person").Is(200).Shows("120 people fit. Type more")
	kim.Get("/audit?who=zzz").Is(200).Shows("Nobody with this name or address", "Nothing fits")
	kim.Get("/audit?person=3").Is(200).Has(`[name=who][value="p1@example.com"]`)
	_, err := h.Store.Leave(t.Context(), team.Leaving{UserID: 4, At: db.Now().Add(-team.ReturnLife)})
	must(t, err)
	_, err = h.Store.Members.ReleaseAddresses(t.Context(), db.Now())
	must(t, err)
	for _, query := range []string{"person=4", "who=person+002"} { // the account's e-mail address was released
		kim.Get("/audit?" + query).Is(200).Shows("deactivated an account").Has(`[name=who][value="Person 002"]`)
	}
	if file := kim.Get("/audit.csv?who=person").Is(200); strings.Count(file.Text, "\n") != 1 {
		t.Errorf("the file of nobody has more than its first line:\n%s", file.Text)
	}
}
