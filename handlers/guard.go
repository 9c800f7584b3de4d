package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"dailies/db"
	"dailies/web"
)

// viewer is the person who asks, and the session that they ask in.
type viewer struct {
	user    db.User
	session db.Session
}

type viewerKey struct{}

// viewerOf is the viewer whom a guard has let through.
func viewerOf(r *http.Request) (viewer, bool) {
	v, ok := r.Context().Value(viewerKey{}).(viewer)
	return v, ok
}

// me is the viewer's account. Only handlers behind signedIn call it.
func me(r *http.Request) db.User {
	v, _ := viewerOf(r)
	return v.user
}

// viewer finds the session that the browser's cookie belongs to.
func (a *App) viewer(r *http.Request) (viewer, error) {
	token := a.Cookies.Token(r)
	if token == "" {
		return viewer{}, db.ErrNotFound
	}
	session, user, err := a.Store.Session(r.Context(), db.HashToken(token), db.Now())
	return viewer{user, session}, err
}

// open lets everybody through.
func (a *App) open(h web.Handler) web.Handler { return h }

// signedIn lets people with a session through and leads others to sign in, or
// to the setup while there is no account at all.
func (a *App) signedIn(h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, err := a.viewer(r)
		if err == nil {
			err = a.exchange(w, r, v.session)
		}
		if errors.Is(err, db.ErrNotFound) {
			return a.leadIn(w, r)
		}
		if err != nil {
			return err
		}
		if err := a.touch(w, r, v.session); err != nil {
			return err
		}
		if r.Method == http.MethodPost {
			if foreign, err := isForeign(r, v.user.ID); err != nil {
				return err
			} else if foreign {
				return a.foreignForm(w, r, v)
			}
			if err := a.dropTyped(w, r, v.user.ID, formPage(r)); err != nil {
				return err
			}
		}
		return h(w, r.WithContext(context.WithValue(r.Context(), viewerKey{}, v)))
	}
}

// admin is signedIn for admins; for others the page does not exist.
func (a *App) admin(h web.Handler) web.Handler {
	return a.signedIn(func(w http.ResponseWriter, r *http.Request) error {
		if !me(r).IsAdmin() {
			return web.NotFound()
		}
		return h(w, r)
	})
}

// dev is for the pages of those who work on the app: without -dev they do not
// exist. They show nothing that is anybody's, so nobody has to sign in.
func (a *App) dev(h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !a.Dev {
			return web.NotFound()
		}
		return h(w, r)
	}
}

// signedOut is for the pages that make a session: who has one goes home.
func (a *App) signedOut(h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		ready, err := a.ready(r.Context())
		if err != nil {
			return err
		}
		if !ready {
			return web.SeeOther(w, r, "/setup")
		}
		if _, err := a.viewer(r); err == nil {
			return web.SeeOther(w, r, local(r.FormValue("next")))
		} else if !errors.Is(err, db.ErrNotFound) {
			return err
		}
		return h(w, r)
	}
}

// leadIn sends somebody without a session to where they can get one, and back
// to the page afterwards. A long form that they sent is kept until then.
func (a *App) leadIn(w http.ResponseWriter, r *http.Request) error {
	ready, err := a.ready(r.Context())
	if err != nil {
		return err
	}
	to := "/setup"
	if ready {
		next := r.URL.RequestURI()
		if r.Method != http.MethodGet {
			if next, err = a.keepTyped(w, r); err != nil {
				return err
			}
			if next == "" && r.Referer() != "" {
				next = cameFrom(r)
			}
		}
		to = "/login"
		if next != "" && next != "/" {
			to += "?next=" + url.QueryEscape(next)
		}
	}
	if r.Header.Get("HX-Request-Type") == "partial" {
		// A part of the page is no place for a sign-in: the whole page goes there.
		w.Header().Set("HX-Redirect", "/login")
		w.WriteHeader(http.StatusUnauthorized)
		return nil
	}
	return web.SeeOther(w, r, to)
}

// ready reports whether there is an account.
func (a *App) ready(ctx context.Context) (bool, error) {
	if a.settled.Load() {
		return true, nil
	}
	has, err := a.Store.HasUsers(ctx)
	if has {
		a.settled.Store(true)
	}
	return has, err
}

// local is the address if it lies on this site, else the start page.
func local(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") || strings.ContainsAny(address, "\\\r\n\t") {
		return "/"
	}
	return address
}

// clipped is s without what is not text, at most n bytes.
func clipped(s string, n int) string {
	s = strings.ToValidUTF8(s, "")
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "")
	}
	return s
}
