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
	"strings"
	"time"

	"github.com/a-h/templ"

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

// Handlers holds the handlers with which people get in and out.
type Handlers struct {
	Setup          *Setup
	Join           *Join
	SignIn         *SignIn
	SignOut        *SignOut
	Second         *Second
	PasskeySignIn  *PasskeySignIn
	ProviderVisit  *ProviderVisit
	ProviderReturn *ProviderReturn
	Forgot         *Forgot
	Reset          *Reset
	CodeSetup      *CodeSetup
	Codes          *Codes
	Passkeys       *Passkeys
	Connections    *Connections

	SettingsPart *signingPart // says on the page of the settings how the viewer signs in
}

// New returns the handlers. The setup token opens the page that creates the first
// account; provider is nil if there is no OpenID Connect provider.
func New(s *site.Site, token string, provider *openid.Provider) *Handlers {
	ways := &ways{canMail: s.Mail, network: s.Network, provider: provider, signOn: s.Store.SignOn}
	h, entrance := &Handlers{SettingsPart: &signingPart{steps: s.Store.SecondSteps, ways: ways}}, site.NewEntrance(s)
	refusals := &refusals{audit: s.Store.Audit, count: s.Refused, journal: s.Journal}
	login := &loginPage{cookies: s.Cookies, pages: s.Pages, refusals: refusals, tries: s.Tries, ways: ways}
	half := &halfway{accounts: s.Store.Accounts, cookies: s.Cookies, ways: ways}
	codes := newCodeGuard(s)
	newcomers := &newcomers{entrance: entrance, hashing: s.Hashing, journal: s.Journal, keys: site.NewSandboxKeys(s), pages: s.Pages}
	tokens := &providerTokens{log: s.Log, now: s.Store.Now, vault: s.Vault, ways: ways}
	visits, refused := visits{cookies: s.Cookies, ways: ways}, &providerRefusals{login: login, refusals: refusals}

	h.Setup = &Setup{
		accounts: s.Store.Accounts, entry: s.Entry, newcomers: newcomers, pages: s.Pages,
		token: setupToken{journal: s.Journal, token: token, tries: s.Tries},
	}
	h.Join = &Join{invites: s.Store.Invites, login: login, newcomers: newcomers, pages: s.Pages, tries: s.Tries}
	h.SignIn = &SignIn{
		half: half, login: login, refusals: refusals, tries: s.Tries,
		passwords: &passwords{accounts: s.Store.Accounts, entrance: entrance, steps: s.Store.SecondSteps, hashing: s.Hashing},
	}
	h.SignOut = &SignOut{cookies: s.Cookies, login: login, sessions: s.Store.Sessions, tokens: tokens, viewers: s.Viewers}
	h.Second = &Second{codes: codes, entrance: entrance, half: half, pages: s.Pages, refusals: refusals}
	h.PasskeySignIn = &PasskeySignIn{challenges: newChallenges(s), codes: codes, entrance: entrance, half: half, login: login}
	h.Connections = &Connections{cookies: s.Cookies, journal: s.Journal, pages: s.Pages, viewers: s.Viewers, ways: ways}
	h.ProviderVisit = &ProviderVisit{refused: refused, tries: s.Tries, viewers: s.Viewers, visits: visits}
	h.ProviderReturn = &ProviderReturn{
		connections: h.Connections, refused: refused, tries: s.Tries, visits: visits,
		entry: &providerEntry{newcomers: newcomers, sessionMax: s.SessionMax, tokens: tokens, ways: ways},
	}
	h.Forgot = &Forgot{letters: s.Letters, mail: s.Store.Mail, pages: s.Pages, tries: s.Tries, ways: ways}
	h.Reset = &Reset{
		accounts: s.Store.Accounts, entrance: entrance, steps: s.Store.SecondSteps, hashing: s.Hashing,
		links: &resetLinks{journal: s.Journal, login: login, pages: s.Pages, programs: s.Store.Programs, sessions: s.Store.Sessions, tries: s.Tries},
	}
	codesPage := &codesPage{cookies: s.Cookies, steps: s.Store.SecondSteps, network: s.Network, pages: s.Pages}
	h.CodeSetup = &CodeSetup{entry: s.Entry, journal: s.Journal, page: codesPage, proofs: codes.proofs}
	h.Codes = &Codes{codes: codes, page: codesPage}
	h.Passkeys = &Passkeys{challenges: newChallenges(s), steps: s.Store.SecondSteps, entry: s.Entry, journal: s.Journal, pages: s.Pages}
	return h
}

