package team_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/spending"
	"dailies/db/team"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

func TestAPastedListInvitesWithRoleAndLimit(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	kim.Get("/members/invite").Is(200).Has("textarea[name=addresses]", "[name=role][value=member][checked]")
	form := url.Values{"addresses": {"ada@example.com\nnonsense\nkim@example.com"}, "role": {"viewer"}, "limit": {"own"},
		"credits": {"a few"}}
	kim.Post("/members/invites", form).Is(422).
		Shows("“nonsense” isn’t an address yet.", "“kim@example.com” already has an account", "Enter a number, such as 500.").
		Reads("#addresses", "ada@example.com nonsense kim@example.com").
		Has("[name=role][value=viewer][checked]", "[name=limit][value=own][checked]", `[name=credits][value="a few"]`)
	for field, value := range map[string]string{"role": "boss", "limit": "most", "credits": "-1"} {
		wrong := url.Values{"role": {"viewer"}, "limit": {"own"}, "credits": {"1"}}
		wrong.Set(field, value)
		kim.Post("/members/invites", wrong).Is(422)
	}
	for _, credits := range []string{"", "NaN", "1e30", "Inf", "0x10"} {
		kim.Post("/members/invites", url.Values{"limit": {"own"}, "credits": {credits}}).Is(422)
	}
	kim.Post("/members/invites", url.Values{"addresses": {strings.Repeat("x@example.com,", 9) + strings.Repeat("a", team.MaxPasted)}}).
		Is(422)
	invites, err := h.Store.Invites.All(t.Context())
	must(t, err)
	if len(invites) != 0 {
		t.Fatalf("%d were invited all the same", len(invites))
	}

	form = url.Values{"addresses": {"ada@example.com, Bo Ek <bo@example.com>"}, "role": {"viewer"}, "limit": {"own"}, "credits": {"12,5"}}
	kim.Post("/members/invites", form).Is(303).LeadsTo("/members")
	page := kim.Get("/members").Is(200).Shows("2 invitation links", "bo@example.com")
	links := []string{htmltest.Attr(htmltest.First(t, page.Root(), "#new-link"), "value"),
		htmltest.Attr(htmltest.First(t, page.Root(), "#new-link-2"), "value")}
	kim.Get("/members").Is(200).Hides("/join/").Shows("12.5 a month")
	for i, name := range []string{"ada", "bo"} {
		path := links[i][strings.Index(links[i], "/join/"):]
		p := h.Stranger(t)
		join := url.Values{"name": {name}, "email": {"eve@example.com"}, "password": {handlerstest.Password}}
		p.Post(path, join).Is(422).Shows("for another address").Has(`[value="eve@example.com"]`)
		join.Set("email", strings.ToUpper(name)+"@example.com")
		p.Post(path, join).Is(303)
		p.Get("/create/text-to-video").Is(403)
		m, err := h.Store.Members.Member(t.Context(), int64(2+i), db.Now())
		must(t, err)
		if m.Role != db.Viewer || m.Limit != (spending.Limit{Allowance: spending.Own, Credits: 12.5}) {
			t.Errorf("%s joined as %s with %v", name, m.Role, m.Limit)
		}
	}
	entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Noun: "invite", Limit: 10})
	must(t, err)
	if len(entries) != 2 ||
		!slices.ContainsFunc(entries, func(e audit.Entry) bool { return strings.Contains(e.What, "bo@example.com") && e.After != "" }) {
		t.Errorf("the audit: %v", entries)
	}
}

// An invitation whose link was not copied gets another one, and the earlier one ends.
func TestAnInvitationGetsANewLink(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	kim.Post("/members/invites", url.Values{"addresses": {"ada@example.com"}, "role": {"viewer"}, "limit": {"own"}, "credits": {"12.5"}}).
		Is(303)
	before := newLink(t, kim.Get("/members").Is(200))
	kim.Get("/members").Is(200).Shows("New link").Lacks("#new-link")
	kim.Post("/members/invites/1/renew", nil).Is(303).LeadsTo("/members")
	after := newLink(t, kim.Get("/members").Is(200).Shows("ada@example.com"))
	kim.Get("/members").Is(200).Lacks("#new-link").Shows("12.5 a month")
	stranger := h.Stranger(t)
	stranger.Get(before).Is(404)
	stranger.Get(after).Is(200)
	// Pressed twice, or by another admin in between, it makes no further link.
	kim.Post("/members/invites/1/renew", nil).Is(303)
	kim.Get("/members").Is(200).Lacks("#new-link").Shows("This link was used or turned off already.")
	join := url.Values{"name": {"Ada"}, "email": {"ada@example.com"}, "password": {handlerstest.Password}}
	stranger.Post(after, join).Is(303)
	m, err := h.Store.Members.Member(t.Context(), 2, db.Now())
	must(t, err)
	if m.Role != db.Viewer || m.Limit != (spending.Limit{Allowance: spending.Own, Credits: 12.5}) {
		t.Errorf("she joined as %s with %v", m.Role, m.Limit)
	}
	kim.Post("/members/invites/2/renew", nil).Is(303)
	kim.Get("/members").Is(200).Lacks("#new-link")
}

// newLink returns the path of the link that the page shows once.
func newLink(t *testing.T, page *handlerstest.Answer) string {
	t.Helper()
	address := htmltest.Attr(htmltest.First(t, page.Root(), "#new-link"), "value")
	return address[strings.Index(address, "/join/"):]
}
