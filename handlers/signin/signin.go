// Package signin lets people in: setting up, joining, passwords, passkeys, second steps and
// the company’s provider.
package signin

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/openid"
	"dailies/web/passkey"
	"dailies/web/throttle"
)

// SignIn is the room of setting up, joining, signing in and out, and of what people sign in with.
type SignIn struct {
	accounts   *people.Accounts
	audit      *people.Audit
	canMail    bool
	cookies    *web.Cookies
	count      func(signin.Refusal)
	entry      *site.Entry
	guard      *site.Guard
	hashing    *site.Hashing
	invites    *people.Invites
	journal    *site.Journal
	keyring    *site.Keys
	sealer     *site.MailSealer
	log        *slog.Logger
	mail       *people.Mail
	network    *site.Network
	now        func() time.Time
	pages      *site.Pages
	programs   *people.Programs
	provider   *openid.Provider // nil if none is configured
	reauth     *site.Reauth
	sessionMax time.Duration // how long a session from the provider lasts; 0 for as long as any other
	sessions   *people.Sessions
	setupToken string // opens the page that makes the first account
	signOn     *people.SignOn
	steps      *people.SecondSteps
	attempts   *site.Attempts
	vault      *secrets.Vault
	viewers    *site.Viewers
}

// New returns the room. The setup token opens the page that creates the first account;
// provider is nil if there is no OpenID Connect provider.
func New(s *site.Site, setupToken string, provider *openid.Provider) *SignIn {
	return &SignIn{
		accounts: s.Store.Accounts, audit: s.Store.Audit, canMail: s.Mail, cookies: s.Cookies, count: s.Refused, entry: s.Entry,
		guard: s.Guard, hashing: s.Hashing, invites: s.Store.Invites, journal: s.Journal, keyring: s.Keys, sealer: s.MailSealer,
		log: s.Log, mail: s.Store.Mail, network: s.Network, now: s.Store.Now, pages: s.Pages, programs: s.Store.Programs,
		provider: provider, reauth: s.Reauth, sessionMax: s.SessionMax, sessions: s.Store.Sessions, setupToken: setupToken,
		signOn: s.Store.SignOn, steps: s.Store.SecondSteps, attempts: s.Attempts, vault: s.Vault, viewers: s.Viewers,
	}
}