func newCodeGuard(s *site.Site) *codeGuard {
	return &codeGuard{
		cookies: s.Cookies, steps: s.Store.SecondSteps, journal: s.Journal, tries: s.Tries,
		proofs: &proofs{steps: s.Store.SecondSteps, now: s.Store.Now, vault: s.Vault},
	}
}

func newChallenges(s *site.Site) *challenges {
	return &challenges{cookies: s.Cookies, network: s.Network, signOn: s.Store.SignOn}
}

// loginPage is the sign-in page, which says why a sign-in was refused.
type loginPage struct {
	cookies  *web.Cookies
	pages    *site.Pages
	refusals *refusals
	tries    *site.Tries
	ways     *ways
}

// refuse shows the page with the reason why the sign-in was refused.
func (l *loginPage) refuse(w http.ResponseWriter, r *http.Request, status int, form accountview.LoginForm, sentence string) error {
	form.Errors = input.Errors{"": sentence}
	return l.draw(w, r, status, form)
}

// tooMany counts that there were too many attempts, and shows how long to wait.
func (l *loginPage) tooMany(w http.ResponseWriter, r *http.Request, form accountview.LoginForm, sentence string) error {
	l.refusals.count(signin.RefusedTooMany)
	return l.refuse(w, r, http.StatusTooManyRequests, form, sentence)
}

func (l *loginPage) draw(w http.ResponseWriter, r *http.Request, status int, form accountview.LoginForm) error {
	f, err := l.pages.Frame(w, r, "Sign in")
	if err == nil && f.Flash == "" {
		f.Flash, err = l.cookies.TakeFlash(w, r, "flash") // left by Reset.Save after a new password was set
	}
	if err != nil {
		return err
	}
	if err := l.ways.fill(r, &form); err != nil {
		return err
	}
	page := accountview.Login(f, form)
	return web.PageStatus(w, r, status, page, page)
}

// refuseOff answers that the team does not sign in with passwords. The refusals that
// are recorded are limited per network address, like all others.
func (l *loginPage) refuseOff(w http.ResponseWriter, r *http.Request, form accountview.LoginForm) error {
	if _, wait, err := l.tries.Take(r.Context(), l.tries.FromAddress(r, "passwords off")...); err != nil {
		return err
	} else if wait > 0 {
		return l.tooMany(w, r, form, site.TooMany(w, wait))
	}
	l.refusals.count(signin.RefusedOff)
	if err := l.refusals.audit.Record(r.Context(), audit.Entry{Action: audit.SignInRefused, What: string(signin.RefusedOff)}); err != nil {
		return err
	}
	return l.refuse(w, r, http.StatusForbidden, form, accountview.PasswordsAreOff)
}

// turnedOff answers a request that would set a password if the team has turned
// passwords off, and reports whether it has.
func (l *loginPage) turnedOff(w http.ResponseWriter, r *http.Request) (off bool, err error) {
	form := accountview.LoginForm{}
	if err := l.ways.fill(r, &form); err != nil || !form.PasswordsOff {
		return false, err
	}
	return true, l.pages.Draw(w, r, http.StatusForbidden, "Passwords are turned off", func(f part.Frame) templ.Component { return accountview.PasswordsOff(f, form) })
}

// leave shows a page that leads to the provider at once. A redirect would not do: the
// content security policy keeps a form from leading to another site.
func (l *loginPage) leave(w http.ResponseWriter, r *http.Request, away string) error {
	name, err := l.ways.providerName(r)
	if err != nil {
		return err
	}
	w.Header().Set("Refresh", "0; url="+away)
	w.Header().Set("Referrer-Policy", "no-referrer")
	return l.pages.Draw(w, r, http.StatusOK, "Signed out", func(f part.Frame) templ.Component { return accountview.SignedOut(f, name, away) })
}

