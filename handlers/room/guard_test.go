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
	"dailies/db/secrets"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/handlers/site"
	"dailies/web/throttle"
)

const password = "harbour-47"

func page(t db.Task) string { return fmt.Sprintf("/tasks/%d", t.ID) }

func TestALinkThatDoesNotWorkIsTheSamePageEverywhere(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	revoked := owner.Share(page(film), "Our boat", "password", password)
	owner.Post("/shares/1/revoke", nil).Is(303)
	late := gallery.Share{Token: secrets.NewToken(), TaskID: film.ID, Download: true, CreatedBy: 1, CreatedAt: db.Now().AddDate(0, 0, -7), ExpiresAt: db.Now().Add(-time.Second)}
	must(t, h.Store.Links.AddShare(t.Context(), &late))
	hidden := h.KeptFilm(t, 1, "a secret boat")
	private := h.Joiner(t, owner, "ada").Share(page(hidden), "Our boat")
	h.Alter(t, hidden.ID, func(t *db.Task) { t.Private = true })
	c := h.AddCollection(t, 1)
	owner.Post("/collections/add", handlerstest.ChosenForm([]db.Task{film}, "collection", fmt.Sprint(c.ID))).Is(303)
	reel := owner.Share(fmt.Sprintf("/collections/%d", c.ID), "Our boats")
	h.Stranger(t).Get(reel + "/state").Is(204)
	owner.Post("/shares/4/revoke", nil).Is(303)
	works := owner.Share(page(film), "Our boat")
	stranger := h.Stranger(t)
	want := stranger.Get("/share/ABCDEFGHIJKLMNOPQRSTUVWXYZ").Is(404).Shows("This link has ended", "Ask for a new one.").Text
	for name, link := range map[string]string{"revoked": revoked, "ended": "/share/" + late.Token, "private": private, "a reel": reel, "unknown": "/share/ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
		for _, route := range guestRoutes {
			if got := route.send(stranger, link, shows(film)); got.StatusCode != 404 || got.Text != want {
				t.Errorf("%s: %s%s gets %d", name, route.pattern, route.path, got.StatusCode)
			}
		}
	}
	stranger.Get(fmt.Sprintf("%s/media/%d", works, hidden.Media[0].ID)).Is(404).Shows("We can’t find that page").Has(fmt.Sprintf(`.guest a.btn[href="%s"]`, works))
}

func TestALinkWithAPasswordShowsNothingWithoutIt(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	link, another := owner.Share(page(film), "Our boat", "password", password), owner.Share(page(film), "Another", "password", "another one")
	guest := h.Stranger(t)
	door := guest.Get(link).Is(200).Has(fmt.Sprintf(`form[action="%s/enter"]`, link), "[name=password]").Shows("Kim Doe").Hides("Our boat", "/media/", "og:image", "og:video", "a paper boat")
	guest.Get(link + "/mail").Is(200).Hides("Our boat")
	if door.Header.Get("Cache-Control") != "private, no-store" || door.Header.Get("X-Robots-Tag") == "" {
		t.Errorf("headers %v", door.Header)
	}
	closed := func(p *handlerstest.Browser) {
		t.Helper()
		p.Get(link).Is(200).Has("[name=password]").Hides("/media/")
		for _, file := range film.Media {
			p.Get(fmt.Sprintf("%s/media/%d", link, file.ID)).Is(403)
		}
		p.Get(link + "/state").Is(403)
		p.Get(link + "/brand.css").Is(200)
	}
	closed(guest)
	for wrong, sentence := range map[string]string{"harbour-48": "not it", "Harbour-47": "not it", "": "Enter the password", strings.Repeat("x", 5000): "not it"} {
		guest.Post(link+"/enter", url.Values{"password": {wrong}}).Is(422).Shows(sentence).Has("[aria-invalid=true]").Hides("harbour")
	}
	guest.Post(link+"/enter?password="+password, nil).Is(422) // never in a URL
	closed(guest)
	entered := guest.Post(link+"/enter", url.Values{"password": {password}}).Is(303).LeadsTo(link)
	if c := entered.Cookies(); len(c) != 1 || c[0].Path != link || !c[0].HttpOnly || c[0].MaxAge <= 0 || strings.Contains(c[0].Value, password) {
		t.Errorf("cookies %v", c)
	}
	open := guest.Get(link).Is(200).Shows("Our boat").Lacks("[name=password]").Hides("og:image", "og:video")
	for _, file := range open.Files() {
		guest.Get(file).Is(200)
		h.Stranger(t).Get(file).Is(403)
	}
	guest.Get(link + "/state").Is(204)
	guest.Get(another).Is(200).Has("[name=password]")
	guest.Get(fmt.Sprintf("/media/%d?share=%s", film.Media[0].ID, strings.TrimPrefix(another, "/share/"))).Is(303)
	// Neither do members get in without it, nor does the cookie of another link.
	owner.Get(link).Is(200).Has("[name=password]")
	stolen := h.Stranger(t)
	stolen.Get(another, "Cookie", entered.Cookies()[0].Name+"="+entered.Cookies()[0].Value).Is(200).Has("[name=password]")

	owner.Post("/shares/1", url.Values{"password": {""}, "download": {"on"}}).Is(303) // keeps it
	guest.Get(link).Is(200).Lacks("[name=password]")
	owner.Post("/shares/1", url.Values{"password": {"another one"}, "download": {"on"}}).Is(303)
	closed(guest)
	guest.Post(link+"/enter", url.Values{"password": {password}}).Is(422)
	guest.Post(link+"/enter", url.Values{"password": {"another one"}}).Is(303)
	guest.Get(link).Is(200).Lacks("[name=password]")
	owner.Post("/shares/1", url.Values{"no_password": {"on"}, "download": {"on"}}).Is(303)
	h.Stranger(t).Get(link).Is(200).Lacks("[name=password]").Shows("/media/")
	h.Stranger(t).Post(link+"/enter", nil).Is(303).LeadsTo(link)
}

