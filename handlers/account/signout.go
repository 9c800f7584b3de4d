package account

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/handlers/site"
	"dailies/web"
	"dailies/web/openid"
)

// SignOut ends sessions.
type SignOut struct {
	cookies  *web.Cookies
	login    *loginPage
	sessions *people.Sessions
	tokens   *providerTokens
	viewers  *site.Viewers
}

// End ends the session in the database too, so that a copied cookie is worthless, and
// tells the browser to clear its cache of pictures and videos. The next sign-in leads
// to the form's next page, if it has one.
func (s *SignOut) End(w http.ResponseWriter, r *http.Request) error {
	away := ""
	v, err := s.viewers.Viewer(r)
	if err == nil {
		away = s.tokens.signOutURL(r, v.Session)
		err = s.sessions.EndSession(r.Context(), v.User.ID, v.Session.ID)
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err := s.cookies.SetToken(w, r, ""); err != nil {
		return err
	}
	w.Header().Set("Clear-Site-Data", `"cache"`)
	if next := site.Local(r.PostFormValue("next")); next != "/" {
		return web.SeeOther(w, r, "/login?next="+url.QueryEscape(next))
	}
	if away != "" {
		return s.login.leave(w, r, away)
	}
	return web.SeeOther(w, r, "/login")
}

// providerTokens keeps what the provider has given for a session.
type providerTokens struct {
	log   *slog.Logger
	now   func() time.Time
	vault *secrets.Vault
	ways  *ways
}

// signOutURL returns the URL at which the user of the session signs out at the provider;
// empty if the session did not begin there or the provider offers none. An error does not
// keep the user from signing out here.
func (t *providerTokens) signOutURL(r *http.Request, session signin.Session) string {
	if t.ways.provider == nil || session.Method != signin.ByProvider {
		return ""
	}
	var kept openid.Kept
	sealed, err := t.ways.signOn.Tokens(r.Context(), session.ID)
	if err == nil {
		var text string
		if text, err = t.vault.OpenTokens(session.UserID, sealed); err == nil {
			err = json.Unmarshal([]byte(text), &kept)
		}
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		t.log.Error("a sign-out does not reach the provider", "user", session.UserID, "err", err)
	}
	if err != nil || kept.Issuer != t.ways.provider.Issuer() {
		return ""
	}
	return t.ways.provider.SignOutURL(kept.Tokens, t.ways.network.Origin(r)+"/login")
}

// keep stores the provider's tokens for the session. Without them it only lasts as long
// as any other.
func (t *providerTokens) keep(r *http.Request, began signin.Session, kept openid.Kept) {
	var next time.Time
	if kept.Tokens.Refresh != "" {
		next = t.now().Add(signin.RecheckEvery)
	} else if kept.Tokens.SignOut == "" || kept.Tokens.ID == "" {
		return
	}
	sealed := t.vault.SealTokens(began.UserID, kept.String())
	if err := t.ways.signOn.KeepTokens(r.Context(), began.ID, sealed, next); err != nil {
		t.log.Error("the provider's tokens could not be kept; the session is not checked again", "user", began.UserID, "err", err)
	}
}