// passwords checks passwords, and signs in with them.
type passwords struct {
	accounts *people.Accounts
	entrance *site.Entrance
	steps    *people.SecondSteps
	hashing  *site.Hashing
}

// limits returns the limits on attempts to sign in to an account. A browser that has
// signed in to the account before has a limit of its own, so that strangers who guess
// cannot lock out its owner.
func (p *passwords) limits(tries *site.Tries, r *http.Request, email string, u db.User) []throttle.Rate {
	if browser := p.entrance.Cookies.Known(r, u.ID); browser != "" {
		return []throttle.Rate{{Name: fmt.Sprintf("browser %s of %d", browser, u.ID), Burst: site.TriesPerAccount, Every: site.TriesEvery}}
	}
	return tries.FromAddress(r, "sign-in",
		throttle.Rate{Name: fmt.Sprintf("account %s", site.Clip(db.EmailKey(email), 320)), Burst: site.TriesPerAccount, Every: site.TriesEvery})
}

// applicant returns who asks for the password to be checked. A browser that has signed
// in to the account before does not wait behind strangers.
func (p *passwords) applicant(r *http.Request, email string, u db.User) site.Applicant {
	if p.entrance.Cookies.Known(r, u.ID) != "" {
		return site.KnownApplicant(u.Email)
	}
	return site.StrangeApplicant(email)
}

// byEmail returns the account with the e-mail address, the zero User if there is none.
func (p *passwords) byEmail(r *http.Request, email string) (db.User, error) {
	u, err := p.accounts.UserByEmail(r.Context(), email)
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

// check starts a session if the password is right, and renews its hash if the
// parameters are outdated. The error is errNeedsSecondStep if a second step is
// needed, and db.ErrConflict if the hash changed meanwhile.
func (p *passwords) check(w http.ResponseWriter, r *http.Request, u db.User, email, password string) error {
	who := p.applicant(r, email, u)
	ok, renew, err := p.hashing.Match(r.Context(), who, u.Password, password)
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
		if renewed, err = p.hashing.Hash(r.Context(), who, password); err != nil {
			return err
		}
	}
	steps, err := p.steps.Of(r.Context(), u.ID)
	if err != nil {
		return err
	}
	if !steps.Any() {
		return p.entrance.Start(w, r, u, renewed)
	}
	if renewed != "" { // must be done now: the page for the second step does not get the password
		if err := p.steps.RenewPassword(r.Context(), u.ID, u.Password, renewed); err != nil {
			return err
		}
		return db.ErrConflict // makes the caller read the account again and retry
	}
	return errNeedsSecondStep
}

// refusals logs and counts sign-ins that were refused, and writes them to the audit log.
type refusals struct {
	audit   *people.Audit
	count   func(signin.Refusal)
	journal *site.Journal
}

// tooMany counts the refusal if the error says that there were too many attempts, and
// returns the error.
func (f *refusals) tooMany(err error) error {
	var e *web.Error
	if errors.As(err, &e) && e.Status == http.StatusTooManyRequests {
		f.count(signin.RefusedTooMany)
	}
	return err
}

// ofPassword logs and counts a refused sign-in, and writes it to the audit log. The zero
// User stands for an address that no account has.
func (f *refusals) ofPassword(r *http.Request, u db.User, why signin.Refusal) {
	f.count(why)
	f.journal.Warn(r, "a sign-in failed", "user", u.ID, "email", site.Clip(u.Email, 100))
	what := "with a password"
	if u.ID == 0 {
		what = "with an address that no account has"
	}
	if err := f.audit.Record(r.Context(), audit.Entry{Action: audit.SignInRefused, UserID: u.ID, What: what}); err != nil {
		f.journal.Error("a refused sign-in could not be recorded", "err", err)
	}
}

// record logs and counts a refused sign-in of the user, and writes it to the audit log.
func (f *refusals) record(r *http.Request, u db.User, why signin.Refusal) error {
	f.count(why)
	f.journal.Warn(r, "a sign-in failed", "user", u.ID, "why", string(why))
	return f.audit.Record(r.Context(), audit.Entry{Action: audit.SignInRefused, UserID: u.ID, What: string(why)})
}

// SignIn signs people in with their passwords.
type SignIn struct {
	half      *halfway
	login     *loginPage
	passwords *passwords
	refusals  *refusals
	tries     *site.Tries
}