// Routes returns the room's rows.
func (h *SignIn) Routes() []site.Route {
	open, signedOut, signedIn := h.guard.Open, h.guard.SignedOut, h.guard.SignedIn
	return []site.Route{
		site.On("GET /setup", open, h.ShowSetup, site.ForAnybody).By("nobody").Gets(303, ""),
		site.On("POST /setup", open, h.SetUp, site.ForAnybody).At("?token=open-sesame").By("nobody").Gets(303, "?token=open-sesame"),
		site.On("GET /login", signedOut, h.ShowLogin, site.ForSignedOut),
		site.On("POST /login", signedOut, h.SignIn, site.ForSignedOut).Sends("", "email=kim@example.com&password=a+long+enough+one").
			Sends("", "email=kim@example.com&password=wrong"),
		site.On("GET /login/code", signedOut, h.ShowSecondStep, site.ForSignedOut).By("half").Gets(303, ""),
		site.On("POST /login/code", signedOut, h.SignInWithCode, site.ForSignedOut).Sends("", "code={code}").By("half").Gets(303, ""),
		site.On("POST /login/passkey", signedOut, h.SignInWithPasskey, site.ForSignedOut).Gets(422, ""),
		site.On("POST /login/passkey/options", signedOut, h.PasskeySignInOptions, site.ForSignedOut).
			Gets(404, ""), // the server's address has no host name
		site.On("GET /login/oidc", open, h.VisitProvider, site.ForAnybody).By("nobody").Gets(404, ""), // no provider is configured
		site.On("GET /login/oidc/callback", open, h.ReturnFromProvider, site.ForAnybody).By("nobody").Gets(404, ""),
		site.On("POST /logout", open, h.SignOut, site.ForAnybody),
		site.On("GET /join/{token}", signedOut, h.ShowJoin, site.ForSignedOut).At("{join}").Gets(404, "nonsense"),
		site.On("POST /join/{token}", signedOut, h.Join, site.ForSignedOut).
			Sends("{join}", "name=Bo&email=bo@example.com&password=a+long+enough+one").Gets(404, "nonsense"),
		site.On("GET /forgot", signedOut, h.ifResetsAreMailed(h.ShowForgot), site.ForSignedOut).Gets(404, ""), // without -smtp
		site.On("POST /forgot", signedOut, h.ifResetsAreMailed(h.MailReset), site.ForSignedOut).Sends("", "email=ada@example.com").
			Gets(404, ""),
		site.On("GET /reset/{token}", open, h.withResetLink(h.ShowReset), site.ForAnybody).At("{reset}").By("nobody").Gets(404, "nonsense"),
		site.On("POST /reset/{token}", open, h.withResetLink(h.SaveReset), site.ForAnybody).
			Sends("{reset}", "password=yet+another+long+one").By("nobody").Gets(404, "nonsense"),

		site.On("GET /settings/second", signedIn, h.ShowSecondStepNeeded, site.ForViewers).Gets(303, ""), // no second step is required
		site.On("GET /settings/codes", signedIn, h.ShowCodes, site.ForViewers),
		site.On("POST /settings/codes", signedIn, h.reauth.Require("Turn on the second step?", "Turn on", h.TurnCodesOn), site.ForViewers).
			Sends("", "code={code}").By("ada"),
		site.On("POST /settings/codes/renew", signedIn, h.RenewRecoveryCodes, site.ForViewers).Sends("", "renew={code}").By("vi"),
		site.On("POST /settings/codes/off", signedIn, h.TurnCodesOff, site.ForViewers).Sends("", "off={code}").By("vi"),
		site.On("GET /settings/passkeys", signedIn, h.ShowPasskey, site.ForViewers),
		site.On("POST /settings/passkeys", signedIn, h.reauth.Require("Add a passkey?", "Add passkey", h.AddPasskey), site.ForViewers).
			Gets(422, ""),
		site.On("POST /settings/passkeys/options", signedIn, h.NewPasskeyOptions, site.ForViewers).Gets(404, ""),
		site.On("POST /settings/passkeys/{id}", signedIn, site.ByID(h.RenamePasskey), site.ForViewers).Sends("1", "name=x").By("ada").
			Gets(404, "99999"),
		site.On("POST /settings/passkeys/{id}/delete", signedIn,
			h.reauth.Require("Delete this passkey?", "Delete passkey", site.ByID(h.DeletePasskey)), site.ForViewers).
			At("1").By("ada").Gets(404, "99999"),
		site.On("POST /settings/identities", signedIn,
			h.reauth.Require("Connect your company account?", "Continue", h.ConnectIdentity), site.ForViewers).
			Gets(404, ""),
		site.On("POST /settings/identities/{id}/remove", signedIn,
			h.reauth.Require("Disconnect this account?", "Disconnect", site.ByID(h.DisconnectIdentity)), site.ForViewers).
			At("99999").Gets(404, "99999"),
	}
}

// refuse shows the page with the reason why the sign-in was refused.
func (h *SignIn) refuse(w http.ResponseWriter, r *http.Request, status int, form accountview.LoginForm, sentence string) error {
	form.Errors = input.Errors{"": sentence}
	return h.drawLogin(w, r, status, form)
}

// refuseTooMany counts that there were too many attempts, and shows how long to wait.
func (h *SignIn) refuseTooMany(w http.ResponseWriter, r *http.Request, form accountview.LoginForm, sentence string) error {
	h.count(signin.RefusedTooMany)
	return h.refuse(w, r, http.StatusTooManyRequests, form, sentence)
}

func (h *SignIn) drawLogin(w http.ResponseWriter, r *http.Request, status int, form accountview.LoginForm) error {
	if err := h.fillLogin(r, &form); err != nil {
		return err
	}
	f, err := h.pages.Frame(w, r, "Sign in")
	if err == nil && f.Flash == "" {
		f.Flash, err = h.cookies.TakeFlash(w, r, "flash") // left by SaveReset after a new password was set
	}
	if err != nil {
		return err
	}
	page := part.Framed(f, accountview.Login(form))
	return web.PageStatus(w, r, status, page, page)
}

// refuseOff answers that the team does not sign in with passwords. The refusals that
// are recorded are limited per network address, like all others.
func (h *SignIn) refuseOff(w http.ResponseWriter, r *http.Request, form accountview.LoginForm) error {
	if _, wait, err := h.attempts.Take(r.Context(), h.attempts.FromAddress(r, "passwords off")...); err != nil {
		return err
	} else if wait > 0 {
		return h.refuseTooMany(w, r, form, site.TooMany(w, wait))
	}
	h.count(signin.RefusedOff)
	if err := h.audit.Record(r.Context(), audit.Entry{Action: audit.SignInRefused, What: string(signin.RefusedOff)}); err != nil {
		return err
	}
	return h.refuse(w, r, http.StatusForbidden, form, accountview.PasswordsAreOff)
}

