package room

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/site"
	roomview "dailies/views/room"
	"dailies/web"
	"dailies/web/throttle"
)

// A Guard lets only those guests through that may open an address of a link. Each request
// asks the database, or what it said since which nothing was written: so what a guest may
// do ends with the link, its password or its settings, in every process.
type Guard struct {
	guests *guests
	house  *house
	links  *video.Links
	open   func(web.Handler) web.Handler // names the guest's network address in the audit
}

// A Handler responds to a request from a guest of the link. It is like a web.Handler
// otherwise.
type Handler func(w http.ResponseWriter, r *http.Request, link gallery.Share) error

// Outside lets everybody through whose link works, also without its password: IsIn says
// whether that was given. All links that do not work have the same page.
func (g *Guard) Outside(h Handler) web.Handler {
	return g.open(func(w http.ResponseWriter, r *http.Request) error {
		header := w.Header()
		header.Set("X-Robots-Tag", "noindex, nofollow")
		header.Set("Cache-Control", "private, no-store")
		link, err := g.links.Link(r.Context(), r.PathValue("token"), db.Now())
		if errors.Is(err, db.ErrNotFound) {
			return ended(w, r)
		}
		if err != nil {
			return err
		}
		return g.told(w, r, link, h(w, r, link))
	})
}

// Look lets guests through who may watch what the link shows: if it has a password, they
// have given it. Others get a 403.
func (g *Guard) Look(h Handler) web.Handler { return g.inside(gallery.Look, h) }

// Talk lets guests through who may write notes.
func (g *Guard) Talk(h Handler) web.Handler { return g.inside(gallery.Talk, h) }

// Decide lets guests through who may decide.
func (g *Guard) Decide(h Handler) web.Handler { return g.inside(gallery.Decide, h) }

func (g *Guard) inside(needs gallery.May, h Handler) web.Handler {
	return g.Outside(func(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
		switch {
		case !g.IsIn(r, link):
			return web.Forbidden(passwordFirst)
		case !link.May.Allows(needs):
			return web.Forbidden(notAllowed)
		}
		return h(w, r, link)
	})
}

// IsIn reports whether the link needs no password, or the browser has given it.
func (g *Guard) IsIn(r *http.Request, link gallery.Share) bool { return g.guests.isIn(r, link) }

// ended answers a request with a link that does not work.
func ended(w http.ResponseWriter, r *http.Request) error {
	return web.Fragment(w, r, http.StatusNotFound, roomview.ShowEnded())
}

// told shows an error that a guest has made on a page of guests. What is not in the link
// (any more) is an error like any other; the rest is for the log.
func (g *Guard) told(w http.ResponseWriter, r *http.Request, link gallery.Share, err error) error {
	e := (*web.Error)(nil)
	if err != nil {
		e = web.AsError(err)
	}
	if e == nil || e.Status >= http.StatusInternalServerError || r.Header.Get("HX-Request-Type") == "partial" {
		return err
	}
	house, err := g.house.of(r.Context(), link)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, e.Status, roomview.ShowRefused(house, roomview.Path(link.Token), e.Message))
}

// guests remembers in which browsers the password of a link was given.
type guests struct {
	cookies *web.Cookies
	vault   *secrets.Vault
}

// passCookie is the name of the cookie that remembers the password of one link: its path
// is that of the link.
const passCookie = "dailies-room"

// pass returns the value of the cookie. It changes with the password, whose hash has a salt.
func (g *guests) pass(link gallery.Share) string {
	return base64.RawURLEncoding.EncodeToString(g.vault.Fingerprint(fmt.Sprintf("password of link %d: %s", link.ID, link.Password)))
}

func (g *guests) isIn(r *http.Request, link gallery.Share) bool {
	if link.Password == "" {
		return true
	}
	want := []byte(g.pass(link))
	cookies := r.CookiesNamed(passCookie)
	for _, c := range cookies[:min(len(cookies), mostGuestCookies)] {
		if subtle.ConstantTimeCompare([]byte(c.Value), want) == 1 {
			return true
		}
	}
	return false
}

