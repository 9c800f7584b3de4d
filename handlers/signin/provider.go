package signin

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/openid"
)

// ProviderVisit sends people to the OpenID Connect provider.
type ProviderVisit struct {
	refused *providerRefusals
	tries   *site.Tries
	viewers *site.Viewers
	visits  visits
}

// ProviderReturn handles the way back from the provider, where people have signed in.
type ProviderReturn struct {
	connections *Connections
	entry       *providerEntry
	refused     *providerRefusals
	tries       *site.Tries
	visits      visits
}

// Connections connects existing accounts with those at the provider.
type Connections struct {
	cookies *web.Cookies
	journal *site.Journal
	pages   *site.Pages
	viewers *site.Viewers
	ways    *ways
}

// providerEntry signs people in whom the provider has named.
type providerEntry struct {
	newcomers  *newcomers
	sessionMax time.Duration // 0 for as long as any other session
	tokens     *providerTokens
	ways       *ways
}

// providerRefusals says why signing in by the provider failed.
type providerRefusals struct {
	login    *loginPage
	refusals *refusals
}

// visits remembers, in the browser's cookie, for what it was sent to the provider.
type visits struct {
	cookies *web.Cookies
	ways    *ways
}

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

// Begin redirects to the provider.
func (p *ProviderVisit) Begin(w http.ResponseWriter, r *http.Request) error {
	if p.visits.ways.provider == nil {
		return web.NotFound()
	}
	v := visit{Next: shortNext(site.Local(r.FormValue("next")))}
	viewer, err := p.viewers.Viewer(r)
	switch {
	case err == nil:
		wanted, ok := peekStep[int64](p.visits.cookies, r, connectStep)
		if !ok || wanted.What != viewer.User.ID {
			return web.SeeOther(w, r, v.Next)
		}
		v.Connect = viewer.User.ID
	case !errors.Is(err, db.ErrNotFound):
		return err
	}
	rules, err := p.visits.ways.rules(r)
	if err != nil {
		return err
	}
	var address string
	address, v.Request, err = p.visits.ways.provider.Begin(r.Context(), p.visits.ways.network.Origin(r)+"/login/oidc/callback", rules.Scopes)
	if err != nil {
		if _, tooMany := p.tries.TakeFrom(w, r, "provider"); tooMany != nil {
			return p.refused.refusals.tooMany(tooMany)
		}
		return p.refused.answer(w, r, v, openid.Claims{}, err)
	}
	if err := leaveStep(p.visits.cookies, w, r, visitStep, v); err != nil {
		return err
	}
	return web.SeeOther(w, r, address)
}