// answerPasswordsOff answers a request that would set a password if the team has turned
// passwords off, and reports whether it has.
func (h *SignIn) answerPasswordsOff(w http.ResponseWriter, r *http.Request) (off bool, err error) {
	form := accountview.LoginForm{}
	if err := h.fillLogin(r, &form); err != nil || !form.PasswordsOff {
		return false, err
	}
	return true, h.pages.Draw(w, r, http.StatusForbidden, "Passwords are turned off", accountview.PasswordsOff(form))
}

// leaveForProvider shows a page that leads to the provider at once. A redirect would not
// do: the content security policy keeps a form from leading to another site.
func (h *SignIn) leaveForProvider(w http.ResponseWriter, r *http.Request, away string) error {
	rules, err := h.signOn.Rules(r.Context())
	if err != nil {
		return err
	}
	w.Header().Set("Refresh", "0; url="+away)
	w.Header().Set("Referrer-Policy", "no-referrer")
	return h.pages.Draw(w, r, http.StatusOK, "Signed out", accountview.SignedOut(h.providerName(rules), away))
}

// passwordLimits returns the limits on attempts to sign in to an account. A browser that
// has signed in to the account before has a limit of its own, so that strangers who guess
// cannot lock out its owner.
func (h *SignIn) passwordLimits(r *http.Request, email string, u db.User) []throttle.Rate {
	if browser := h.cookies.Known(r, u.ID); browser != "" {
		return []throttle.Rate{{Name: fmt.Sprintf("browser %s of %d", browser, u.ID), Burst: site.TriesPerAccount, Every: site.TriesEvery}}
	}
	account := fmt.Sprintf("account %s", site.Clip(db.EmailKey(email), 320))
	return h.attempts.FromAddress(r, "sign-in", throttle.Rate{Name: account, Burst: site.TriesPerAccount, Every: site.TriesEvery})
}

// applicant returns who asks for the password to be checked. A browser that has signed
// in to the account before does not wait behind strangers.
func (h *SignIn) applicant(r *http.Request, email string, u db.User) site.Applicant {
	if h.cookies.Known(r, u.ID) != "" {
		return site.KnownApplicant(u.Email)
	}
	return site.StrangeApplicant(email)
}

// userByEmail returns the account with the e-mail address, the zero User if there is none.
func (h *SignIn) userByEmail(r *http.Request, email string) (db.User, error) {
	u, err := h.accounts.UserByEmail(r.Context(), email)
	if errors.Is(err, db.ErrNotFound) {
		err = nil
	}
	return u, err
}

var (
	errWrongPassword   = errors.New("wrong password")
	errClosed          = errors.New("the account is deactivated")
	errNeedsSecondStep = errors.New("a second step is needed")
)

// checkPassword starts a session if the password is right, and renews its hash if the
// parameters are outdated. The error is errNeedsSecondStep if a second step is
// needed, and db.ErrConflict if the hash changed meanwhile.
func (h *SignIn) checkPassword(w http.ResponseWriter, r *http.Request, u db.User, email, password string) error {
	who := h.applicant(r, email, u)
	ok, renew, err := h.hashing.Match(r.Context(), who, u.Password, password)
	if err != nil {
		return err
	}
	if !ok {
		return errWrongPassword
	}
	if !u.IsActive() {
		return errClosed
	}
	renewed := ""
	if renew {
		if renewed, err = h.hashing.Hash(r.Context(), who, password); err != nil {
			return err
		}
	}
	steps, err := h.steps.Of(r.Context(), u.ID)
	if err != nil {
		return err
	}
	if !steps.Any() {
		return h.startSession(w, r, u, renewed)
	}
	if renewed != "" { // must be done now: the page for the second step does not get the password
		if err := h.steps.RenewPassword(r.Context(), u.ID, u.Password, renewed); err != nil {
			return err
		}
		return db.ErrConflict // makes the caller read the account again and retry
	}
	return errNeedsSecondStep
}

// countTooMany counts the refusal if the error says that there were too many attempts, and
// returns the error.
func (h *SignIn) countTooMany(err error) error {
	var e *web.Error
	if errors.As(err, &e) && e.Status == http.StatusTooManyRequests {
		h.count(signin.RefusedTooMany)
	}
	return err
}

