package account

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/store"
	"dailies/db/team"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/throttle"
)

// Second asks people for a second factor after their password.
type Second struct {
	site   *site.Site
	signIn *SignIn
}

// A half is a sign-in of which the password was right.
type half struct {
	UserID   int64
	Password db.TokenHash // of its hash, which may change meanwhile
	Next     string
}

const halfStep = "half"

// halfway leads to the page that asks for the second factor.
func (s *SignIn) halfway(w http.ResponseWriter, r *http.Request, u db.User, next string) error {
	if err := leaveStep(s.site, w, r, halfStep, half{u.ID, db.HashToken(u.Password), shortNext(next)}); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/login/code")
}

// halfOf returns the person whose password was right, and where they want to go. It is
// db.ErrNotFound where too much time has passed, or the account is another one now.
func (s *SignIn) halfOf(r *http.Request) (u db.User, next string, err error) {
	kept, ok := peekStep[half](s.site, r, halfStep)
	if !ok {
		return u, "", db.ErrNotFound
	}
	rules, err := s.site.Store.SignOn(r.Context())
	if err != nil {
		return u, "", err
	}
	u, err = s.site.Store.User(r.Context(), kept.What.UserID)
	if err == nil && (rules.PasswordsOff || !u.IsActive() || db.HashToken(u.Password) != kept.What.Password) {
		err = db.ErrNotFound
	}
	return u, kept.What.Next, err
}

// Show asks for the second factor.
func (s *Second) Show(w http.ResponseWriter, r *http.Request) error {
	return s.page(w, r, http.StatusOK, nil)
}

func (s *Second) page(w http.ResponseWriter, r *http.Request, status int, errs part.Errors) error {
	u, next, err := s.signIn.halfOf(r)
	if errors.Is(err, db.ErrNotFound) {
		return web.SeeOther(w, r, "/login")
	}
	if err != nil {
		return err
	}
	factors, err := s.site.Store.Factors(r.Context(), u.ID)
	if err != nil {
		return err
	}
	return s.site.Draw(w, r, status, "Sign in", func(f part.Frame) templ.Component {
		return accountview.Second(f, accountview.SecondForm{Email: u.Email, Next: next, Factors: factors, Errors: errs})
	})
}

// codeLimit limits guesses of a person's codes: more slowly than those of passwords,
// because there are fewer codes. Who guesses knows the password already.
func codeLimit(userID int64) throttle.Limit {
	return throttle.Limit{Name: fmt.Sprintf("codes of %d", userID), Burst: site.TriesPerAccount, Every: time.Minute}
}

// Begin signs the person in with a one-time code or a recovery code.
func (s *Second) Begin(w http.ResponseWriter, r *http.Request) error {
	u, next, err := s.signIn.halfOf(r)
	if errors.Is(err, db.ErrNotFound) {
		return web.SeeOther(w, r, "/login")
	}
	if err != nil {
		return err
	}
	attempt, wait, err := s.site.Tries.Take(r.Context(), codeLimit(u.ID), s.site.FromAddress(r, "code"))
	if err != nil {
		return err
	}
	if wait > 0 {
		return s.page(w, r, http.StatusTooManyRequests, part.Errors{"code": site.TooMany(w, wait)})
	}
	proof, err := proofOf(s.site, r, u.ID, "code")
	if err == nil {
		err = s.signIn.begin(w, r, func(session *db.Session) error {
			session.UserID = u.ID
			return s.site.Store.SignInWithCode(r.Context(), session, u.Password, proof)
		})
	}
	switch {
	case errors.Is(err, team.RefusedCode):
		if err := s.signIn.record(r, u, team.RefusedCode); err != nil {
			return err
		}
		return s.page(w, r, http.StatusUnprocessableEntity, part.Errors{"code": wrongCode})
	case errors.Is(err, db.ErrConflict): // the password was changed, or the account closed, at this moment
		return web.SeeOther(w, r, "/login")
	case err != nil:
		return err
	}
	attempt.GiveBack()
	if err := dropStep(s.site, w, r, halfStep); err != nil {
		return err
	}
	return web.SeeOther(w, r, site.Local(next))
}

const wrongCode = "This is not the code of this moment. Each works once, for half a minute; a recovery code works once."

// proofOf returns the proof that the form's field is, or team.RefusedCode. A recovery
// code is looked up when it is used.
func proofOf(s *site.Site, r *http.Request, userID int64, field string) (store.Proof, error) {
	typed := site.Clip(site.PlainText(r.PostFormValue(field)), 100)
	sealed, last, err := s.Store.Codes(r.Context(), userID)
	if errors.Is(err, db.ErrNotFound) {
		return store.Proof{}, team.RefusedCode
	}
	if err != nil {
		return store.Proof{}, err
	}
	if secret, err := s.Vault.OpenCode(userID, sealed); err == nil {
		if step, ok := team.CheckCode(secret, typed, s.Store.Now(), last); ok {
			return store.Proof{Step: step}, nil
		}
	} else if !errors.Is(err, db.ErrNotFound) {
		return store.Proof{}, err
	}
	return store.Proof{Recovery: team.RecoveryHash(userID, typed)}, nil
}

// record writes down that a sign-in of the person was refused.
func (s *SignIn) record(r *http.Request, u db.User, why team.Refusal) error {
	s.site.Log.Warn("a sign-in failed", "user", u.ID, "why", string(why), "address", s.site.Address(r))
	return s.site.Store.Record(r.Context(), team.Entry{Action: team.SignInRefused, UserID: u.ID, What: string(why)})
}
