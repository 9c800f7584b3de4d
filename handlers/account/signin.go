package account

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

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
)

// SignIn starts and ends sessions.
type SignIn struct {
	accounts     *people.Accounts
	audit        *people.Audit
	canMail      bool
	cookies      *web.Cookies
	factors      *people.Factors
	hashing      *site.Hashing
	keyring      *site.Keys
	keys         *people.Keys
	log          *slog.Logger
	network      *site.Network
	pages        *site.Pages
	countRefused func(signin.Refusal)
	sandbox      site.Sandbox
	sessions     *people.Sessions
	signOn       *people.SignOn
	tries        *site.Tries
	vault        *secrets.Vault
	viewers      *site.Viewers
	provider     *openid.Provider // nil if none is configured
}

// Show shows the sign-in page.
func (s *SignIn) Show(w http.ResponseWriter, r *http.Request) error {
	return s.page(w, r, http.StatusOK, accountview.LoginForm{Next: r.FormValue("next")})
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
	if rules, err := s.signOn.Rules(r.Context()); err != nil {
		return err
	} else if rules.PasswordsOff {
		return s.refuseOff(w, r, form)
	}
	u, err := s.byEmail(r, email)
	if err != nil {
		return err
	}
	attempt, wait, err := s.tries.TakeGuess(r.Context(), s.limits(r, email, u)...)
	if err != nil {
		return err
	}
	if wait > 0 {
		s.countRefused(signin.RefusedTooMany)
		form.Errors = input.Errors{"": site.TooMany(w, wait)}
		return s.page(w, r, http.StatusTooManyRequests, form)
	}
	err = s.check(w, r, u, email, password)
	if errors.Is(err, db.ErrConflict) { // the password was changed, or its hash renewed, meanwhile
		if u, err = s.byEmail(r, email); err == nil {
			err = s.check(w, r, u, email, password)
		}
	}
	if sentence, busy := site.Busy(w, err); busy {
		attempt.GiveBack() // nothing was compared
		s.countRefused(signin.RefusedTooMany)
		form.Errors = input.Errors{"": sentence}
		return s.page(w, r, http.StatusTooManyRequests, form)
	}
	switch {
	case errors.Is(err, errWrongPassword), errors.Is(err, db.ErrConflict):
		s.refused(r, u, signin.RefusedPassword)
		form.Errors = input.Errors{"": "The e-mail address or the password is not right."}
		return s.page(w, r, http.StatusUnprocessableEntity, form)
	case errors.Is(err, errClosed):
		s.refused(r, u, signin.RefusedDeactivated)
		form.Errors = input.Errors{"": site.Closed}
		return s.page(w, r, http.StatusUnprocessableEntity, form)
	case errors.Is(err, signin.RefusedOff): // turned off meanwhile
		return s.refuseOff(w, r, form)
	case errors.Is(err, errNeedsSecondFactor):
		attempt.GiveBack()
		return s.askSecondFactor(w, r, u, site.Local(form.Next))
	case err != nil:
		return err
	}
	attempt.GiveBack()
	return web.SeeOther(w, r, site.Local(form.Next))
}

// refused logs and counts a refused sign-in, and writes it to the audit log. The zero
// User stands for an address that no account has.
func (s *SignIn) refused(r *http.Request, u db.User, why signin.Refusal) {
	s.countRefused(why)
	s.log.Warn("a sign-in failed", "user", u.ID, "email", site.Clip(u.Email, 100), "address", s.network.Address(r))
	what := "with a password"
	if u.ID == 0 {
		what = "with an address that no account has"
	}
	if err := s.audit.Record(r.Context(), audit.Entry{Action: audit.SignInRefused, UserID: u.ID, What: what}); err != nil {
		s.log.Error("a refused sign-in could not be recorded", "err", err)
	}
}

// byEmail returns the account with the e-mail address, the zero User if there is none.
func (s *SignIn) byEmail(r *http.Request, email string) (db.User, error) {
	u, err := s.accounts.UserByEmail(r.Context(), email)
	if errors.Is(err, db.ErrNotFound) {
		err = nil
	}
	return u, err
}

var (
	errWrongPassword     = errors.New("wrong password")
	errClosed            = errors.New("the account is deactivated")
	errNeedsSecondFactor = errors.New("a second factor is needed")
)

