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
	"dailies/db/store/video"
	"dailies/handlers/site"
	"dailies/views/part"
	roomview "dailies/views/room"
	"dailies/web"
)

// talks knows who writes on the page of a link, and what its guests see of what was said.
type talks struct {
	canMail bool
	cookies *web.Cookies
	guests  *video.Guests
	notes   *video.Notes
	vault   *secrets.Vault
	viewers *site.Viewers
}

// guestCookie is the name of the cookie that remembers who a guest of one link is: its path
// is that of the link.
const guestCookie = "dailies-guest"

// mostGuestCookies is how many of them are looked up in a request. A browser sends one for each
// path of the link at most; each costs a query.
const mostGuestCookies = 4

// who returns the person of the team who is signed in, or else the guest whom the browser
// remembers, or nobody.
func (t *talks) who(r *http.Request, link gallery.Share) (review.Author, error) {
	v, err := t.viewers.Viewer(r)
	if err == nil && !v.Session.Unproven {
		return review.Author{UserID: v.User.ID, Name: v.User.Name}, nil
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return review.Author{}, err
	}
	cookies := r.CookiesNamed(guestCookie)
	for _, c := range cookies[:min(len(cookies), mostGuestCookies)] {
		g, err := t.guests.Guest(r.Context(), link.ID, c.Value)
		if err == nil {
			return g.Author(), nil
		}
		if !errors.Is(err, db.ErrNotFound) {
			return review.Author{}, err
		}
	}
	return review.Author{}, nil
}

// remember makes the browser remember the guest, until the link ends.
func (t *talks) remember(w http.ResponseWriter, link gallery.Share, token string) {
	http.SetCookie(w, &http.Cookie{
		Name: guestCookie, Value: token, Path: roomview.Path(link.Token), MaxAge: max(1, int(link.ExpiresAt.Sub(db.Now()).Seconds())),
		HttpOnly: true, Secure: t.cookies.ForHost(), SameSite: http.SameSiteLaxMode,
	})
}

// newcomer returns the guest who gives a name with the form, or sentences if that, or the
// address, is not one.
func (t *talks) newcomer(r *http.Request, link gallery.Share) (g review.Guest, nameError, emailError string) {
	name, nameError := site.GuestName(r.PostFormValue("name"))
	if nameError == part.NameMissing {
		nameError = houseOf(link).NameMissing()
	}
	email, emailError := t.email(r)
	return review.Guest{ShareID: link.ID, Token: t.token(r, link), Name: name, Email: email, CreatedAt: db.Now()}, nameError, emailError
}

// token returns the token of a guest who gives a name with the form. It follows from what the page
// has put into the form: a form that is sent twice, such as with a second press, adds one guest.
func (t *talks) token(r *http.Request, link gallery.Share) string {
	form := r.PostFormValue("guest")
	if len(form) != len(secrets.NewToken()) {
		return secrets.NewToken()
	}
	return base64.RawURLEncoding.EncodeToString(t.vault.Fingerprint(fmt.Sprintf("guest of link %d: %s", link.ID, form)))
}

// email returns the address at which a guest wants mails; none if mails cannot be sent.
func (t *talks) email(r *http.Request) (address, sentence string) {
	if !t.canMail {
		return "", ""
	}
	return site.GuestEmail(r.PostFormValue("email"))
}

// subscription returns the subscription of the guest; the zero value if they have none.
func (t *talks) subscription(r *http.Request, who review.Author) (review.Subscription, error) {
	if who.GuestID == 0 {
		return review.Subscription{}, nil
	}
	sub, err := t.guests.SubscriptionOf(r.Context(), who.GuestID)
	if errors.Is(err, db.ErrNotFound) {
		return review.Subscription{}, nil
	}
	return sub, err
}

// fill fills in what was said about the video that the page begins with, and what the guest
// decided about it. In a storyline, notes and answers are about single scenes.
func (t *talks) fill(r *http.Request, link gallery.Share, page *roomview.Page) error {
	if !link.May.Allows(gallery.Talk) || len(page.Clips) == 0 {
		return nil
	}
	clip, path := page.Current(), roomview.Path(link.Token)+"/notes"
	who, err := t.who(r, link)
	if err != nil {
		return err
	}
	all, err := t.notes.Of(r.Context(), clip.TaskID)
	if err != nil {
		return err
	}
	page.Talk = part.Talk{
		TaskID: clip.TaskID, Path: path, One: path + "/", Me: who, Writes: true, Now: db.Now(), Length: int64(clip.Seconds+1) * 1000,
		Notes:    review.OnLink(all, link.ID, who),
		NamePath: roomview.Path(link.Token) + "/name",
		Poll:     path + "?task=" + strconv.FormatInt(clip.TaskID, 10),
	}
	page.Talk.Mail = review.Mailing{Offered: t.canMail && who.UserID == 0, Path: mailPath(link)}
	if page.Talk.Mail.Sub, err = t.subscription(r, who); err != nil {
		return err
	}
	if link.May.Allows(gallery.Decide) && who.UserID == 0 {
		if err := t.decides(r, link, who, page); err != nil {
			return err
		}
	}
	page.Talk.Newcomer = secrets.NewToken()
	page.Talk.Answers(r.URL.Query())
	return nil
}

// decides fills in the form with which the guest decides about the video that the page begins
// with.
func (t *talks) decides(r *http.Request, link gallery.Share, who review.Author, page *roomview.Page) error {
	base := roomview.Path(link.Token)
	v := &roomview.Verdict{
		Path: base + "/verdict", Ask: base + "/notes", TaskID: page.Current().TaskID, About: page.CurrentName(),
		Names: who.GuestID == 0, Emails: t.canMail && who.GuestID == 0,
		Step: roomview.Step(r.URL.Query().Get("answer")), Composed: true, Newcomer: secrets.NewToken(),
	}
	page.Verdict, page.Talk.AnswerPath = v, v.Path
	if who.GuestID == 0 {
		return nil
	}
	given, err := t.guests.VerdictsBy(r.Context(), who.GuestID)
	v.Given = given[v.TaskID]
	return err
}

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
