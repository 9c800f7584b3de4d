package account

import (
	"errors"
	"net/http"
	"strings"

	"dailies/db"
	"dailies/db/signin"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web"
)

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