// Finish handles the redirect back from the provider. Each response works once, and
// only in the browser that was sent there.
func (p *ProviderReturn) Finish(w http.ResponseWriter, r *http.Request) error {
	if p.visits.ways.provider == nil {
		return web.NotFound()
	}
	attempt, err := p.tries.TakeFrom(w, r, "provider")
	if err != nil {
		return p.refused.refusals.tooMany(err)
	}
	kept, ok := peekStep[visit](p.visits.cookies, r, visitStep)
	v := kept.What
	if !ok || v.Request.State != r.FormValue("state") {
		return p.refused.answer(w, r, visit{}, openid.Claims{}, openid.ErrInvalid)
	}
	if err := dropStep(p.visits.cookies, w, r, visitStep); err != nil {
		return err
	}
	err = p.visits.ways.signOn.SpendChallenge(r.Context(), secrets.HashToken(v.Request.State), kept.Until, db.Now())
	if errors.Is(err, db.ErrConflict) { // the response was used already, with a copied cookie
		return p.refused.answer(w, r, v, openid.Claims{}, openid.ErrInvalid)
	}
	if err != nil {
		return err
	}
	rules, err := p.visits.ways.rules(r)
	if err != nil {
		return err
	}
	said, tokens, err := p.visits.ways.provider.Finish(r.Context(), v.Request, r.URL.Query(), rules.RoleClaim)
	if errors.Is(err, openid.ErrScope) { // the next attempt does not ask for what was refused
		return p.again(w, r, v)
	}
	var c signin.Claims
	if err == nil {
		c, err = claims(said)
	}
	if err == nil && v.Connect != 0 {
		err = p.connections.connect(w, r, v, c)
	} else if err == nil {
		err = p.entry.enter(w, r, v, c, tokens)
	}
	if err != nil {
		return p.refused.answer(w, r, v, said, err)
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

// enter signs in the user whom the claims describe.
func (p *providerEntry) enter(w http.ResponseWriter, r *http.Request, v visit, c signin.Claims, tokens openid.Tokens) error {
	var u db.User
	var began signin.Session
	var kept bool
	isNew := false
	err := p.newcomers.entrance.Begin(w, r, func(session *signin.Session) (err error) {
		if end := session.CreatedAt.Add(p.sessionMax); p.sessionMax > 0 && session.ExpiresAt.After(end) {
			session.ExpiresAt = end
		}
		u, kept, err = p.ways.signOn.SignInByProvider(r.Context(), c, session)
		began = *session
		isNew = err == nil && u.CreatedAt.Equal(session.CreatedAt)
		return err
	})
	if err != nil {
		return err
	}
	p.tokens.keep(r, began, openid.Kept{Issuer: c.Issuer, Subject: c.Subject, Tokens: tokens})
	p.newcomers.journal.Info(r, "somebody signed in by the provider", "user", u.ID, "new", isNew)
	if kept {
		p.newcomers.journal.Warn(r, "the last admin keeps this role, which the provider does not give any more", "user", u.ID)
	}
	if isNew {
		p.newcomers.giveKey(r, u)
	}
	if kept {
		return p.newcomers.pages.SeeOther(w, r, site.Local(v.Next), accountview.LastAdmin)
	}
	return web.SeeOther(w, r, site.Local(v.Next))
}

// again begins the visit once more.
func (p *ProviderReturn) again(w http.ResponseWriter, r *http.Request, v visit) error {
	if v.Connect != 0 {
		if err := leaveStep(p.visits.cookies, w, r, connectStep, v.Connect); err != nil {
			return err
		}
	}
	return web.SeeOther(w, r, "/login/oidc?next="+url.QueryEscape(v.Next))
}

// connect connects the account of the signed-in user with the provider's.
func (c *Connections) connect(w http.ResponseWriter, r *http.Request, v visit, claims signin.Claims) error {
	viewer, err := c.viewers.Viewer(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if viewer.User.ID != v.Connect { // the user has signed out meanwhile
		return openid.ErrInvalid
	}
	if err := c.ways.signOn.Link(c.journal.As(r, viewer.User), viewer.User.ID, claims, db.Now()); err != nil {
		return err
	}
	err = dropStep(c.cookies, w, r, connectStep)
	return c.pages.Done(w, r, err, "/settings#profile", accountview.Connected)
}

// answer shows why the sign-in failed, on the sign-in page or in Settings. Refusals are
// recorded in the audit log, with whom the provider named, if it did; our own errors are
// returned.
func (p *providerRefusals) answer(w http.ResponseWriter, r *http.Request, v visit, said openid.Claims, err error) error {
	name, nameErr := p.login.ways.providerName(r)
	if nameErr != nil {
		return nameErr
	}
	status, sentence, why := providerSentence(name, err)
	if sentence == "" {
		return err
	}
	p.refusals.count(why)
	if why == signin.RefusedUnlinked {
		if rules, err := p.login.ways.rules(r); err != nil {
			return err
		} else if rules.PasswordsOff {
			sentence = accountview.UnlinkedAndOff
		}
	}
	entry := audit.Entry{Action: audit.SignInRefused, What: byProvider(why, said)}
	if entry.UserID, err = p.log(r, said, err); err != nil {
		return err
	}
	if err := p.refusals.audit.Record(r.Context(), entry); err != nil {
		return err
	}
	if v.Connect != 0 {
		return p.login.pages.SeeOther(w, r, "/settings#profile", sentence)
	}
	return p.login.refuse(w, r, status, accountview.LoginForm{Next: v.Next}, sentence)
}

// log writes the failed sign-in to the log, and returns the ID of the person whose
// account is connected with the subject that the provider named, or 0.
func (p *providerRefusals) log(r *http.Request, said openid.Claims, why error) (userID int64, err error) {
	if said.Subject != "" {
		if userID, err = p.login.ways.signOn.ConnectedUser(r.Context(), p.login.ways.provider.Issuer(), site.PlainText(said.Subject)); err != nil {
			return 0, err
		}
	}
	p.refusals.journal.Warn(r, "a sign-in by the provider failed", "why", why, "user", userID,
		"subject", site.Clip(said.Subject, maxNamed), "email", site.Clip(said.Email, maxNamed))
	if userID != 0 && errors.Is(why, signin.RefusedRole) {
		p.refusals.journal.Warn(r, "the provider gives somebody no role any more; their sessions from it have ended, and their tokens and webhooks rest", "user", userID)
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
	return fmt.Sprintf("by provider: %s; the provider named %q with the address %q", string(why), subject, site.Clip(said.Email, maxNamed))
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

// Connect shows a page with a link to the provider, because the content security policy
// keeps a form from redirecting to another site.
func (c *Connections) Connect(w http.ResponseWriter, r *http.Request) error {
	if c.ways.provider == nil {
		return web.NotFound()
	}
	name, err := c.ways.providerName(r)
	if err != nil {
		return err
	}
	if err := leaveStep(c.cookies, w, r, connectStep, site.Me(r).ID); err != nil {
		return err
	}
	return c.pages.Draw(w, r, http.StatusOK, "Connect", func(f part.Frame) templ.Component { return accountview.Connect(f, name) })
}

// Disconnect removes the connection between the user's account and one at the provider.
func (c *Connections) Disconnect(w http.ResponseWriter, r *http.Request, id int64) error {
	v, _ := site.ViewerOf(r)
	err := c.ways.signOn.Unlink(r.Context(), v.User.ID, id, v.Session.ID)
	if errors.Is(err, db.ErrConflict) {
		return c.pages.SeeOther(w, r, "/settings#profile", accountview.StaysConnected)
	}
	return c.pages.Done(w, r, err, "/settings#profile", accountview.Disconnected)
}
