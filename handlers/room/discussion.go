package room

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/handlers/site"
	"dailies/views/part"
	roomview "dailies/views/room"
	"dailies/web"
)

// guestCookie is the name of the cookie that remembers who a guest of one link is: its path
// is that of the link.
const guestCookie = "dailies-guest"

// mostGuestCookies is how many of them are looked up in a request. A browser sends one for each
// path of the link at most; each costs a query.
const mostGuestCookies = 4

// author returns the person of the team who is signed in, or else the guest whom the browser
// remembers, or nobody.
func (h *Room) author(r *http.Request, link gallery.Share) (review.Author, error) {
	v, err := h.viewers.Viewer(r)
	if err == nil && !v.Session.Unproven {
		return review.Author{UserID: v.User.ID, Name: v.User.Name}, nil
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return review.Author{}, err
	}
	cookies := r.CookiesNamed(guestCookie)
	for _, c := range cookies[:min(len(cookies), mostGuestCookies)] {
		g, err := h.guests.Guest(r.Context(), link.ID, c.Value)
		if err == nil {
			return g.Author(), nil
		}
		if !errors.Is(err, db.ErrNotFound) {
			return review.Author{}, err
		}
	}
	return review.Author{}, nil
}

// newcomer returns the guest who gives a name with the form. The error is a refusal.
func (h *Room) newcomer(r *http.Request, link gallery.Share) (review.Guest, error) {
	form, err := h.readGuest(r, aboutLink(link).NameMissing())
	return review.Guest{
		ShareID: link.ID, Token: h.guestToken(r, link), Name: form.Name.Value, Email: form.Email.Value, CreatedAt: db.Now(),
	}, err
}

// readGuest reads the name of a guest, and the address at which they want mails. The sentence
// missing asks for the name. The error is a refusal.
func (h *Room) readGuest(r *http.Request, missing string) (form part.GuestForm, err error) {
	if form = part.NewGuestForm(missing); !site.ReadForm(r, form.Inputs(h.canMail)...) {
		err = &refusal{status: http.StatusUnprocessableEntity, name: form.Name.Error, email: form.Email.Error}
	}
	return form, err
}

// guestToken returns the token of a guest who gives a name with the form. It follows from what the page
// has put into the form: a form that is sent twice, such as with a second press, adds one guest.
func (h *Room) guestToken(r *http.Request, link gallery.Share) string {
	form := r.PostFormValue("guest")
	if len(form) != len(secrets.NewToken()) {
		return secrets.NewToken()
	}
	return base64.RawURLEncoding.EncodeToString(h.vault.Fingerprint(fmt.Sprintf("guest of link %d: %s", link.ID, form)))
}

// subscription returns the subscription of the guest; the zero value if they have none.
func (h *Room) subscription(r *http.Request, who review.Author) (review.Subscription, error) {
	if who.GuestID == 0 {
		return review.Subscription{}, nil
	}
	sub, err := h.guests.SubscriptionOf(r.Context(), who.GuestID)
	if errors.Is(err, db.ErrNotFound) {
		return review.Subscription{}, nil
	}
	return sub, err
}

// fillDiscussion fills in what was said about the video that the page begins with, which of its
// takes answer that, and what the guest decided about it. In a storyline, notes and answers
// are about single scenes.
func (h *Room) fillDiscussion(r *http.Request, link gallery.Share, page *roomview.Page) error {
	if !link.May.Allows(gallery.Talk) || len(page.Clips) == 0 {
		return nil
	}
	clip, path := page.Current(), roomview.Path(link.Token)+"/notes"
	who, err := h.author(r, link)
	if err != nil {
		return err
	}
	all, err := h.notes.Of(r.Context(), clip.TaskID)
	if err != nil {
		return err
	}
	page.Discussion = part.Discussion{
		TaskID: clip.TaskID, Path: path, One: path + "/", Me: who, Writes: true, Now: db.Now(), Length: int64(clip.Seconds+1) * 1000,
		Notes:    review.OnLink(all, link.ID, who),
		Form:     new(part.NoteForm),
		NamePath: roomview.Path(link.Token) + "/name",
		Poll:     path + "?task=" + strconv.FormatInt(clip.TaskID, 10),
	}
	page.Discussion.Mail = review.Mailing{Offered: h.canMail && who.UserID == 0, Path: mailPath(link)}
	if page.Discussion.Mail.Sub, err = h.subscription(r, who); err != nil {
		return err
	}
	if link.May.Allows(gallery.Decide) && who.UserID == 0 {
		if err := h.fillVerdict(r, link, who, page); err != nil {
			return err
		}
	}
	page.Discussion.Newcomer = secrets.NewToken()
	page.Discussion.Answers(r.URL.Query())
	if len(page.Discussion.Notes) == 0 || !page.Several() {
		return nil
	}
	answers, err := h.takes.Answers(r.Context(), clip.TaskID)
	page.Answer(answers)
	return err
}

// fillVerdict fills in the form with which the guest decides about the video that the page begins
// with.
func (h *Room) fillVerdict(r *http.Request, link gallery.Share, who review.Author, page *roomview.Page) error {
	base := roomview.Path(link.Token)
	v := &roomview.Verdict{
		Path: base + "/verdict", FormPath: base + "/notes", TaskID: page.Current().TaskID, About: page.CurrentName(),
		Names: who.GuestID == 0, Emails: h.canMail && who.GuestID == 0,
		Step: roomview.Step(r.URL.Query().Get("answer")), Composed: true, Newcomer: secrets.NewToken(), Form: new(part.NoteForm),
	}
	page.Verdict, page.Discussion.AnswerPath = v, v.Path
	if who.GuestID == 0 {
		return nil
	}
	given, err := h.guests.VerdictsBy(r.Context(), who.GuestID)
	v.Given = given[v.TaskID]
	return err
}

// mailPath returns the path of the page that turns mails of the link on and off.
func mailPath(link gallery.Share) string { return roomview.Path(link.Token) + "/mail" }

// findSubscription returns the subscription that the token in a mail is for, or that of the guest whom the
// browser remembers. proven says that it was the token, so that the address is theirs.
func (h *Room) findSubscription(r *http.Request, link gallery.Share) (sub review.Subscription, proven bool, err error) {
	token := r.URL.Query().Get("to")
	if token == "" {
		who, err := h.author(r, link)
		if err != nil {
			return sub, false, err
		}
		sub, err = h.subscription(r, who)
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

// ShowMail says whether the guest gets mails. It changes nothing, because programs that check
// mails open their links.
func (h *Room) ShowMail(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	sub, proven, err := h.findSubscription(r, link)
	if err != nil {
		return err
	}
	sender, err := h.senderOf(r.Context(), link)
	if err != nil {
		return err
	}
	title := ""
	if h.isIn(r, link) {
		title = link.Title
	}
	return web.Fragment(w, r, http.StatusOK, roomview.ShowMail(roomview.MailPage{
		Sender: sender, Title: title, Path: roomview.Path(link.Token), Sub: sub, Action: actionOf(r, link), Proven: proven,
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

// TurnMails turns the mails to a guest on or off as the field do says. Mail programs that turn them off with
// one click (RFC 8058) send the field List-Unsubscribe instead.
func (h *Room) TurnMails(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	sub, proven, err := h.findSubscription(r, link)
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
