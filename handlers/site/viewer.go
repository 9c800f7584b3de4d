package site

import (
	"context"
	"net/http"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
)

// A Viewer is the user who made the request, with their session.
type Viewer struct {
	User    db.User
	Session signin.Session
}

type viewerKey struct{}

// ViewerOf returns the viewer of a request that has passed a guard such as SignedIn.
func ViewerOf(r *http.Request) (Viewer, bool) { return ViewerIn(r.Context()) }

// ViewerIn returns the viewer of the request that the context belongs to.
func ViewerIn(ctx context.Context) (Viewer, bool) {
	v, ok := ctx.Value(viewerKey{}).(Viewer)
	return v, ok
}

// Me returns the viewer's account. Only handlers behind SignedIn may call it.
func Me(r *http.Request) db.User {
	v, _ := ViewerOf(r)
	return v.User
}

// Viewer returns the user and session that the browser's cookie belongs to, or
// db.ErrNotFound. A session of the provider ends after SessionMax, also one that began
// before that setting.
func (s *Viewers) Viewer(r *http.Request) (Viewer, error) {
	token := s.cookies.Token(r)
	if token == "" {
		return Viewer{}, db.ErrNotFound
	}
	now := db.Now()
	session, user, err := s.sessions.Session(r.Context(), secrets.HashToken(token), now)
	if err == nil && s.sessionMax > 0 && session.Method == signin.ByProvider && !now.Before(session.CreatedAt.Add(s.sessionMax)) {
		return Viewer{}, db.ErrNotFound
	}
	return Viewer{user, session}, err
}

// freshFor is the age of a session up to which the user is not asked again who they are.
const freshFor = 15 * time.Minute

// IsStale reports whether the session is too old to trust that its user is still the
// person who signed in.
func (v Viewer) IsStale() bool { return db.Now().Sub(v.Session.CreatedAt) > freshFor }

// NeedsPassword reports whether a form that changes something sensitive, such as how the
// user signs in, needs a field for the current password.
func (v Viewer) NeedsPassword() bool { return v.User.Password != "" && v.IsStale() }
