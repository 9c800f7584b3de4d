package site

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/web"
	"dailies/web/throttle"
)

// formPage returns the path of the page whose form was submitted, or "" if the form's
// input is not kept during a sign-in. Forms with a password or a key are never kept.
func formPage(r *http.Request) string {
	switch r.Pattern {
	case "POST /create/{scene}", "POST /recipes/{id}", "POST /recipes/{id}/edit", "POST /recipes/{id}/batch", "POST /collections/{id}":
		return r.URL.Path
	case "POST /recipes":
		return "/recipes/new"
	case "POST /pictures":
		return "/create/" + r.URL.Query().Get("scene")
	}
	return ""
}

// keepTyped stores a form that was submitted without a session until this browser has
// signed in. It returns the page that will then show it, or "" if the form is not
// kept.
func (s *TypedForms) keepTyped(w http.ResponseWriter, r *http.Request) (page string, err error) {
	if page = formPage(r); page == "" {
		return "", nil
	}
	if _, err = FormValues(r); err != nil { // too large to store; the sign-in still leads to the page
		return page, nil
	}
	t := ordering.Typed{UserID: formOwner(s.cookies, r), Page: page, Values: r.PostForm, At: db.Now()}
	if !t.Fits() {
		return page, nil
	}
	token, by, limit := typistOf(s.cookies, s.network, r)
	_, wait, err := s.attempts.Take(r.Context(), limit)
	if err != nil {
		return "", err
	}
	if wait > 0 {
		return page, nil
	}
	if err := s.settings.AddTyped(r.Context(), ordering.TypedToken(token, page), by, t); err != nil {
		return "", err
	}
	return page, s.cookies.SetFlash(w, r, "typed", token)
}

// typistOf returns the token under which the browser finds its forms again, whose limits
// they count for, and how often forms are accepted. Everything that strangers send
// counts for their address, nothing of it for browsers that have signed in before, even
// behind the same address.
func typistOf(cookies *web.Cookies, network *Network, r *http.Request) (token string, by ordering.Typist, limit throttle.Rate) {
	if token = cookies.Browser(r); token != "" {
		browser := secrets.HashToken(token)
		by = ordering.Typist{Browser: browser, Owner: browser, Known: true}
		return token, by, throttle.Rate{Name: fmt.Sprintf("typed by %s", token), Burst: 64, Every: 15 * time.Second}
	}
	if token = cookies.PeekFlash(r, "typed"); token == "" {
		token = secrets.NewToken()
	}
	address := network.Address(r)
	by = ordering.Typist{Browser: secrets.HashToken(token), Owner: secrets.HashToken(fmt.Sprintf("typed from %s", address))}
	return token, by, throttle.Rate{Name: fmt.Sprintf("typed from %s", address), Burst: 16, Every: time.Minute}
}

// typedTokens returns the hashes under which what was typed on the page may be stored:
// the second is that of earlier versions, which kept one form.
func typedTokens(token, page string) [2]secrets.TokenHash {
	return [2]secrets.TokenHash{ordering.TypedToken(token, page), secrets.HashToken(token)}
}

// formOwner returns the account that the form belongs to: the one named in the form,
// else the last one signed in with this browser; 0 if unknown.
func formOwner(cookies *web.Cookies, r *http.Request) int64 {
	if id := ParseID(r.PostFormValue("as")); id > 0 {
		return id
	}
	return ParseID(cookies.PeekFlash(r, "account"))
}

// Typed returns the stored input for the requested page, or nil if there is none. It
// returns nil if the URL has a query, because that determines the input.
func (s *TypedForms) Typed(r *http.Request) (url.Values, error) {
	token := s.cookies.PeekFlash(r, "typed")
	if token == "" || r.Method != http.MethodGet || r.URL.RawQuery != "" {
		return nil, nil
	}
	t, err := s.settings.Typed(r.Context(), typedTokens(token, r.URL.Path))
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil || t.Page != r.URL.Path || !t.For(Me(r).ID, db.Now()) {
		return nil, err
	}
	return t.Values, nil
}

// DropTyped deletes the stored input for the page once its form was submitted with a
// session: from then on the response contains the input.
func (s *TypedForms) DropTyped(w http.ResponseWriter, r *http.Request, viewer int64, page string) error {
	token := s.cookies.PeekFlash(r, "typed")
	if token == "" || page == "" {
		return nil
	}
	tokens := typedTokens(token, page)
	t, err := s.settings.Typed(r.Context(), tokens)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err == nil && (t.Page != page || !t.For(viewer, db.Now())) {
		return nil
	}
	others, err := s.settings.DropTyped(r.Context(), tokens, secrets.HashToken(token))
	if err != nil || others {
		return err
	}
	_, err = s.cookies.TakeFlash(w, r, "typed")
	return err
}

// Sent tells the next page that the form was processed, so that the browser may
// delete its copy. A failure is only logged.
func (s *TypedForms) Sent(w http.ResponseWriter, r *http.Request) {
	if err := s.cookies.SetFlash(w, r, "sent", Clip(r.FormValue("draft"), 200)+" "+Clip(r.FormValue("token"), 100)); err != nil {
		s.log.Error("cannot tell the page that its form was sent", "id", web.RequestID(r.Context()), "err", err)
	}
}

// isForeign reports whether the form was opened under another account than the
// viewer's, because another user has signed in with this browser since.
func isForeign(r *http.Request, viewer int64) (bool, error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); formPage(r) == "" || kind != "application/x-www-form-urlencoded" {
		return false, nil // a form with files is read later, as a stream
	}
	values, err := FormValues(r)
	id := ParseID(values.Get("as"))
	return id > 0 && id != viewer, err
}

// foreignForm refuses such a form, and stores its input for the account that it
// belongs to.
func foreignForm(typed *TypedForms, w http.ResponseWriter, r *http.Request, v Viewer) error {
	if _, err := typed.keepTyped(w, r); err != nil {
		return err
	}
	return &web.Error{Status: http.StatusConflict, Message: otherAccount(v.User.Name)}
}
