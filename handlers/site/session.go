package site

import (
	"errors"
	"net/http"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
)

// touch extends the session, at most every five minutes, because a write for each
// request would be a waste. If that fails, the request continues: the session is
// still valid.
func (s *Viewers) touch(w http.ResponseWriter, r *http.Request, session signin.Session) error {
	now := db.Now()
	if now.Sub(session.SeenAt) < 5*time.Minute || s.cookies.IsOld(r) { // exchangeToken replaces the token of an old cookie
		return nil
	}
	if err := s.sessions.TouchSession(r.Context(), session.ID, now, session.UsedUntil(now)); err != nil {
		s.log.Error("the end of a session cannot be moved on", "user", session.UserID, "err", err)
		return nil
	}
	return s.cookies.SetToken(w, r, s.cookies.Token(r))
}

// exchangeToken replaces a token from the cookie of an earlier version with a new
// one, and invalidates the old token. It only does so for the request of a page: a
// page's fragments and pictures are requested at the same time, and only one of these
// requests could exchange the token. It returns db.ErrNotFound if another page was
// first, and also for a session that never had such a cookie, because another site
// has planted it.
func (s *Viewers) exchangeToken(w http.ResponseWriter, r *http.Request, session signin.Session) error {
	switch {
	case !s.cookies.IsOld(r):
		return nil
	case session.ForHost:
		return db.ErrNotFound
	case !asksForPage(r):
		return nil
	}
	token := secrets.NewToken()
	err := s.sessions.RenewSession(r.Context(), session.ID, session.Token, secrets.HashToken(token))
	if errors.Is(err, db.ErrConflict) {
		return db.ErrNotFound
	}
	if err != nil {
		return err
	}
	return s.cookies.SetToken(w, r, token)
}

// asksForPage reports whether the response will be shown as a page. Old browsers do
// not send Sec-Fetch-Dest.
func asksForPage(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return r.Header.Get("HX-Request-Type") != "partial" && (dest == "" || dest == "document")
}