func TestGuessesAtAPasswordAreLimited(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	link, another := owner.Share(page(film), "Our boat", "password", password), owner.Share(page(film), "Another", "password", password)
	refused := 0
	for i := range 12 {
		a := h.Stranger(t).Post(link+"/enter", url.Values{"password": {fmt.Sprintf("guess-%d", i)}})
		if a.StatusCode == 429 {
			refused++
			a.Has("[name=password]")
			if a.Header.Get("Retry-After") == "" {
				t.Error("it does not say how long to wait")
			}
		}
	}
	if refused < 3 || refused > 5 {
		t.Errorf("%d of 12 guesses were refused", refused)
	}
	h.Stranger(t).Post(link+"/enter", url.Values{"password": {password}}).Is(429)
	for range 20 { // those who know it are not limited
		h.Stranger(t).Post(another+"/enter", url.Values{"password": {password}}).Is(303)
	}
}

func TestNobodyGuessesSoMuchThatTheClientIsRefused(t *testing.T) {
	h := behindProxies(t, "127.0.0.1")
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	link := owner.Share(page(film), "Our boat", "password", password)
	for network := range 6 {
		for i := range 10 {
			from := []string{"X-Forwarded-For", fmt.Sprintf("2001:db8:%d:%d::1", network, i)} // all of these are one customer's
			want := 422
			if i >= site.TriesPerAccount {
				want = 429
			}
			h.Stranger(t).Post(link+"/enter", url.Values{"password": {"a guess"}}, from...).Is(want)
		}
	}
	client := h.Stranger(t)
	client.Post(link+"/enter", url.Values{"password": {password}}, "X-Forwarded-For", "203.0.113.9").Is(303)
	client.Get(link, "X-Forwarded-For", "203.0.113.9").Is(200).Shows("Our boat")
}

// behindProxies returns an app that trusts the proxies with their X-Forwarded-For.
func behindProxies(t *testing.T, networks string) *handlerstest.Server {
	t.Helper()
	return handlerstest.New(t).With(t, func(c *handlers.Config) {
		var err error
		c.Proxies, err = throttle.ParseProxies(networks)
		must(t, err)
	})
}

func TestTheLogSaysThatAProxyIsNotTrusted(t *testing.T) {
	h := behindProxies(t, "198.51.100.0/24")
	owner := h.Founder(t)
	link := owner.Share(page(h.KeptFilm(t, 1, "a paper boat")), "Our boat", "password", password)
	for _, header := range []string{"X-Forwarded-For", "Forwarded", "X-Real-IP"} {
		h.Stranger(t).Post(link+"/enter", url.Values{"password": {"a guess"}}, header, "203.0.113.9")
	}
	if n := strings.Count(h.Log.String(), "-trusted-proxy does not name"); n != 1 {
		t.Errorf("the log says it %d times", n)
	}
}

func TestGuessesFromOneAddressAreLimited(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	refused := 0
	for range 5 { // few guesses at each of several links
		link := owner.Share(page(film), "Our boat", "password", password)
		for i := range 7 {
			if h.Stranger(t).Post(link+"/enter", url.Values{"password": {fmt.Sprintf("guess-%d", i)}}).StatusCode == 429 {
				refused++
			}
		}
	}
	if refused < 2 || refused > 6 {
		t.Errorf("%d of 35 guesses were refused", refused)
	}
}

