package room

import (
	"errors"
	"net/http"
	"net/url"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/store/video"
	roomview "dailies/views/room"
	"dailies/web"
)

// Mails turns the mails to guests of a link on and off. That works without the link's
// password, because whoever gets mails must be able to stop them.
type Mails struct {
	guard  *Guard
	guests *video.Guests
	talks  *talks
	vault  *secrets.Vault
}

// mailPath returns the path of the page that turns mails of the link on and off.
func mailPath(link gallery.Share) string { return roomview.Path(link.Token) + "/mail" }

// find returns the subscription that the token in a mail is for, or that of the guest whom the
// browser remembers. proven says that it was the token, so that the address is theirs.
func (h *Mails) find(r *http.Request, link gallery.Share) (sub review.Subscription, proven bool, err error) {
	token := r.URL.Query().Get("to")
	if token == "" {
		who, err := h.talks.who(r, link)
		if err != nil {
			return sub, false, err
		}
		sub, err = h.talks.subscription(r, who)
		return sub, false, err
	}
	sub, err = h.guests.Subscription(r.Context(), secrets.MailID(token))
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return sub, false, err
	}
	if err != nil || sub.ShareID != link.ID || !h.vault.IsMail(token, sub.ID, sub.Address) {
		return sub, false, web.NotFound()
	}
	return sub, true, nil
}

// Show says whether the guest gets mails. It changes nothing, because programs that check
// mails open their links.
func (h *Mails) Show(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	sub, proven, err := h.find(r, link)
	if err != nil {
		return err
	}
	house, err := h.guard.house.of(r.Context(), link)
	if err != nil {
		return err
	}
	title := ""
	if h.guard.IsIn(r, link) {
		title = link.Title
	}
	return web.Fragment(w, r, http.StatusOK, roomview.ShowMail(roomview.MailPage{
		House: house, Title: title, Path: roomview.Path(link.Token), Sub: sub, Action: actionOf(r, link), Proven: proven,
	}))
}

// actionOf returns the address of the page with the token that it was opened with.
func actionOf(r *http.Request, link gallery.Share) string {
	token := r.URL.Query().Get("to")
	if token == "" {
		return mailPath(link)
	}
	return mailPath(link) + "?" + url.Values{"to": {token}}.Encode()
}

// Turn turns the mails on or off as the field do says. Mail programs that turn them off with
// one click (RFC 8058) send the field List-Unsubscribe instead.
func (h *Mails) Turn(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	sub, proven, err := h.find(r, link)
	if err != nil {
		return err
	}
	if sub.ID == 0 {
		return web.NotFound()
	}
	on := r.PostFormValue("do") == "on"
	if !on && r.PostFormValue("do") != "off" && r.PostFormValue("List-Unsubscribe") != "One-Click" {
		return &web.Error{Status: http.StatusUnprocessableEntity, Message: onOrOff}
	}
	if on && !proven {
		return web.Forbidden(fromMail)
	}
	if err := h.guests.TurnMails(r.Context(), sub.ID, on, db.Now()); err != nil {
		return err
	}
	return web.SeeOther(w, r, actionOf(r, link))
}