// remember makes the browser remember that the password was given, until the link ends.
func (g *guests) remember(w http.ResponseWriter, link gallery.Share) {
	http.SetCookie(w, &http.Cookie{
		Name: passCookie, Value: g.pass(link), Path: roomview.Path(link.Token), MaxAge: max(1, int(link.ExpiresAt.Sub(db.Now()).Seconds())),
		HttpOnly: true, Secure: g.cookies.ForHost(), SameSite: http.SameSiteLaxMode,
	})
}

// house knows what guests are told about the team.
type house struct {
	settings *people.Settings
}

// houseOf returns what the link itself tells guests.
func houseOf(link gallery.Share) roomview.House {
	house := roomview.House{Until: link.ExpiresAt, Now: db.Now()}
	if link.Named {
		house.Maker = link.MakerName
	}
	return house
}

// of returns what the guests of the link are told about its sender.
func (h *house) of(ctx context.Context, link gallery.Share) (roomview.House, error) {
	labels, err := h.settings.Labels(ctx)
	house := houseOf(link)
	house.Quiet = labels.Quiet
	if !link.Named || err != nil {
		return house, err
	}
	brand, err := h.settings.Brand(ctx)
	house.Sender = brand.Name
	if brand.Colour != "" {
		house.Style = roomview.Path(link.Token) + "/brand.css"
	}
	if brand.Logo.Hash != "" {
		house.Logo = roomview.Logo{Address: roomview.Path(link.Token) + "/logo", Width: brand.Logo.Width, Height: brand.Logo.Height}
	}
	return house, err
}

// Entry lets guests in who know the password of their link.
type Entry struct {
	guard   *Guard
	hashing *site.Hashing
	tries   *site.Tries
}

// guesses returns the limit of guesses at the password of the link from the request's network
// address. There is none for all addresses together: whoever guesses wrong would shut out the
// client who has the right password.
func (h *Entry) guesses(r *http.Request, link gallery.Share) throttle.Rate {
	return throttle.Rate{Name: fmt.Sprintf("password of link %d from %x", link.ID, h.tries.Source(r)),
		Burst: site.TriesPerAccount, Every: site.TriesEvery}
}

// Enter compares the password in the form with that of the link. Guesses are limited for each
// network address, at each link and at all links together, and those of one address are
// compared one after another, so that they keep no more than one processor busy.
func (h *Entry) Enter(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	page := roomview.Path(link.Token)
	if h.guard.IsIn(r, link) {
		return web.SeeOther(w, r, page)
	}
	password := r.PostFormValue("password")
	if password == "" { // this is no guess
		return h.guard.ask(w, r, http.StatusUnprocessableEntity, link, roomview.NoPassword)
	}
	attempt, wait, err := h.tries.TakeGuess(r.Context(), h.tries.FromAddress(r, "share", h.guesses(r, link))...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return h.guard.ask(w, r, http.StatusTooManyRequests, link, site.TooMany(w, wait))
	}
	right, _, err := h.hashing.Match(r.Context(), site.GuestApplicant(h.tries.Source(r)), link.Password, password)
	if sentence, busy := site.Busy(w, err); busy {
		attempt.GiveBack()
		return h.guard.ask(w, r, http.StatusTooManyRequests, link, sentence)
	}
	if err != nil {
		return err
	}
	if !right {
		house, err := h.guard.house.of(r.Context(), link)
		if err != nil {
			return err
		}
		return h.guard.ask(w, r, http.StatusUnprocessableEntity, link, house.WrongPassword())
	}
	attempt.GiveBack()
	h.guard.guests.remember(w, link)
	return web.SeeOther(w, r, page)
}

// ask shows the form for the password, with a sentence if something is wrong. The title of the
// link may be a secret like what it shows, so the page and its previews do not have it.
func (g *Guard) ask(w http.ResponseWriter, r *http.Request, status int, link gallery.Share, sentence string) error {
	house, err := g.house.of(r.Context(), link)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, status,
		roomview.ShowPassword(roomview.Page{House: house, Of: link.Of(), Path: roomview.Path(link.Token), Locked: true}, sentence))
}
