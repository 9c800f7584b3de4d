package handlers

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"dailies/db"
)

// startSession signs the browser in to the account with a new token, so that a
// token that somebody planted before is worth nothing. It is db.ErrConflict if
// the password was changed since it was checked. Renewed is another hash of the
// same password to be kept from now on, or empty.
func (a *App) startSession(w http.ResponseWriter, r *http.Request, u db.User, renewed string) error {
	token := db.NewToken()
	s := db.NewSession(u.ID, db.HashToken(token), clipped(r.UserAgent(), 300), db.Now())
	s.ForHost = a.Cookies.ForHost()
	if err := a.Store.SignIn(r.Context(), &s, u.Password, renewed); err != nil {
		return err
	}
	if err := a.Cookies.Remember(w, r, u.ID); err != nil {
		return err
	}
	if err := a.Cookies.Leave(w, r, "account", strconv.FormatInt(u.ID, 10)); err != nil {
		return err
	}
	return a.Cookies.SetToken(w, r, token)
}

// touch moves the end of a session on, at most every few minutes: a write a
// request would be a waste. Where it cannot be written the session still is
// good, and what the person wants matters more.
func (a *App) touch(w http.ResponseWriter, r *http.Request, s db.Session) error {
	now := db.Now()
	if now.Sub(s.SeenAt) < 5*time.Minute || a.Cookies.IsOld(r) { // its token is to be exchanged, not kept
		return nil
	}
	if err := a.Store.TouchSession(r.Context(), s.ID, now, s.UsedUntil(now)); err != nil {
		a.Log.Error("the end of a session cannot be moved on", "user", s.UserID, "err", err)
		return nil
	}
	return a.Cookies.SetToken(w, r, a.Cookies.Token(r))
}

// exchange gives the browser a new token in place of one from the cookie of
// before, which then opens nothing any more. It waits for a page: the parts and
// pictures of one page are asked for at the same moment, and only one of these
// requests could exchange the token. It is db.ErrNotFound if another page was
// first, and for a session that never had a cookie of before: another site has
// planted that cookie.
func (a *App) exchange(w http.ResponseWriter, r *http.Request, s db.Session) error {
	switch {
	case !a.Cookies.IsOld(r):
		return nil
	case s.ForHost:
		return db.ErrNotFound
	case !asksForPage(r):
		return nil
	}
	token := db.NewToken()
	err := a.Store.RenewSession(r.Context(), s.ID, s.Token, db.HashToken(token))
	if errors.Is(err, db.ErrConflict) {
		return db.ErrNotFound
	}
	if err != nil {
		return err
	}
	return a.Cookies.SetToken(w, r, token)
}

// asksForPage reports whether the answer becomes what the window shows. Old
// browsers do not say what they want the answer for.
func asksForPage(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return r.Header.Get("HX-Request-Type") != "partial" && (dest == "" || dest == "document")
}
