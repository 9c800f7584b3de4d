package account

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/openid"
	"dailies/web/passkey"
)

// start signs the browser in to the account with a new session token, so that a token
// that an attacker planted before is worthless. The error is db.ErrConflict if the
// password changed since it was checked. Renewed is a new hash of the same password to
// store, or empty.
func (s *SignIn) start(w http.ResponseWriter, r *http.Request, u db.User, renewed string) error {
	return s.begin(w, r, func(session *signin.Session) error {
		session.UserID = u.ID
		return s.sessions.SignIn(r.Context(), session, u.Password, renewed)
	})
}

// begin calls add to store a new session, and gives the browser its token.
func (s *SignIn) begin(w http.ResponseWriter, r *http.Request, add func(*signin.Session) error) error {
	token := secrets.NewToken()
	session := signin.NewSession(0, secrets.HashToken(token), site.Clip(r.UserAgent(), 300), db.Now())
	session.ForHost = s.cookies.ForHost()
	if err := add(&session); err != nil {
		return err
	}
	if err := s.cookies.Remember(w, r, session.UserID); err != nil {
		return err
	}
	if err := s.cookies.SetFlash(w, r, "account", strconv.FormatInt(session.UserID, 10)); err != nil {
		return err
	}
	return s.cookies.SetToken(w, r, token)
}

// providerName returns the name under which users know the provider.
func (s *SignIn) providerName(r *http.Request) (string, error) {
	rules, err := s.signOn.Rules(r.Context())
	return nameOf(s.provider, rules), err
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
func (s *SignIn) fill(r *http.Request, form *accountview.LoginForm) error {
	rules, err := s.signOn.Rules(r.Context())
	form.PasswordsOff, form.Mail = rules.PasswordsOff, s.canMail
	_, nowhere := passkey.NewRelyingParty(s.network.Origin(r))
	form.Passkeys = nowhere == nil
	if s.provider != nil {
		form.Provider = nameOf(s.provider, rules)
	}
	return err
}

// refuseOff answers that the team does not sign in with passwords. The refusals that
// are recorded are limited per network address, like all others.
func (s *SignIn) refuseOff(w http.ResponseWriter, r *http.Request, form accountview.LoginForm) error {
	if _, wait, err := s.tries.Take(r.Context(), s.network.FromAddress(r, "passwords off")...); err != nil {
		return err
	} else if wait > 0 {
		s.countRefused(signin.RefusedTooMany)
		form.Errors = input.Errors{"": site.TooMany(w, wait)}
		return s.page(w, r, http.StatusTooManyRequests, form)
	}
	s.countRefused(signin.RefusedOff)
	if err := s.audit.Record(r.Context(), audit.Entry{Action: audit.SignInRefused, What: string(signin.RefusedOff)}); err != nil {
		return err
	}
	form.Errors = input.Errors{"": passwordsOff}
	return s.page(w, r, http.StatusForbidden, form)
}

// passwordsOff tells users that the team has turned passwords off.
const passwordsOff = "Passwords are turned off in this team. Please sign in with the account that your team uses."

// turnedOff answers a request that would set a password if the team has turned
// passwords off, and reports whether it has.
func (s *SignIn) turnedOff(w http.ResponseWriter, r *http.Request) (off bool, err error) {
	form := accountview.LoginForm{}
	if err := s.fill(r, &form); err != nil || !form.PasswordsOff {
		return false, err
	}
	return true, s.pages.Draw(w, r, http.StatusForbidden, "Passwords are turned off", func(f part.Frame) templ.Component { return accountview.PasswordsOff(f, form) })
}