func TestWhatEndsALinkEndsItEverywhere(t *testing.T) {
	for name, end := range map[string]struct {
		form url.Values // that changes the link; nil revokes it
		want int
	}{
		"revoked": {nil, 404}, "another password": {url.Values{"password": {"another one"}, "download": {"on"}}, 403},
		"downloads off": {url.Values{}, 403},
	} {
		for _, beside := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in another process: %v", name, beside), func(t *testing.T) {
				h := handlerstest.New(t)
				owner := h.Founder(t)
				film := h.KeptFilm(t, 1, "a lake")
				link := owner.Share(page(film), "A lake", "password", password)
				guest := h.Stranger(t)
				guest.Post(link+"/enter", url.Values{"password": {password}}).Is(303)
				piece := fmt.Sprintf("%s/media/%d?download=1", link, film.Media[0].ID)
				for range 2 {
					guest.Get(piece, "Range", "bytes=0-3").Is(206)
				}
				if beside {
					owner = owner.At(t, h.Beside(t))
				}
				if end.form == nil {
					owner.Post("/shares/1/revoke", nil).Is(303)
				} else {
					owner.Post("/shares/1", end.form).Is(303)
				}
				guest.Get(piece, "Range", "bytes=4-7").Is(end.want)
			})
		}
	}
}

func TestAnOpenPageIsToldWhatHasChanged(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	film := h.KeptFilm(t, 1, "a paper boat")
	link := owner.Share(page(film), "Our boat")
	guest := h.Stranger(t)
	shown := guest.Get(link).Is(200)
	mark := seen(shown)
	for range 2 {
		guest.Get(link + "/state?seen=" + mark).Is(204)
	}
	owner.Post("/shares/1", url.Values{"title": {"Our tram"}, "download": {"on"}}).Is(303)
	guest.Get(link + "/state").Is(204)
	guest.Get(link+"/state?seen="+mark).Is(200).Shows("something new", link).Hides("<html")
	owner.Post("/shares/1/revoke", nil).Is(303)
	guest.Get(link + "/state").Is(404)
	guest.Get(link + "/state?seen=" + mark).Is(404)
}

// seen returns the mark of what the page shows.
func seen(a *handlerstest.Answer) string {
	_, mark, _ := strings.Cut(a.Text, `data-seen="`)
	mark, _, _ = strings.Cut(mark, `"`)
	return mark
}

// A guestRoute is a request under a link. The names in braces stand for what the link shows,
// or what its guests have written: see things.
type guestRoute struct {
	pattern string // without the link
	path    string
	form    string
	in      int // the status for a guest who may do everything
}

// guestRoutes has a request, or several, for each route under a link. The last ones delete what
// others need.
var guestRoutes = []guestRoute{
	{"GET ", "", "", 200},
	{"POST /enter", "/enter", "password=" + password, 303},
	{"GET /brand.css", "/brand.css", "", 200},
	{"GET /logo", "/logo", "", 200},
	{"GET /state", "/state", "", 204},
	{"GET /state", "/state?seen=x", "", 200},
	{"POST /name", "/name", "name=Mara", 303},
	{"GET /media/{id}", "/media/{video}", "", 200},
	{"GET /media/{id}", "/media/{video}?download=1", "", 200},
	{"GET /media/{id}", "/media/{cover}", "", 200},
	{"GET /media/{id}", "/media/{take}", "", 200},
	{"GET /compare", "/compare?take={film}&take={second}", "", 200},
	{"GET /notes", "/notes?task={film}", "", 200},
	{"POST /notes", "/notes", "task={film}&at=0&body=Larger", 303},
	{"POST /notes/{id}", "/notes/{note}", "body=Smaller", 303},
	{"POST /verdict", "/verdict", "task={film}&verdict=approved", 303},
	{"GET /mail", "/mail?to={mail}", "", 200},
	{"POST /mail", "/mail?to={mail}", "do=off", 303},
	{"POST /notes/{id}/delete", "/notes/{note}/delete", "", 303},
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

// locked returns the status without the password of the link, which the row says.
func (r guestRoute) locked(t *testing.T, h *handlerstest.Server) int {
	t.Helper()
	method, path, _ := strings.Cut(r.pattern, " ")
	for _, row := range h.App.Routes() {
		switch {
		case row.Pattern != method+" /share/{token}"+path:
		case row.For == site.ForGuests:
			return 403
		case row.For == site.ForLink:
			return r.in
		}
	}
	t.Errorf("it is not known for whom %s is", r.pattern)
	return 0
}

func TestTheTableOfGuestsHasEveryRouteUnderALink(t *testing.T) {
	var has []string
	for _, r := range guestRoutes {
		method, path, _ := strings.Cut(r.pattern, " ")
		has = append(has, method+" /share/{token}"+path)
	}
	for _, row := range handlerstest.New(t).App.Routes() {
		p := row.Pattern
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
		want := r.locked(t, h)
		for name, p := range map[string]*handlerstest.Browser{"no password": outside, "a wrong password": wrong} {
			if got := r.send(p, link, has); got.StatusCode != want {
				t.Errorf("%s: %s%s gets %d, want %d", name, r.pattern, r.path, got.StatusCode, want)
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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