// recordRefusedPassword logs and counts a refused sign-in, and writes it to the audit log.
// The zero User stands for an address that no account has.
func (h *SignIn) recordRefusedPassword(r *http.Request, u db.User, why signin.Refusal) {
	h.count(why)
	h.journal.Warn(r, "a sign-in failed", "user", u.ID, "email", site.Clip(u.Email, 100))
	what := "with a password"
	if u.ID == 0 {
		what = "with an address that no account has"
	}
	if err := h.audit.Record(r.Context(), audit.Entry{Action: audit.SignInRefused, UserID: u.ID, What: what}); err != nil {
		h.journal.Error("a refused sign-in could not be recorded", "err", err)
	}
}

// recordRefusal logs and counts a refused sign-in of the user, and writes it to the audit log.
func (h *SignIn) recordRefusal(r *http.Request, u db.User, why signin.Refusal) error {
	h.count(why)
	h.journal.Warn(r, "a sign-in failed", "user", u.ID, "why", string(why))
	return h.audit.Record(r.Context(), audit.Entry{Action: audit.SignInRefused, UserID: u.ID, What: string(why)})
}

// ShowLogin shows the sign-in page.
func (h *SignIn) ShowLogin(w http.ResponseWriter, r *http.Request) error {
	return h.drawLogin(w, r, http.StatusOK, accountview.LoginForm{Next: r.FormValue("next")})
}

// maxTypedEmail limits, in bytes, how much of a typed e-mail address is used.
const maxTypedEmail = 1200

// SignIn starts a session. A wrong address and a wrong password look the same and take
// the same time. The attempt is counted before anything is hashed, so that simultaneous
// attempts count, too. The log names only accounts that exist, never what was typed,
// which may be a password in the wrong field.
func (h *SignIn) SignIn(w http.ResponseWriter, r *http.Request) error {
	email := strings.TrimSpace(site.Clip(site.PlainText(r.PostFormValue("email")), maxTypedEmail))
	password := r.PostFormValue("password")
	form := accountview.LoginForm{Email: site.Clip(email, 320), Next: r.FormValue("next")}
	if rules, err := h.signOn.Rules(r.Context()); err != nil {
		return err
	} else if rules.PasswordsOff {
		return h.refuseOff(w, r, form)
	}
	u, err := h.userByEmail(r, email)
	if err != nil {
		return err
	}
	attempt, wait, err := h.attempts.TakeGuess(r.Context(), h.passwordLimits(r, email, u)...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return h.refuseTooMany(w, r, form, site.TooMany(w, wait))
	}
	err = h.checkPassword(w, r, u, email, password)
	if errors.Is(err, db.ErrConflict) { // the password was changed, or its hash renewed, meanwhile
		if u, err = h.userByEmail(r, email); err == nil {
			err = h.checkPassword(w, r, u, email, password)
		}
	}
	if sentence, busy := site.Busy(w, err); busy {
		attempt.GiveBack() // nothing was compared
		return h.refuseTooMany(w, r, form, sentence)
	}
	switch {
	case errors.Is(err, errWrongPassword), errors.Is(err, db.ErrConflict):
		h.recordRefusedPassword(r, u, signin.RefusedPassword)
		return h.refuse(w, r, http.StatusUnprocessableEntity, form, accountview.WrongSignIn)
	case errors.Is(err, errClosed):
		h.recordRefusedPassword(r, u, signin.RefusedDeactivated)
		return h.refuse(w, r, http.StatusUnprocessableEntity, form, site.Closed)
	case errors.Is(err, signin.RefusedOff): // turned off meanwhile
		return h.refuseOff(w, r, form)
	case errors.Is(err, errNeedsSecondStep):
		attempt.GiveBack()
		return h.beginSecondStep(w, r, u, site.Local(form.Next))
	case err != nil:
		return err
	}
	attempt.GiveBack()
	return web.SeeOther(w, r, site.Local(form.Next))
}

