package handlers

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/views"
	"dailies/web"
)

func (a *App) showLogin(w http.ResponseWriter, r *http.Request) error {
	return a.loginPage(w, r, http.StatusOK, views.LoginForm{Next: r.FormValue("next")})
}

// logIn starts a session. A wrong address and a wrong password look the same
// and take the same time.
func (a *App) logIn(w http.ResponseWriter, r *http.Request) error {
	email, password := strings.TrimSpace(plainText(r.PostFormValue("email"))), r.PostFormValue("password")
	form := views.LoginForm{Email: clipped(email, 320), Next: r.FormValue("next")}
	if wait := a.logins.wait(r, email); wait > 0 {
		seconds := int(math.Ceil(wait.Seconds()))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		form.Errors = views.Errors{"": fmt.Sprintf("Too many tries. Please wait %d seconds and try again.", seconds)}
		return a.loginPage(w, r, http.StatusTooManyRequests, form)
	}
	u, err := a.Store.UserByEmail(r.Context(), email)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if len(password) > 200 || !db.CheckPassword(u.Password, password) {
		a.logins.failed(r, email)
		form.Errors = views.Errors{"": "The e-mail address or the password is not right."}
		return a.loginPage(w, r, http.StatusUnprocessableEntity, form)
	}
	if err := a.startSession(w, r, u); err != nil {
		return err
	}
	return web.SeeOther(w, r, local(form.Next))
}

// logOut ends the session in the database too, so that a copied cookie is
// worth nothing.
func (a *App) logOut(w http.ResponseWriter, r *http.Request) error {
	v, err := a.viewer(r)
	if err == nil {
		err = a.Store.EndSession(r.Context(), v.user.ID, v.session.ID)
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err := a.Cookies.SetToken(w, r, ""); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/login")
}

func (a *App) loginPage(w http.ResponseWriter, r *http.Request, status int, form views.LoginForm) error {
	f, err := a.frame(w, r, "Sign in")
	if err != nil {
		return err
	}
	page := views.Login(f, form)
	return web.PageStatus(w, r, status, page, page)
}
