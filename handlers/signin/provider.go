package signin

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web"
	"dailies/web/openid"
)

// A visit is the state kept while the browser is at the provider.
type visit struct {
	Request openid.Request
	Next    string
	Connect int64 // ID of the user whose account is to be connected; 0 for a sign-in
}

// These are the names under which the steps are kept in the cookie.
const (
	visitStep   = "visit"
	connectStep = "connect"
)

// VisitProvider redirects to the provider.
func (h *SignIn) VisitProvider(w http.ResponseWriter, r *http.Request) error {
	if h.provider == nil {
		return web.NotFound()
	}
	v := visit{Next: shortNext(site.Local(r.FormValue("next")))}
	viewer, err := h.viewers.Viewer(r)
	switch {
	case err == nil:
		wanted, ok := peekStep[int64](h.cookies, r, connectStep)
		if !ok || wanted.What != viewer.User.ID {
			return web.SeeOther(w, r, v.Next)
		}
		v.Connect = viewer.User.ID
	case !errors.Is(err, db.ErrNotFound):
		return err
	}
	rules, err := h.signOn.Rules(r.Context())
	if err != nil {
		return err
	}
	var address string
	address, v.Request, err = h.provider.Begin(r.Context(), h.network.Origin(r)+"/login/oidc/callback", rules.Scopes)
	if err != nil {
		if _, tooMany := h.attempts.TakeFrom(w, r, "provider"); tooMany != nil {
			return h.countTooMany(tooMany)
		}
		return h.showProviderRefusal(w, r, v, openid.Claims{}, err)
	}
	if err := leaveStep(h.cookies, w, r, visitStep, v); err != nil {
		return err
	}
	return web.SeeOther(w, r, address)
}

// ReturnFromProvider handles the redirect back from the provider. Each response works once,
// and only in the browser that was sent there.
func (h *SignIn) ReturnFromProvider(w http.ResponseWriter, r *http.Request) error {
	if h.provider == nil {
		return web.NotFound()
	}
	attempt, err := h.attempts.TakeFrom(w, r, "provider")
	if err != nil {
		return h.countTooMany(err)
	}
	kept, ok := peekStep[visit](h.cookies, r, visitStep)
	v := kept.What
	if !ok || v.Request.State != r.FormValue("state") {
		return h.showProviderRefusal(w, r, visit{}, openid.Claims{}, openid.ErrInvalid)
	}
	if err := dropStep(h.cookies, w, r, visitStep); err != nil {
		return err
	}
	err = h.signOn.SpendChallenge(r.Context(), secrets.HashToken(v.Request.State), kept.Until, db.Now())
	if errors.Is(err, db.ErrConflict) { // the response was used already, with a copied cookie
		return h.showProviderRefusal(w, r, v, openid.Claims{}, openid.ErrInvalid)
	}
	if err != nil {
		return err
	}
	rules, err := h.signOn.Rules(r.Context())
	if err != nil {
		return err
	}
	said, tokens, err := h.provider.Finish(r.Context(), v.Request, r.URL.Query(), rules.RoleClaim)
	if errors.Is(err, openid.ErrScope) { // the next attempt does not ask for what was refused
		return h.visitAgain(w, r, v)
	}
	var c signin.Claims
	if err == nil {
		c, err = claims(said)
	}
	if err == nil && v.Connect != 0 {
		err = h.connect(w, r, v, c)
	} else if err == nil {
		err = h.signInByProvider(w, r, v, c, tokens)
	}
	if err != nil {
		return h.showProviderRefusal(w, r, v, said, err)
	}
	attempt.GiveBack()
	return nil
}

// claims cleans the provider's claims so that they can be stored and shown. An unusable
// e-mail address is dropped; a subject with control characters or invalid UTF-8 is an
// error.
func claims(said openid.Claims) (signin.Claims, error) {
	c := signin.Claims(said)
	if strings.ToValidUTF8(c.Subject, "") != c.Subject || strings.ContainsFunc(c.Subject, unicode.IsControl) {
		return c, openid.ErrInvalid
	}
	c.Name = naming.Clean(c.Name)
	if !site.IsEmail(c.Email) {
		c.Email, c.EmailVerified = "", false
	}
	return c, nil
}

// signInByProvider signs in the user whom the claims describe.
func (h *SignIn) signInByProvider(w http.ResponseWriter, r *http.Request, v visit, c signin.Claims, tokens openid.Tokens) error {
	var u db.User
	var began signin.Session
	var kept bool
	isNew := false
	err := h.addSession(w, r, func(session *signin.Session) (err error) {
		if end := session.CreatedAt.Add(h.sessionMax); h.sessionMax > 0 && session.ExpiresAt.After(end) {
			session.ExpiresAt = end
		}
		u, kept, err = h.signOn.SignInByProvider(r.Context(), c, session)
		began = *session
		isNew = err == nil && u.CreatedAt.Equal(session.CreatedAt)
		return err
	})
	if err != nil {
		return err
	}
	h.keepTokens(r, began, openid.Kept{Issuer: c.Issuer, Subject: c.Subject, Tokens: tokens})
	h.journal.Info(r, "somebody signed in by the provider", "user", u.ID, "new", isNew)
	if kept {
		h.journal.Warn(r, "the last admin keeps this role, which the provider does not give any more", "user", u.ID)
	}
	if isNew {
		h.giveSandboxKey(r, u)
	}
	if kept {
		return h.pages.SeeOther(w, r, site.Local(v.Next), accountview.LastAdmin)
	}
	return web.SeeOther(w, r, site.Local(v.Next))
}