// SignOut ends the session in the database too, so that a copied cookie is worthless, and
// tells the browser to clear its cache of pictures and videos. The next sign-in leads
// to the form's next page, if it has one.
func (h *SignIn) SignOut(w http.ResponseWriter, r *http.Request) error {
	away := ""
	v, err := h.viewers.Viewer(r)
	if err == nil {
		away = h.providerSignOutURL(r, v.Session)
		err = h.sessions.EndSession(r.Context(), v.User.ID, v.Session.ID)
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err := h.cookies.SetToken(w, r, ""); err != nil {
		return err
	}
	w.Header().Set("Clear-Site-Data", `"cache"`)
	if next := site.Local(r.PostFormValue("next")); next != "/" {
		return web.SeeOther(w, r, "/login?next="+url.QueryEscape(next))
	}
	if away != "" {
		return h.leaveForProvider(w, r, away)
	}
	return web.SeeOther(w, r, "/login")
}

// providerSignOutURL returns the URL at which the user of the session signs out at the
// provider; empty if the session did not begin there or the provider offers none. An error
// does not keep the user from signing out here.
func (h *SignIn) providerSignOutURL(r *http.Request, session signin.Session) string {
	if h.provider == nil || session.Method != signin.ByProvider {
		return ""
	}
	var kept openid.Kept
	sealed, err := h.signOn.Tokens(r.Context(), session.ID)
	if err == nil {
		var text string
		if text, err = h.vault.OpenTokens(session.UserID, sealed); err == nil {
			err = json.Unmarshal([]byte(text), &kept)
		}
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		h.log.Error("a sign-out does not reach the provider", "user", session.UserID, "err", err)
	}
	if err != nil || kept.Issuer != h.provider.Issuer() {
		return ""
	}
	return h.provider.SignOutURL(kept.Tokens, h.network.Origin(r)+"/login")
}

// keepTokens stores the provider's tokens for the session. Without them it only lasts as
// long as any other.
func (h *SignIn) keepTokens(r *http.Request, began signin.Session, kept openid.Kept) {
	var next time.Time
	if kept.Tokens.Refresh != "" {
		next = h.now().Add(signin.RecheckEvery)
	} else if kept.Tokens.SignOut == "" || kept.Tokens.ID == "" {
		return
	}
	sealed := h.vault.SealTokens(began.UserID, kept.String())
	if err := h.signOn.KeepTokens(r.Context(), began.ID, sealed, next); err != nil {
		h.log.Error("the provider's tokens could not be kept; the session is not checked again", "user", began.UserID, "err", err)
	}
}

// providerName returns the name under which users know the provider: the label that an
// admin chose, or else its host. It is empty without a provider.
func (h *SignIn) providerName(rules signin.Rules) string {
	if h.provider == nil {
		return ""
	}
	if rules.Label != "" {
		return rules.Label
	}
	if u, err := url.Parse(h.provider.Issuer()); err == nil {
		return u.Host
	}
	return h.provider.Issuer()
}

// fillLogin fills in which ways to sign in the page offers.
func (h *SignIn) fillLogin(r *http.Request, form *accountview.LoginForm) error {
	rules, err := h.signOn.Rules(r.Context())
	form.PasswordsOff, form.Mail = rules.PasswordsOff, h.canMail
	_, nowhere := passkey.NewRelyingParty(h.network.Origin(r))
	form.Passkeys = nowhere == nil
	form.Provider = h.providerName(rules)
	return err
}

// startSession signs the browser in to the account with a new session token, so that a
// token that an attacker planted before is worthless. The error is db.ErrConflict if the
// password changed since it was checked. Renewed is a new hash of the same password to
// store, or empty.
func (h *SignIn) startSession(w http.ResponseWriter, r *http.Request, u db.User, renewed string) error {
	return h.addSession(w, r, func(session *signin.Session) error {
		session.UserID = u.ID
		return h.sessions.SignIn(r.Context(), session, u.Password, renewed)
	})
}

// addSession calls add to store a new session, and gives the browser its token.
func (h *SignIn) addSession(w http.ResponseWriter, r *http.Request, add func(*signin.Session) error) error {
	token := secrets.NewToken()
	session := signin.NewSession(0, secrets.HashToken(token), site.Clip(r.UserAgent(), 300), db.Now())
	session.ForHost = h.cookies.ForHost()
	if err := add(&session); err != nil {
		return err
	}
	if err := h.cookies.Remember(w, r, session.UserID); err != nil {
		return err
	}
	if err := h.cookies.SetFlash(w, r, "account", strconv.FormatInt(session.UserID, 10)); err != nil {
		return err
	}
	return h.cookies.SetToken(w, r, token)
}

// FillSettings fills in how the person signs in.
func (h *SignIn) FillSettings(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	rules, err := h.signOn.Rules(r.Context())
	if err != nil {
		return err
	}
	in := &page.Signing
	in.HasPassword, in.PasswordsOff = site.Me(r).Password != "", rules.PasswordsOff
	in.Provider = h.providerName(rules)
	var errs [4]error
	in.SecondSteps, errs[0] = h.steps.Of(r.Context(), site.Me(r).ID)
	in.Passkeys, errs[1] = h.steps.Passkeys(r.Context(), site.Me(r).ID)
	in.Guessed, errs[2] = h.steps.Guessed(r.Context(), site.Me(r).ID, db.Now().Add(-guessedFor))
	in.Identities, errs[3] = h.signOn.Identities(r.Context(), site.Me(r).ID)
	return errors.Join(errs[:]...)
}
