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
	"dailies/handlers/site"
	roomview "dailies/views/room"
	"dailies/web"
	"dailies/web/throttle"
)

// A handler responds to a request from a guest of the link. It is like a web.Handler
// otherwise.
type handler func(w http.ResponseWriter, r *http.Request, link gallery.Share) error

// anyone lets everybody through whose link works, also without its password: isIn says
// whether that was given. All links that do not work have the same page. Each request asks
// the database, or what it said since which nothing was written: so what a guest may do ends
// with the link, its password or its settings, in every process.
func (h *Room) anyone(next handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		header := w.Header()
		header.Set("X-Robots-Tag", "noindex, nofollow")
		header.Set("Cache-Control", "private, no-store")
		link, err := h.links.Link(r.Context(), r.PathValue("token"), db.Now())
		if errors.Is(err, db.ErrNotFound) {
			return ended(w, r)
		}
		if err != nil {
			return err
		}
		return h.refused(w, r, link, next(w, r, link))
	}
}

// mayLook lets guests through who may watch what the link shows: if it has a password, they
// have given it. Others get a 403.
func (h *Room) mayLook(next handler) web.Handler { return h.inside(gallery.Look, next) }

// mayTalk lets guests through who may write notes.
func (h *Room) mayTalk(next handler) web.Handler { return h.inside(gallery.Talk, next) }

// mayDecide lets guests through who may decide.
func (h *Room) mayDecide(next handler) web.Handler { return h.inside(gallery.Decide, next) }

func (h *Room) inside(needs gallery.GuestPermission, next handler) web.Handler {
	return h.anyone(func(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
		switch {
		case !h.isIn(r, link):
			return web.Forbidden(passwordFirst)
		case !link.May.Allows(needs):
			return web.Forbidden(notAllowed)
		}
		return next(w, r, link)
	})
}

// ended answers a request with a link that does not work.
func ended(w http.ResponseWriter, r *http.Request) error {
	return web.Fragment(w, r, http.StatusNotFound, roomview.ShowEnded())
}

// refused shows an error that a guest has made on a page of guests. What is not in the link
// (any more) is an error like any other; the rest is for the log.
func (h *Room) refused(w http.ResponseWriter, r *http.Request, link gallery.Share, err error) error {
	e := (*web.Error)(nil)
	if err != nil {
		e = web.AsError(err)
	}
	if e == nil || e.Status >= http.StatusInternalServerError || r.Header.Get("HX-Request-Type") == "partial" {
		return err
	}
	sender, err := h.senderOf(r.Context(), link)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, e.Status, roomview.ShowRefused(sender, roomview.Path(link.Token), e.Message))
}

// passCookie is the name of the cookie that remembers the password of one link: its path
// is that of the link.
const passCookie = "dailies-room"

// passValue returns the value of the cookie. It changes with the password, whose hash has a salt.
func (h *Room) passValue(link gallery.Share) string {
	return base64.RawURLEncoding.EncodeToString(h.vault.Fingerprint(fmt.Sprintf("password of link %d: %s", link.ID, link.Password)))
}

// isIn reports whether the link needs no password, or the browser has given it.
func (h *Room) isIn(r *http.Request, link gallery.Share) bool {
	if link.Password == "" {
		return true
	}
	want := []byte(h.passValue(link))
	cookies := r.CookiesNamed(passCookie)
	for _, c := range cookies[:min(len(cookies), mostGuestCookies)] {
		if subtle.ConstantTimeCompare([]byte(c.Value), want) == 1 {
			return true
		}
	}
	return false
}

// remember makes the browser keep the cookie, which it sends with requests for the link alone,
// until the link ends.
func (h *Room) remember(w http.ResponseWriter, link gallery.Share, name, value string) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: roomview.Path(link.Token), MaxAge: max(1, int(link.ExpiresAt.Sub(db.Now()).Seconds())),
		HttpOnly: true, Secure: h.cookies.ForHost(), SameSite: http.SameSiteLaxMode,
	})
}

// aboutLink returns what the link itself tells guests.
func aboutLink(link gallery.Share) roomview.Sender {
	about := roomview.Sender{Until: link.ExpiresAt, Now: db.Now()}
	if link.Named {
		about.Maker = link.MakerName
	}
	return about
}

// senderOf returns what the guests of the link are told about it and about its sender.
func (h *Room) senderOf(ctx context.Context, link gallery.Share) (roomview.Sender, error) {
	labels, err := h.settings.Labels(ctx)
	sender := aboutLink(link)
	sender.Quiet = labels.Quiet
	if !link.Named || err != nil {
		return sender, err
	}
	brand, err := h.settings.Brand(ctx)
	sender.TeamName = brand.Name
	if brand.Colour != "" {
		sender.Style = roomview.Path(link.Token) + "/brand.css"
	}
	if brand.Logo.Hash != "" {
		sender.Logo = roomview.Logo{Address: roomview.Path(link.Token) + "/logo", Width: brand.Logo.Width, Height: brand.Logo.Height}
	}
	return sender, err
}

// guesses returns the limit of guesses at the password of the link from the request's network
// address. There is none for all addresses together: whoever guesses wrong would shut out the
// client who has the right password.
func (h *Room) guesses(r *http.Request, link gallery.Share) throttle.Rate {
	return throttle.Rate{Name: fmt.Sprintf("password of link %d from %x", link.ID, h.attempts.Source(r)),
		Burst: site.TriesPerAccount, Every: site.TriesEvery}
}

// Enter compares the password in the form with that of the link. Guesses are limited for each
// network address, at each link and at all links together, and those of one address are
// compared one after another, so that they keep no more than one processor busy.
func (h *Room) Enter(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	page := roomview.Path(link.Token)
	if h.isIn(r, link) {
		return web.SeeOther(w, r, page)
	}
	password := r.PostFormValue("password")
	if password == "" { // this is no guess
		return h.showPassword(w, r, http.StatusUnprocessableEntity, link, roomview.NoPassword)
	}
	attempt, wait, err := h.attempts.TakeGuess(r.Context(), h.attempts.FromAddress(r, "share", h.guesses(r, link))...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return h.showPassword(w, r, http.StatusTooManyRequests, link, site.TooMany(w, wait))
	}
	right, _, err := h.hashing.Match(r.Context(), site.GuestApplicant(h.attempts.Source(r)), link.Password, password)
	if sentence, busy := site.Busy(w, err); busy {
		attempt.GiveBack()
		return h.showPassword(w, r, http.StatusTooManyRequests, link, sentence)
	}
	if err != nil {
		return err
	}
	if !right {
		sender, err := h.senderOf(r.Context(), link)
		if err != nil {
			return err
		}
		return h.showPassword(w, r, http.StatusUnprocessableEntity, link, sender.WrongPassword())
	}
	attempt.GiveBack()
	h.remember(w, link, passCookie, h.passValue(link))
	return web.SeeOther(w, r, page)
}

// showPassword shows the form for the password, with a sentence if something is wrong. The title of the
// link may be a secret like what it shows, so the page and its previews do not have it.
func (h *Room) showPassword(w http.ResponseWriter, r *http.Request, status int, link gallery.Share, sentence string) error {
	sender, err := h.senderOf(r.Context(), link)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, status,
		roomview.ShowPassword(
			roomview.Page{Sender: sender, Target: link.Target(), Path: roomview.Path(link.Token), Locked: true}, sentence,
		))
}
