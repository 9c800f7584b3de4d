package account

import (
	"errors"
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/handlers/site"
	"dailies/web/throttle"
)

// passwords checks passwords, and signs in with them.
type passwords struct {
	accounts *people.Accounts
	entrance *Entrance
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
