package account

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web"
)

// A codeGuard limits guesses at the codes of the second step, and tells their owners.
type codeGuard struct {
	cookies *web.Cookies
	steps   *people.SecondSteps
	journal *site.Journal
	proofs  *proofs
	tries   *site.Tries
}

// limits returns the limits on guesses at a user's codes, of which three are right at
// any time. Anybody who can guess here knows the password already. With the pauses that
// they have, a stranger makes four guesses a day.
//
// A browser in which a code was right before has a limit of its own, so that nobody can
// lock out the owner. Browsers that have signed in with the password alone share one:
// somebody who knew the password before codes were turned on can have any number of them.
func (c *codeGuard) limits(r *http.Request, userID int64) []site.Backoff {
	limit := site.Backoff{Name: strangersCodes(userID), Free: site.TriesPerAccount, First: time.Minute, Longest: site.LongestPause}
	switch known := c.cookies.Known(r, userID); {
	case known == "":
		return append([]site.Backoff{limit}, c.tries.SlowFromAddress(r, "codes")...)
	case c.cookies.KnownProof(r, userID):
		limit.Name, limit.Longest = fmt.Sprintf("%s in %s", strangersCodes(userID), known), knownPause
	default:
		limit.Name = knownCodes(userID)
	}
	return []site.Backoff{limit}
}

// wasRight gives the guess back. In a browser that was known before, it also ends the
// pauses that strangers have caused. From now on the browser is known by the code.
func (c *codeGuard) wasRight(w http.ResponseWriter, r *http.Request, userID int64, guess site.SlowGuess) error {
	guess.GiveBack()
	if known := c.cookies.Known(r, userID); known != "" {
		c.tries.Forget(r.Context(), strangersCodes(userID), knownCodes(userID), fmt.Sprintf("%s in %s", strangersCodes(userID), known))
	}
	return c.cookies.RememberProof(w, r, userID)
}

// wasWrong tells the owner of the account when the guess was the last one before the
// pauses begin.
func (c *codeGuard) wasWrong(r *http.Request, userID int64, guess site.SlowGuess) error {
	if !guess.Reaches() {
		return nil
	}
	c.journal.Warn(r, "many wrong codes were given after the right password", "user", userID)
	return c.steps.RecordGuesses(r.Context(), userID, site.TriesPerAccount)
}

// guessedFor is how long people are told of wrong codes for their account.
const guessedFor = 30 * 24 * time.Hour

// tellGuessed tells somebody who signs in that many wrong codes were given for their
// account.
func (c *codeGuard) tellGuessed(w http.ResponseWriter, r *http.Request, userID int64) error {
	e, err := c.steps.Guessed(r.Context(), userID, db.Now().Add(-guessedFor))
	if err != nil || e.ID == 0 {
		return err
	}
	return c.cookies.SetFlash(w, r, "flash", accountview.CodesGuessed)
}

// proofs reads the codes of the second step.
type proofs struct {
	steps *people.SecondSteps
	now   func() time.Time
	vault *secrets.Vault
}

// of returns the proof for what was typed into the form field: a one-time code, or
// else a recovery code, which is only looked up when it is used. The error is
// signin.RefusedCode if the user has no codes.
func (p *proofs) of(r *http.Request, userID int64, field string) (people.Proof, error) {
	typed := site.Clip(site.PlainText(r.PostFormValue(field)), 100)
	sealed, last, err := p.steps.Codes(r.Context(), userID)
	if errors.Is(err, db.ErrNotFound) {
		return people.Proof{}, signin.RefusedCode
	}
	if err != nil {
		return people.Proof{}, err
	}
	if secret, err := p.vault.OpenCode(userID, sealed); err == nil {
		if step, ok := secrets.CheckCode(secret, typed, p.now(), last); ok {
			return people.Proof{Step: step}, nil
		}
	} else if !errors.Is(err, db.ErrNotFound) {
		return people.Proof{}, err
	}
	return people.Proof{Recovery: secrets.RecoveryHash(userID, typed)}, nil
}