// Show shows the sign-in page.
func (s *SignIn) Show(w http.ResponseWriter, r *http.Request) error {
	return s.login.draw(w, r, http.StatusOK, accountview.LoginForm{Next: r.FormValue("next")})
}

// maxTypedEmail limits, in bytes, how much of a typed e-mail address is used.
const maxTypedEmail = 1200

// Begin starts a session. A wrong address and a wrong password look the same and take
// the same time. The attempt is counted before anything is hashed, so that simultaneous
// attempts count, too. The log names only accounts that exist, never what was typed,
// which may be a password in the wrong field.
func (s *SignIn) Begin(w http.ResponseWriter, r *http.Request) error {
	email, password := strings.TrimSpace(site.Clip(site.PlainText(r.PostFormValue("email")), maxTypedEmail)), r.PostFormValue("password")
	form := accountview.LoginForm{Email: site.Clip(email, 320), Next: r.FormValue("next")}
	if rules, err := s.login.ways.rules(r); err != nil {
		return err
	} else if rules.PasswordsOff {
		return s.login.refuseOff(w, r, form)
	}
	u, err := s.passwords.byEmail(r, email)
	if err != nil {
		return err
	}
	attempt, wait, err := s.tries.TakeGuess(r.Context(), s.passwords.limits(s.tries, r, email, u)...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return s.login.tooMany(w, r, form, site.TooMany(w, wait))
	}
	err = s.passwords.check(w, r, u, email, password)
	if errors.Is(err, db.ErrConflict) { // the password was changed, or its hash renewed, meanwhile
		if u, err = s.passwords.byEmail(r, email); err == nil {
			err = s.passwords.check(w, r, u, email, password)
		}
	}
	if sentence, busy := site.Busy(w, err); busy {
		attempt.GiveBack() // nothing was compared
		return s.login.tooMany(w, r, form, sentence)
	}
	switch {
	case errors.Is(err, errWrongPassword), errors.Is(err, db.ErrConflict):
		s.refusals.ofPassword(r, u, signin.RefusedPassword)
		return s.login.refuse(w, r, http.StatusUnprocessableEntity, form, accountview.WrongSignIn)
	case errors.Is(err, errClosed):
		s.refusals.ofPassword(r, u, signin.RefusedDeactivated)
		return s.login.refuse(w, r, http.StatusUnprocessableEntity, form, site.Closed)
	case errors.Is(err, signin.RefusedOff): // turned off meanwhile
		return s.login.refuseOff(w, r, form)
	case errors.Is(err, errNeedsSecondStep):
		attempt.GiveBack()
		return s.half.ask(w, r, u, site.Local(form.Next))
	case err != nil:
		return err
	}
	attempt.GiveBack()
	return web.SeeOther(w, r, site.Local(form.Next))
}

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

// ways knows how people can sign in.
type ways struct {
	canMail  bool
	network  *site.Network
	provider *openid.Provider // nil if none is configured
	signOn   *people.SignOn
}

// rules returns what the admins have set.
func (y *ways) rules(r *http.Request) (signin.Rules, error) { return y.signOn.Rules(r.Context()) }

// providerName returns the name under which users know the provider.
func (y *ways) providerName(r *http.Request) (string, error) {
	rules, err := y.rules(r)
	return nameOf(y.provider, rules), err
}

// nameOf returns the name under which users know the provider: the label that an admin
// chose, or else its host. It is empty without a provider.
func nameOf(provider *openid.Provider, rules signin.Rules) string {
	if provider == nil || rules.Label != "" {
		return rules.Label
	}
	if u, err := url.Parse(provider.Issuer()); err == nil {
		return u.Host
	}
	return provider.Issuer()
}

// fill fills in which ways to sign in the page offers.
func (y *ways) fill(r *http.Request, form *accountview.LoginForm) error {
	rules, err := y.rules(r)
	form.PasswordsOff, form.Mail = rules.PasswordsOff, y.canMail
	_, nowhere := passkey.NewRelyingParty(y.network.Origin(r))
	form.Passkeys = nowhere == nil
	if y.provider != nil {
		form.Provider = nameOf(y.provider, rules)
	}
	return err
}
