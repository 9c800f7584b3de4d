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
	roomview "dailies/views/room"
	"dailies/web"
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
