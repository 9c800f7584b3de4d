package handlers

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/web"
	"dailies/web/throttle"
	"dailies/web/videoapi"
)

// formPage is the page whose form was sent, if what is typed there is long
// enough to be kept; else empty. A page is kept for none that takes a password
// or a key.
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

// keepTyped keeps the form that somebody sent without a session, until this
// browser has signed in. It returns the page that shows it then, empty if
// nothing was kept.
func (a *App) keepTyped(w http.ResponseWriter, r *http.Request) (page string, err error) {
	if page = formPage(r); page == "" {
		return "", nil
	}
	if _, err = formValues(r); err != nil { // too large to be kept; the sign-in leads to the page all the same
		return page, nil
	}
	t := db.Typed{UserID: a.typist(r), Page: page, Values: r.PostForm, At: db.Now()}
	if !t.Fits() {
		return page, nil
	}
	// Strangers must not push out what others typed.
	if _, wait := a.tries.Take(throttle.Limit{Name: "typed from " + a.address(r), Burst: 16, Every: time.Minute}); wait > 0 {
		return page, nil
	}
	token := db.NewToken()
	if err := a.Store.AddTyped(r.Context(), db.HashToken(token), t); err != nil {
		return "", err
	}
	return page, a.Cookies.Leave(w, r, "typed", token)
}

// typist is the account whose form it is: as the form says, or else the one
// that this browser was signed in to last; 0 if nobody knows.
func (a *App) typist(r *http.Request) int64 {
	if id := taskID(r.PostFormValue("as")); id > 0 {
		return id
	}
	return taskID(a.Cookies.Peek(r, "account"))
}

// typed is what waits for the viewer on the page that is asked for; nil if
// nothing does. An address with a query asks for something else.
func (a *App) typed(r *http.Request) (url.Values, error) {
	token := a.Cookies.Peek(r, "typed")
	if token == "" || r.Method != http.MethodGet || r.URL.RawQuery != "" {
		return nil, nil
	}
	t, err := a.Store.Typed(r.Context(), db.HashToken(token))
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil || t.Page != r.URL.Path || !t.For(me(r).ID, db.Now()) {
		return nil, err
	}
	return t.Values, nil
}

// dropTyped forgets what waits for this browser on the page, once its form has
// been sent by somebody with a session: from then on the answer holds it.
func (a *App) dropTyped(w http.ResponseWriter, r *http.Request, viewer int64, page string) error {
	token := a.Cookies.Peek(r, "typed")
	if token == "" || page == "" {
		return nil
	}
	t, err := a.Store.Typed(r.Context(), db.HashToken(token))
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err == nil && (t.Page != page || !t.For(viewer, db.Now())) {
		return nil
	}
	if err := a.Store.DropTyped(r.Context(), db.HashToken(token)); err != nil {
		return err
	}
	_, err = a.Cookies.Take(w, r, "typed")
	return err
}

// startAfresh forgets what was typed on a page, and shows the page as it is
// without it.
func (a *App) startAfresh(w http.ResponseWriter, r *http.Request) error {
	page, id := local(r.PostFormValue("page")), me(r).ID
	if err := a.dropTyped(w, r, id, page); err != nil {
		return err
	}
	name := ""
	if scene, ok := strings.CutPrefix(page, "/create/"); ok && videoapi.Scene(scene).Valid() {
		name = draftName(id, scene)
	} else if recipe, ok := strings.CutPrefix(page, "/recipes/"); ok && taskID(recipe) > 0 {
		name = recipeDraft(id, taskID(recipe))
	}
	if name != "" {
		if err := a.Store.SetSetting(r.Context(), name, ""); err != nil {
			return err
		}
	}
	return web.SeeOther(w, r, page)
}

// sent tells the next page that the form which is answered reached its end, so
// that the browser may forget what it kept of it. The form was sent, whether or
// not that can be told.
func (a *App) sent(w http.ResponseWriter, r *http.Request) {
	if err := a.Cookies.Leave(w, r, "sent", clipped(r.FormValue("draft"), 200)+" "+clipped(r.FormValue("token"), 100)); err != nil {
		a.Log.Error("cannot tell the page that its form was sent", "id", web.RequestID(r.Context()), "err", err)
	}
}

// isForeign reports whether the form was opened by somebody else than the
// viewer: another person has signed in with the browser since.
func isForeign(r *http.Request, viewer int64) (bool, error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); formPage(r) == "" || kind != "application/x-www-form-urlencoded" {
		return false, nil // a form with files is read as it comes
	}
	values, err := formValues(r)
	id := taskID(values.Get("as"))
	return id > 0 && id != viewer, err
}

// foreignForm is the answer to such a form. What was typed waits for the
// person whose it is.
func (a *App) foreignForm(w http.ResponseWriter, r *http.Request, v viewer) error {
	if _, err := a.keepTyped(w, r); err != nil {
		return err
	}
	return &web.Error{Status: http.StatusConflict, Message: "Nothing was sent: this page was opened from another account than " + strconv.Quote(v.user.Name) + ", who is signed in now. Sign in to that account again, and what was typed is still there."}
}