// visitAgain begins the visit once more.
func (h *SignIn) visitAgain(w http.ResponseWriter, r *http.Request, v visit) error {
	if v.Connect != 0 {
		if err := leaveStep(h.cookies, w, r, connectStep, v.Connect); err != nil {
			return err
		}
	}
	return web.SeeOther(w, r, "/login/oidc?next="+url.QueryEscape(v.Next))
}

// connect connects the account of the signed-in user with the provider's.
func (h *SignIn) connect(w http.ResponseWriter, r *http.Request, v visit, claims signin.Claims) error {
	viewer, err := h.viewers.Viewer(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if viewer.User.ID != v.Connect { // the user has signed out meanwhile
		return openid.ErrInvalid
	}
	if err := h.signOn.Link(h.journal.As(r, viewer.User), viewer.User.ID, claims, db.Now()); err != nil {
		return err
	}
	err = dropStep(h.cookies, w, r, connectStep)
	return h.pages.Done(w, r, err, "/settings#profile", accountview.Connected)
}

// showProviderRefusal shows why the sign-in failed, on the sign-in page or in Settings.
// Refusals are recorded in the audit log, with whom the provider named, if it did; our own
// errors are returned.
func (h *SignIn) showProviderRefusal(w http.ResponseWriter, r *http.Request, v visit, said openid.Claims, err error) error {
	rules, rulesErr := h.signOn.Rules(r.Context())
	if rulesErr != nil {
		return rulesErr
	}
	status, sentence, why := providerSentence(h.providerName(rules), err)
	if sentence == "" {
		return err
	}
	h.count(why)
	if why == signin.RefusedUnlinked && rules.PasswordsOff {
		sentence = accountview.UnlinkedAndOff
	}
	entry := audit.Entry{Action: audit.SignInRefused, What: byProvider(why, said)}
	if entry.UserID, err = h.logProviderRefusal(r, said, err); err != nil {
		return err
	}
	if err := h.audit.Record(r.Context(), entry); err != nil {
		return err
	}
	if v.Connect != 0 {
		return h.pages.SeeOther(w, r, "/settings#profile", sentence)
	}
	return h.refuse(w, r, status, accountview.LoginForm{Next: v.Next}, sentence)
}

// logProviderRefusal writes the failed sign-in to the log, and returns the ID of the person whose
// account is connected with the subject that the provider named, or 0.
func (h *SignIn) logProviderRefusal(r *http.Request, said openid.Claims, why error) (userID int64, err error) {
	if said.Subject != "" {
		if userID, err = h.signOn.ConnectedUser(r.Context(), h.provider.Issuer(), site.PlainText(said.Subject)); err != nil {
			return 0, err
		}
	}
	h.journal.Warn(r, "a sign-in by the provider failed", "why", why, "user", userID,
		"subject", site.Clip(said.Subject, maxNamed), "email", site.Clip(said.Email, maxNamed))
	if userID != 0 && errors.Is(why, signin.RefusedRole) {
		h.journal.Warn(r, "the provider gives somebody no role any more; "+
			"their sessions from it have ended, and their tokens and webhooks rest", "user", userID)
	}
	return userID, nil
}

// maxNamed limits, in bytes, how much of a subject and of an e-mail address the log and
// the audit quote.
const maxNamed = 100

// byProvider says, for the audit, why a sign-in failed, and whom the provider named.
// Quoted text contains no invisible characters.
func byProvider(why signin.Refusal, said openid.Claims) string {
	subject := site.Clip(said.Subject, maxNamed)
	switch {
	case said.Subject == "":
		return fmt.Sprintf("by provider: %s", string(why))
	case said.Email == "":
		return fmt.Sprintf("by provider: %s; the provider named %q", string(why), subject)
	}
	return fmt.Sprintf("by provider: %s; the provider named %q with the address %q",
		string(why), subject, site.Clip(said.Email, maxNamed))
}

// providerSentence returns the message for the user. It is empty for an internal error.
func providerSentence(name string, err error) (status int, sentence string, why signin.Refusal) {
	switch {
	case errors.Is(err, openid.ErrDown):
		return http.StatusServiceUnavailable, accountview.ProviderDown(name), signin.RefusedAnswer
	case errors.Is(err, openid.ErrDenied):
		return http.StatusForbidden, accountview.ProviderDenied(name), signin.RefusedByProvider
	case errors.Is(err, openid.ErrInvalid):
		return http.StatusUnprocessableEntity, accountview.ProviderBroken, signin.RefusedAnswer
	}
	if !errors.As(err, &why) {
		return 0, "", ""
	}
	return http.StatusForbidden, accountview.ProviderRefused(why), why
}

// ConnectIdentity shows a page with a link to the provider, because the content security
// policy keeps a form from redirecting to another site.
func (h *SignIn) ConnectIdentity(w http.ResponseWriter, r *http.Request) error {
	if h.provider == nil {
		return web.NotFound()
	}
	rules, err := h.signOn.Rules(r.Context())
	if err != nil {
		return err
	}
	if err := leaveStep(h.cookies, w, r, connectStep, site.Me(r).ID); err != nil {
		return err
	}
	return h.pages.Draw(w, r, http.StatusOK, "Connect", accountview.Connect(h.providerName(rules)))
}

// DisconnectIdentity removes the connection between the user's account and one at the provider.
func (h *SignIn) DisconnectIdentity(w http.ResponseWriter, r *http.Request, id int64) error {
	v, _ := site.ViewerOf(r)
	err := h.signOn.Unlink(r.Context(), v.User.ID, id, v.Session.ID)
	if errors.Is(err, db.ErrConflict) {
		return h.pages.SeeOther(w, r, "/settings#profile", accountview.StaysConnected)
	}
	return h.pages.Done(w, r, err, "/settings#profile", accountview.Disconnected)
}
