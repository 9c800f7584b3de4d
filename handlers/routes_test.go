package handlers_test

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/store/postgres/postgrestest"
	"dailies/db/team"
	"dailies/handlers/handlerstest"
	"dailies/handlers/site"
	"dailies/web/scopetest"
)

// answeredInPart lists the routes that lead elsewhere, but answer scripts with a fragment.
var answeredInPart = []string{"POST /create/{scene}/cast"}

func TestEveryRouteHasItsGuard(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { walkRoutes(t, handlerstest.New(t)) })
	t.Run("Postgres", func(t *testing.T) {
		scopetest.Whole(t)
		address, err := postgrestest.Need(t).Database(t.Context())
		must(t, err)
		walkRoutes(t, handlerstest.NewOn(t, address))
	})
}

// walkRoutes sends what each row says that empty requests get, as everybody. A user whose
// account was closed gets the same status as a browser without a session.
func walkRoutes(t *testing.T, h *handlerstest.Server) {
	t.Helper()
	owner := h.Founder(t)
	other, viewer, gone := h.Joiner(t, owner, "ada"), h.Joiner(t, owner, "vi"), h.Joiner(t, owner, "gone")
	must(t, h.Store.Members.SetRole(t.Context(), 3, db.Viewer, db.Now()))
	_, err := h.Store.Leave(t.Context(), team.Leaving{UserID: 4, At: db.Now()})
	must(t, err)
	film := h.KeptFilm(t, 1, "a boat that guests see")
	token := func(with ...string) string {
		return strings.TrimPrefix(owner.Share(fmt.Sprintf("/tasks/%d", film.ID), "", with...), "/share/")
	}
	hook := owner.Post("/settings/webhooks", url.Values{
		"webhook": {"https://example.com/"}, "types": {"note.created"}, "team": {"1"},
	}).Is(303)
	ids := strings.NewReplacer(
		"{link}", token(), "{locked}", token("password", "harbour-47"),
		"{done}", fmt.Sprint(h.AddTask(t, 1, db.Success).ID),
		"{failed}", fmt.Sprint(h.AddTask(t, 1, db.Failed).ID),
		"{picture}", h.AddPicture(t, 1).Token,
		"{recipe}", fmt.Sprint(h.AddRecipe(t, 1).ID),
		"{key}", fmt.Sprint(h.AddTeamKey(t, "Marketing").TeamKeyID),
		"{hook}", strings.TrimPrefix(hook.Header.Get("Location"), "/settings/webhooks/"),
		"{collection}", fmt.Sprint(h.AddCollection(t, 1).ID), "{member}", fmt.Sprint(handlerstest.AddMember(t, h, 1, "anna").ID),
	)
	rows := h.App.Routes()
	slices.SortStableFunc(rows, func(x, y site.Route) int { // signing out comes last
		return cmp.Compare(strings.Count(x.Pattern, "/logout"), strings.Count(y.Pattern, "/logout"))
	})
	for _, row := range rows {
		for _, status := range handlerstest.Statuses(row) {
			path := ids.Replace(handlerstest.Path(row, status.At))
			want := codes(t, row, status)
			for who, p := range map[string]*handlerstest.Browser{
				"a stranger": h.Stranger(t), "the owner": owner, "another": other, "a viewer": viewer, "somebody deactivated": gone,
			} {
				tryRoute(t, p, row, path, who, want[who])
			}
		}
	}
}

// codes returns the status that each person gets.
func codes(t *testing.T, row site.Route, status site.Status) map[string]int {
	t.Helper()
	owner, other := status.Code, status.Code
	if status.Owned {
		other = 404
	}
	stranger, viewer := 303, other
	switch row.For {
	case site.ForAnybody, site.ForLink, site.ForGuests, site.ForLookTokens, site.ForMakeTokens, site.ForChangeTokens:
		stranger = status.Code // a session opens nothing for a program
	case site.ForSignedOut:
		stranger, owner, other, viewer = status.Code, 303, 303, 303
	case site.ForViewers:
	case site.ForMakers:
		viewer = 403
	case site.ForAdmins:
		other, viewer = 404, 404
	case site.ForAdminsOpenly:
		other, viewer = 403, 403
	default:
		t.Fatalf("%s is for %q", row.Pattern, row.For)
	}
	return map[string]int{
		"a stranger": stranger, "the owner": owner, "another": other, "a viewer": viewer, "somebody deactivated": stranger,
	}
}

// tryRoute sends an empty request, for a page and for a fragment.
func tryRoute(t *testing.T, p *handlerstest.Browser, row site.Route, path, who string, status int) {
	t.Helper()
	var form url.Values
	if handlerstest.Method(row) == "POST" {
		form = url.Values{}
	}
	for _, part := range []string{"full", "partial"} {
		want, got := status, p.Send(handlerstest.Method(row), path, form, "HX-Request-Type", part)
		if part == "partial" && got.StatusCode == 401 && want == 303 {
			continue // for a fragment, the whole page is redirected to the sign-in page
		}
		if part == "partial" && want == 303 && slices.Contains(answeredInPart, row.Pattern) {
			want = 200
		}
		if got.StatusCode != want {
			t.Errorf("%s %s, %s, %s: got %d, want %d", who, row.Pattern, path, part, got.StatusCode, want)
		}
		if want == 200 && !strings.HasPrefix(path, "/static/") && got.Text == "" {
			t.Errorf("%s %s: empty %s answer", who, path, part)
		}
	}
}

func TestEveryPageLeadsToSetupWhileNobodyIsThere(t *testing.T) {
	h := handlerstest.New(t)
	for _, path := range []string{"/", "/login", "/gallery", "/create/text-to-video", "/settings", "/join/x"} {
		h.Stranger(t).Get(path).Is(303).LeadsTo("/setup")
	}
	h.Stranger(t).Get("/setup").Is(200).Lacks("[name=password]")
	h.Stranger(t).Get("/setup?token=wrong").Is(200).Lacks("[name=password]")
	h.Stranger(t).Post("/setup?token=wrong", url.Values{
		"name": {"Eve"}, "email": {"eve@example.com"}, "password": {handlerstest.Password},
	}).Is(403)
	h.Stranger(t).Get("/setup?token=" + handlerstest.SetupToken).Is(200).Has("[name=password]")
}

func TestAnswersAreHardened(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for _, path := range []string{"/create/text-to-video", "/no-such-page", "/static/app.css"} {
		a := p.Get(path)
		for name, want := range map[string]string{
			"Content-Security-Policy": "frame-ancestors 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
		} {
			if !strings.Contains(a.Header.Get(name), want) {
				t.Errorf("%s: %s is %q", path, name, a.Header.Get(name))
			}
		}
	}
	p.Get("/no-such-page").Is(404).Shows("We can’t find that page")
	p.Send("DELETE", "/gallery", nil).Is(405)
	p.Post("/settings", url.Values{"name": {"Eve"}}, "Sec-Fetch-Site", "cross-site").Is(403)
	p.Post("/settings", url.Values{"name": {"Eve"}}, "Origin", "https://evil.example.com").Is(403)
}