// check starts a session if the password is right, and renews its hash if the
// parameters are outdated. The error is errNeedsSecondFactor if a second factor is
// needed, and db.ErrConflict if the hash changed meanwhile.
func (s *SignIn) check(w http.ResponseWriter, r *http.Request, u db.User, email, password string) error {
	who := s.applicant(r, email, u)
	ok, renew, err := s.hashing.Match(r.Context(), who, u.Password, password)
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
		if renewed, err = s.hashing.Hash(r.Context(), who, password); err != nil {
			return err
		}
	}
	factors, err := s.factors.Of(r.Context(), u.ID)
	if err != nil {
		return err
	}
	if !factors.Any() {
		return s.start(w, r, u, renewed)
	}
	if renewed != "" { // must be done now: the page for the second factor does not get the password
		if err := s.factors.RenewPassword(r.Context(), u.ID, u.Password, renewed); err != nil {
			return err
		}
		return db.ErrConflict // makes the caller read the account again and retry
	}
	return errNeedsSecondFactor
}

// End ends the session in the database too, so that a copied cookie is worthless, and
// tells the browser to clear its cache of pictures and videos. The next sign-in leads
// to the form's next page, if it has one.
func (s *SignIn) End(w http.ResponseWriter, r *http.Request) error {
	away := ""
	v, err := s.viewers.Viewer(r)
	if err == nil {
		away = s.signOutURL(r, v.Session)
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
		return s.leave(w, r, away)
	}
	return web.SeeOther(w, r, "/login")
}

// signOutURL returns the URL at which the user of the session signs out at the provider;
// empty if the session did not begin there or the provider offers none. An error does not
// keep the user from signing out here.
func (s *SignIn) signOutURL(r *http.Request, session signin.Session) string {
	if s.provider == nil || session.Method != signin.ByProvider {
		return ""
	}
	var kept openid.Kept
	sealed, err := s.signOn.Tokens(r.Context(), session.ID)
	if err == nil {
		var text string
		if text, err = s.vault.OpenTokens(session.UserID, sealed); err == nil {
			err = json.Unmarshal([]byte(text), &kept)
		}
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		s.log.Error("a sign-out does not reach the provider", "user", session.UserID, "err", err)
	}
	if err != nil || kept.Issuer != s.provider.Issuer() {
		return ""
	}
	return s.provider.SignOutURL(kept.Tokens, s.network.Origin(r)+"/login")
}

// leave shows a page that leads to the provider at once. A redirect would not do: the
// content security policy keeps a form from leading to another site.
func (s *SignIn) leave(w http.ResponseWriter, r *http.Request, away string) error {
	name, err := s.providerName(r)
	if err != nil {
		return err
	}
	w.Header().Set("Refresh", "0; url="+away)
	w.Header().Set("Referrer-Policy", "no-referrer")
	return s.pages.Draw(w, r, http.StatusOK, "Signed out", func(f part.Frame) templ.Component { return accountview.SignedOut(f, name, away) })
}

func (s *SignIn) page(w http.ResponseWriter, r *http.Request, status int, form accountview.LoginForm) error {
	f, err := s.pages.Frame(w, r, "Sign in")
	if err == nil && f.Flash == "" {
		f.Flash, err = s.cookies.TakeFlash(w, r, "flash") // left by Reset.Save after a new password was set
	}
	if err != nil {
		return err
	}
	if err := s.fill(r, &form); err != nil {
		return err
	}
	page := accountview.Login(f, form)
	return web.PageStatus(w, r, status, page, page)
}

// welcome signs a new user in. In sandbox mode they get a key first, so that the next
// page is a form that works. If only signing in fails, the user is told to do that: the
// account exists, and the link that made it does not work a second time.
func (s *SignIn) welcome(w http.ResponseWriter, r *http.Request, u db.User) error {
	if s.sandbox != nil && u.Makes() {
		ctx := audit.Acting(r.Context(), audit.Actor{UserID: u.ID, Name: u.Name, Address: s.network.Address(r)})
		if err := s.giveSandboxKey(ctx, u); err != nil {
			s.log.Error("no sandbox key for a new account", "user", u.ID, "err", err)
		}
	}
	if err := s.start(w, r, u, ""); err != nil {
		s.log.Error("somebody with a new account could not be signed in", "user", u.ID, "err", err)
		return s.pages.SeeOther(w, r, "/login", "Your account is ready. Please sign in with your e-mail address and your password.")
	}
	return web.SeeOther(w, r, "/")
}

// giveSandboxKey gives the user a sandbox key of their own, unless the team forbids own
// keys.
func (s *SignIn) giveSandboxKey(ctx context.Context, u db.User) error {
	if allowed, err := s.keys.OwnKeysAllowed(ctx); err != nil || !allowed {
		return err
	}
	key, err := s.sandbox.NewKey(ctx, u.Name, site.SandboxCredits)
	if err != nil {
		return err
	}
	return s.keyring.Put(ctx, u.ID, key, true)
}
