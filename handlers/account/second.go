package account

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
)

// Second asks users for a second step after their password.
type Second struct {
	codes    *codeGuard
	entrance *Entrance
	half     *halfway
	pages    *site.Pages
	refusals *refusals
}

// halfway remembers who has given their password, and not yet the second step.
type halfway struct {
	accounts *people.Accounts
	cookies  *web.Cookies
	ways     *ways
}

// A partialSignIn is a half-finished sign-in: the password was right, and the second
// step is still missing.
type partialSignIn struct {
	UserID   int64
	Password secrets.TokenHash // hash of the stored password hash, to notice that the password has changed
	Next     string
}

const partialStep = "half"

// ask redirects to the page that asks for the second step.
func (h *halfway) ask(w http.ResponseWriter, r *http.Request, u db.User, next string) error {
	if err := leaveStep(h.cookies, w, r, partialStep, partialSignIn{u.ID, secrets.HashToken(u.Password), shortNext(next)}); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/login/code")
}

// user returns the user whose password was right, and where they want to go.
// The error is db.ErrNotFound if too much time has passed, or if the password or the
// state of the account has changed.
func (h *halfway) user(r *http.Request) (u db.User, next string, err error) {
	kept, ok := peekStep[partialSignIn](h.cookies, r, partialStep)
	if !ok {
		return u, "", db.ErrNotFound
	}
	rules, err := h.ways.rules(r)
	if err != nil {
		return u, "", err
	}
	u, err = h.accounts.User(r.Context(), kept.What.UserID)
	if err == nil && (rules.PasswordsOff || !u.IsActive() || secrets.HashToken(u.Password) != kept.What.Password) {
		err = db.ErrNotFound
	}
	return u, kept.What.Next, err
}

// end forgets the half-finished sign-in.
func (h *halfway) end(w http.ResponseWriter, r *http.Request) error {
	return dropStep(h.cookies, w, r, partialStep)
}

// Show asks for the second step.
func (s *Second) Show(w http.ResponseWriter, r *http.Request) error {
	return s.page(w, r, http.StatusOK, nil)
}

func (s *Second) page(w http.ResponseWriter, r *http.Request, status int, errs input.Errors) error {
	u, next, err := s.half.user(r)
	if errors.Is(err, db.ErrNotFound) {
		return web.SeeOther(w, r, "/login")
	}
	if err != nil {
		return err
	}
	steps, err := s.codes.steps.Of(r.Context(), u.ID)
	if err != nil {
		return err
	}
	return s.pages.Draw(w, r, status, "Sign in", func(f part.Frame) templ.Component {
		return accountview.Second(f, accountview.SecondForm{Email: u.Email, Next: next, SecondSteps: steps, Errors: errs})
	})
}

// Begin signs the person in with a one-time code or a recovery code.
func (s *Second) Begin(w http.ResponseWriter, r *http.Request) error {
	u, next, err := s.half.user(r)
	if errors.Is(err, db.ErrNotFound) {
		return web.SeeOther(w, r, "/login")
	}
	if err != nil {
		return err
	}
	guess, wait, err := s.codes.tries.TakeSlowly(r.Context(), s.codes.limits(r, u.ID)...)
	if err != nil {
		return err
	}
	if wait > 0 {
		s.refusals.count(signin.RefusedTooMany)
		return s.page(w, r, http.StatusTooManyRequests, input.Errors{"code": site.TooMany(w, wait)})
	}
	proof, err := s.codes.proofs.of(r, u.ID, "code")
	if err == nil {
		err = s.entrance.Begin(w, r, func(session *signin.Session) error {
			session.UserID = u.ID
			return s.codes.steps.SignInWithCode(r.Context(), session, u.Password, proof)
		})
	}
	switch {
	case errors.Is(err, signin.RefusedCode):
		if err := errors.Join(s.refusals.record(r, u, signin.RefusedCode), s.codes.wasWrong(r, u.ID, guess)); err != nil {
			return err
		}
		return s.page(w, r, http.StatusUnprocessableEntity, input.Errors{"code": accountview.WrongCode})
	case errors.Is(err, db.ErrConflict), errors.Is(err, signin.RefusedOff): // the password was changed, the account deactivated, or passwords turned off, meanwhile
		return web.SeeOther(w, r, "/login")
	case err != nil:
		return err
	}
	if err := errors.Join(s.codes.wasRight(w, r, u.ID, guess), s.codes.tellGuessed(w, r, u.ID), s.half.end(w, r)); err != nil {
		return err
	}
	return web.SeeOther(w, r, site.Local(next))
}
