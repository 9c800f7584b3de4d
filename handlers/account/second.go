package account

import (
	"errors"
	"log/slog"
	"net/http"
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
)

// Second asks users for a second factor after their password.
type Second struct {
	cookies *web.Cookies
	factors *people.Factors
	log     *slog.Logger
	network *site.Network
	now     func() time.Time
	pages   *site.Pages
	refused func(signin.Refusal)
	tries   *site.Tries
	vault   *secrets.Vault
	signIn  *SignIn
}

// A partialSignIn is a half-finished sign-in: the password was right, and the second
// factor is still missing.
type partialSignIn struct {
	UserID   int64
	Password secrets.TokenHash // hash of the stored password hash, to notice that the password has changed
	Next     string
}

const partialStep = "half"

// askSecondFactor redirects to the page that asks for the second factor.
func (s *SignIn) askSecondFactor(w http.ResponseWriter, r *http.Request, u db.User, next string) error {
	if err := leaveStep(s.cookies, w, r, partialStep, partialSignIn{u.ID, secrets.HashToken(u.Password), shortNext(next)}); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/login/code")
}

// partialSignInOf returns the user whose password was right, and where they want to go.
// The error is db.ErrNotFound if too much time has passed, or if the password or the
// state of the account has changed.
func (s *SignIn) partialSignInOf(r *http.Request) (u db.User, next string, err error) {
	kept, ok := peekStep[partialSignIn](s.cookies, r, partialStep)
	if !ok {
		return u, "", db.ErrNotFound
	}
	rules, err := s.signOn.Rules(r.Context())
	if err != nil {
		return u, "", err
	}
	u, err = s.accounts.User(r.Context(), kept.What.UserID)
	if err == nil && (rules.PasswordsOff || !u.IsActive() || secrets.HashToken(u.Password) != kept.What.Password) {
		err = db.ErrNotFound
	}
	return u, kept.What.Next, err
}

// Show asks for the second factor.
func (s *Second) Show(w http.ResponseWriter, r *http.Request) error {
	return s.page(w, r, http.StatusOK, nil)
}

func (s *Second) page(w http.ResponseWriter, r *http.Request, status int, errs input.Errors) error {
	u, next, err := s.signIn.partialSignInOf(r)
	if errors.Is(err, db.ErrNotFound) {
		return web.SeeOther(w, r, "/login")
	}
	if err != nil {
		return err
	}
	factors, err := s.factors.Of(r.Context(), u.ID)
	if err != nil {
		return err
	}
	return s.pages.Draw(w, r, status, "Sign in", func(f part.Frame) templ.Component {
		return accountview.Second(f, accountview.SecondForm{Email: u.Email, Next: next, Factors: factors, Errors: errs})
	})
}

// Begin signs the person in with a one-time code or a recovery code.
func (s *Second) Begin(w http.ResponseWriter, r *http.Request) error {
	u, next, err := s.signIn.partialSignInOf(r)
	if errors.Is(err, db.ErrNotFound) {
		return web.SeeOther(w, r, "/login")
	}
	if err != nil {
		return err
	}
	guess, wait, err := s.tries.TakeSlowly(r.Context(), codeLimits(s.cookies, s.tries, r, u.ID)...)
	if err != nil {
		return err
	}
	if wait > 0 {
		s.refused(signin.RefusedTooMany)
		return s.page(w, r, http.StatusTooManyRequests, input.Errors{"code": site.TooMany(w, wait)})
	}
	proof, err := proofOf(s.factors, s.now, s.vault, r, u.ID, "code")
	if err == nil {
		err = s.signIn.begin(w, r, func(session *signin.Session) error {
			session.UserID = u.ID
			return s.factors.SignInWithCode(r.Context(), session, u.Password, proof)
		})
	}
	switch {
	case errors.Is(err, signin.RefusedCode):
		if err := errors.Join(s.signIn.record(r, u, signin.RefusedCode), codeWasWrong(s.factors, s.log, s.network, r, u.ID, guess)); err != nil {
			return err
		}
		return s.page(w, r, http.StatusUnprocessableEntity, input.Errors{"code": wrongCode})
	case errors.Is(err, db.ErrConflict), errors.Is(err, signin.RefusedOff): // the password was changed, the account deactivated, or passwords turned off, meanwhile
		return web.SeeOther(w, r, "/login")
	case err != nil:
		return err
	}
	if err := codeWasRight(s.cookies, s.tries, w, r, u.ID, guess); err != nil {
		return err
	}
	if err := tellGuessed(s.cookies, s.factors, w, r, u.ID); err != nil {
		return err
	}
	if err := dropStep(s.cookies, w, r, partialStep); err != nil {
		return err
	}
	return web.SeeOther(w, r, site.Local(next))
}

// guessedFor is how long people are told of wrong codes for their account.
const guessedFor = 30 * 24 * time.Hour

// tellGuessed tells somebody who signs in that many wrong codes were given for their
// account.
func tellGuessed(cookies *web.Cookies, factors *people.Factors, w http.ResponseWriter, r *http.Request, userID int64) error {
	e, err := factors.Guessed(r.Context(), userID, db.Now().Add(-guessedFor))
	if err != nil || e.ID == 0 {
		return err
	}
	return cookies.SetFlash(w, r, "flash", "Somebody gave eight wrong codes after your right password. If it wasn’t you, change your password in Settings.")
}

const wrongCode = "This is not the code of this moment. Each works once, for half a minute; a recovery code works once."

// proofOf returns the proof for what was typed into the form field: a one-time code, or
// else a recovery code, which is only looked up when it is used. The error is
// signin.RefusedCode if the user has no codes.
func proofOf(factors *people.Factors, now func() time.Time, vault *secrets.Vault, r *http.Request, userID int64, field string) (people.Proof, error) {
	typed := site.Clip(site.PlainText(r.PostFormValue(field)), 100)
	sealed, last, err := factors.Codes(r.Context(), userID)
	if errors.Is(err, db.ErrNotFound) {
		return people.Proof{}, signin.RefusedCode
	}
	if err != nil {
		return people.Proof{}, err
	}
	if secret, err := vault.OpenCode(userID, sealed); err == nil {
		if step, ok := secrets.CheckCode(secret, typed, now(), last); ok {
			return people.Proof{Step: step}, nil
		}
	} else if !errors.Is(err, db.ErrNotFound) {
		return people.Proof{}, err
	}
	return people.Proof{Recovery: secrets.RecoveryHash(userID, typed)}, nil
}

// record logs and counts a refused sign-in of the user, and writes it to the audit log.
func (s *SignIn) record(r *http.Request, u db.User, why signin.Refusal) error {
	s.countRefused(why)
	s.log.Warn("a sign-in failed", "user", u.ID, "why", string(why), "address", s.network.Address(r))
	return s.audit.Record(r.Context(), audit.Entry{Action: audit.SignInRefused, UserID: u.ID, What: string(why)})
}
