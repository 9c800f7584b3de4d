package room

import (
	"fmt"
	"net/http"

	"dailies/db/gallery"
	"dailies/handlers/site"
	roomview "dailies/views/room"
	"dailies/web"
	"dailies/web/throttle"
)

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
	return throttle.Rate{Name: fmt.Sprintf("password of link %d from %x", link.ID, h.tries.Source(r)), Burst: site.TriesPerAccount, Every: site.TriesEvery}
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
	return web.Fragment(w, r, status, roomview.ShowPassword(roomview.Page{House: house, Of: link.Of(), Path: roomview.Path(link.Token), Locked: true}, sentence))
}
