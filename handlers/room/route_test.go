package room_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
)

// A guestRoute is a request under a link. The names in braces stand for what the link shows,
// or what its guests have written: see things.
type guestRoute struct {
	pattern string // without the link
	path    string
	form    string
	in      int // the status for a guest who may do everything
	locked  int // without the password of the link
}

// guestRoutes has a request, or several, for each route under a link. The last ones delete what
// others need.
var guestRoutes = []guestRoute{
	{"GET ", "", "", 200, 200},
	{"POST /enter", "/enter", "password=" + password, 303, 303},
	{"GET /brand.css", "/brand.css", "", 200, 200},
	{"GET /logo", "/logo", "", 200, 200},
	{"GET /state", "/state", "", 204, 403},
	{"GET /state", "/state?seen=x", "", 200, 403},
	{"POST /name", "/name", "name=Mara", 303, 403},
	{"GET /media/{id}", "/media/{video}", "", 200, 403},
	{"GET /media/{id}", "/media/{video}?download=1", "", 200, 403},
	{"GET /media/{id}", "/media/{cover}", "", 200, 403},
	{"GET /media/{id}", "/media/{take}", "", 200, 403},
	{"GET /compare", "/compare?take={film}&take={second}", "", 200, 403},
	{"GET /notes", "/notes?task={film}", "", 200, 403},
	{"POST /notes", "/notes", "task={film}&at=0&body=Larger", 303, 403},
	{"POST /notes/{id}", "/notes/{note}", "body=Smaller", 303, 403},
	{"POST /verdict", "/verdict", "task={film}&verdict=approved", 303, 403},
	{"GET /mail", "/mail?to={mail}", "", 200, 200},
	{"POST /mail", "/mail?to={mail}", "do=off", 303, 303},
	{"POST /notes/{id}/delete", "/notes/{note}/delete", "", 303, 403},
}

// things are the values for the names in braces.
type things map[string]string

// shows returns what a link to the film shows. Nothing was written there.
func shows(film db.Task) things {
	video, _ := film.Video()
	cover, _ := film.Cover()
	return things{"film": fmt.Sprint(film.ID), "video": fmt.Sprint(video.ID), "cover": fmt.Sprint(cover.ID), "second": "99", "take": "99", "note": "99", "mail": "1.x"}
}

func (r guestRoute) send(p *handlerstest.Browser, link string, has things) *handlerstest.Answer {
	fill := func(text string) string {
		for name, value := range has {
			text = strings.ReplaceAll(text, "{"+name+"}", url.QueryEscape(value))
		}
		return text
	}
	method, _, _ := strings.Cut(r.pattern, " ")
	form, _ := url.ParseQuery(fill(r.form))
	return p.Send(method, link+fill(r.path), form)
}

// names reports whether the request names something of one link.
func (r guestRoute) names() bool { return strings.Contains(r.path+r.form, "{") }

func TestTheTableOfGuestsHasEveryRouteUnderALink(t *testing.T) {
	var has []string
	for _, r := range guestRoutes {
		method, path, _ := strings.Cut(r.pattern, " ")
		has = append(has, method+" /share/{token}"+path)
	}
	for _, p := range handlerstest.New(t).App.Routes().Patterns() {
		if strings.Contains(p, "/share/") && !slices.Contains(has, p) {
			t.Errorf("%s is not tried", p)
		}
	}
}

// visited returns a link with a password, where a guest may do everything and has written a
// note and asked for mails; the guest; and what they see there.
func visited(t *testing.T, h *handlerstest.Server, owner *handlerstest.Browser, email string) (link string, guest *handlerstest.Browser, has things) {
	t.Helper()
	film := h.KeptFilm(t, 1, "film for "+email)
	second := stacked(t, h, 1, "take for "+email, film)
	link = owner.Share(page(film), "Our boat", "password", password, "may", "decide", "takes", "on", "download", "on")
	guest = h.Stranger(t)
	guest.Post(link+"/enter", url.Values{"password": {password}}).Is(303)
	guest.Post(link+"/notes", talkForm(film, "body", "Larger", "name", "Mara", "email", email)).Is(303)
	notes, err := h.Store.Notes.Of(t.Context(), film.ID)
	must(t, err)
	has = shows(film)
	has["second"], has["take"], has["note"] = fmt.Sprint(second.ID), fmt.Sprint(second.Media[0].ID), fmt.Sprint(notes[0].ID)
	for _, sub := range asked(t, h) {
		if sub.Address == email {
			_, has["mail"], _ = strings.Cut(turnPath(t, link, sub), "?to=")
			has["mail"], _ = url.QueryUnescape(has["mail"])
		}
	}
	return link, guest, has
}

// Every route is tried with a link that is open to the guest, without its password, with a
// wrong one, with what belongs to another link, and after it was turned off or has ended.
func TestEveryRouteOfGuestsHasItsGuard(t *testing.T) {
	h := handlerstest.New(t).With(t, func(c *handlers.Config) { c.Mail = true })
	owner := h.Founder(t)
	brand(owner, "Studio", "#0B6157", logo(t, "png", 40)).Is(303)
	_, _, foreign := visited(t, h, owner, "jo@example.com")
	link, guest, has := visited(t, h, owner, "mara@example.com")
	outside, wrong := h.Stranger(t), h.Stranger(t)
	wrong.Post(link+"/enter", url.Values{"password": {"harbour-48"}}).Is(422)
	for _, r := range guestRoutes {
		if r.pattern == "POST /enter" {
			continue // it would let them in
		}
		for name, p := range map[string]*handlerstest.Browser{"no password": outside, "a wrong password": wrong} {
			if got := r.send(p, link, has); got.StatusCode != r.locked {
				t.Errorf("%s: %s%s gets %d, want %d", name, r.pattern, r.path, got.StatusCode, r.locked)
			}
		}
	}
	for _, r := range guestRoutes {
		if got := r.send(guest, link, foreign); r.names() && got.StatusCode != 404 {
			t.Errorf("of another link: %s%s gets %d", r.pattern, r.path, got.StatusCode)
		}
	}
	for _, r := range guestRoutes {
		if got := r.send(guest, link, has); got.StatusCode != r.in {
			t.Errorf("%s%s gets %d, want %d: %.300s", r.pattern, r.path, got.StatusCode, r.in, got.Text)
		}
	}
	closed := h.Stranger(t).Get("/share/ABCDEFGHIJKLMNOPQRSTUVWXYZ").Is(404).Shows("This link has ended").Text
	for name, end := range map[string]func(){
		"revoked": func() { must(t, h.Store.Links.RevokeShare(t.Context(), 2, db.Now())) },
		"ended": func() {
			must(t, h.Store.Links.BringBack(t.Context(), 2, db.Now()))
			must(t, h.Store.Links.ChangeShare(t.Context(), 2, db.Now(), func(s *gallery.Share) { s.ExpiresAt = db.Now().Add(-time.Second) }))
		},
	} {
		end()
		for _, r := range guestRoutes {
			if got := r.send(guest, link, has); got.StatusCode != 404 || got.Text != closed {
				t.Errorf("%s: %s%s gets %d", name, r.pattern, r.path, got.StatusCode)
			}
		}
	}
}
