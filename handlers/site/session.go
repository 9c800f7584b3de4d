package site

import (
	"errors"
	"net/http"
	"time"

	"dailies/db"
)

// touch moves the end of a session on, at most every few minutes: a write a
// request would be a waste. Where it cannot be written the session still is
// good, and what the person wants matters more.
func (s *Site) touch(w http.ResponseWriter, r *http.Request, session db.Session) error {
	now := db.Now()
	if now.Sub(session.SeenAt) < 5*time.Minute || s.Cookies.IsOld(r) { // its token is to be exchanged, not kept
		return nil
	}
	if err := s.Store.TouchSession(r.Context(), session.ID, now, session.UsedUntil(now)); err != nil {
		s.Log.Error("the end of a session cannot be moved on", "user", session.UserID, "err", err)
		return nil
	}
	return s.Cookies.SetToken(w, r, s.Cookies.Token(r))
}

// exchange gives the browser a new token in place of one from the cookie of
// before, which then opens nothing any more. It waits for a page: the parts and
// pictures of one page are asked for at the same moment, and only one of these
// requests could exchange the token. It is db.ErrNotFound if another page was
// first, and for a session that never had a cookie of before: another site has
// planted that cookie.
func (s *Site) exchange(w http.ResponseWriter, r *http.Request, session db.Session) error {
	switch {
	case !s.Cookies.IsOld(r):
		return nil
	case session.ForHost:
		return db.ErrNotFound
	case !asksForPage(r):
		return nil
	}
	token := db.NewToken()
	err := s.Store.RenewSession(r.Context(), session.ID, session.Token, db.HashToken(token))
	if errors.Is(err, db.ErrConflict) {
		return db.ErrNotFound
	}
	if err != nil {
		return err
	}
	return s.Cookies.SetToken(w, r, token)
}

// asksForPage reports whether the answer becomes what the window shows. Old
// browsers do not say what they want the answer for.
func asksForPage(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return r.Header.Get("HX-Request-Type") != "partial" && (dest == "" || dest == "document")
}
