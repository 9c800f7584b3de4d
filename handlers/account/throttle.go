package account

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/handlers/site"
	"dailies/web"
	"dailies/web/throttle"
)

// limits returns the limits on attempts to sign in to an account. A browser that has
// signed in to the account before has a limit of its own, so that strangers who guess
// cannot lock out its owner.
func (s *SignIn) limits(r *http.Request, email string, u db.User) []throttle.Limit {
	if browser := s.cookies.Known(r, u.ID); browser != "" {
		return []throttle.Limit{{Name: fmt.Sprintf("browser %s of %d", browser, u.ID), Burst: site.TriesPerAccount, Every: site.TriesEvery}}
	}
	return s.network.FromAddress(r, "sign-in",
		throttle.Limit{Name: fmt.Sprintf("account %s", site.Clip(db.EmailKey(email), 320)), Burst: site.TriesPerAccount, Every: site.TriesEvery})
}

// applicant returns who asks for the password to be checked. A browser that has signed
// in to the account before does not wait behind strangers.
func (s *SignIn) applicant(r *http.Request, email string, u db.User) site.Applicant {
	if s.cookies.Known(r, u.ID) != "" {
		return site.KnownApplicant(u.Email)
	}
	return site.StrangeApplicant(email)
}

// sessionLimit limits guesses at the password by somebody who is signed in, because
// they may have found the browser unattended. The owner can sign in again.
func sessionLimit(v site.Viewer) site.SlowLimit {
	return site.SlowLimit{Name: fmt.Sprintf("session %d", v.Session.ID), Free: site.TriesPerAccount, First: time.Minute, Longest: site.LongestPause}
}

// knownPause is how far the pauses between wrong codes grow in a browser that the owner
// has used: far enough against guessing, and not so far that they are locked out.
const knownPause = 15 * time.Minute

// strangersCodes and knownCodes are the names under which wrong codes for an account are
// counted, from strangers and from browsers that have signed in with the password.
func strangersCodes(userID int64) string { return fmt.Sprintf("codes of %d", userID) }
func knownCodes(userID int64) string {
	return fmt.Sprintf("%s by known browsers", strangersCodes(userID))
}

// codeLimits returns the limits on guesses at a user's codes, of which three are right at
// any time. Anybody who can guess here knows the password already. With the pauses that
// they have, a stranger makes four guesses a day.
//
// A browser in which a code was right before has a limit of its own, so that nobody can
// lock out the owner. Browsers that have signed in with the password alone share one:
// somebody who knew the password before codes were turned on can have any number of them.
func codeLimits(cookies *web.Cookies, tries *site.Tries, r *http.Request, userID int64) []site.SlowLimit {
	limit := site.SlowLimit{Name: strangersCodes(userID), Free: site.TriesPerAccount, First: time.Minute, Longest: site.LongestPause}
	switch known := cookies.Known(r, userID); {
	case known == "":
		return append([]site.SlowLimit{limit}, tries.SlowFromAddress(r, "codes")...)
	case cookies.KnownProof(r, userID):
		limit.Name, limit.Longest = fmt.Sprintf("%s in %s", strangersCodes(userID), known), knownPause
	default:
		limit.Name = knownCodes(userID)
	}
	return []site.SlowLimit{limit}
}

// codeWasRight gives the guess back. In a browser that was known before, it also ends the
// pauses that strangers have caused. From now on the browser is known by the code.
func codeWasRight(cookies *web.Cookies, tries *site.Tries, w http.ResponseWriter, r *http.Request, userID int64, guess site.SlowGuess) error {
	guess.GiveBack()
	if known := cookies.Known(r, userID); known != "" {
		tries.Forget(r.Context(), strangersCodes(userID), knownCodes(userID), fmt.Sprintf("%s in %s", strangersCodes(userID), known))
	}
	return cookies.RememberProof(w, r, userID)
}

// codeWasWrong tells the owner of the account when the guess was the last one before the
// pauses begin.
func codeWasWrong(factors *people.Factors, log *slog.Logger, network *site.Network, r *http.Request, userID int64, guess site.SlowGuess) error {
	if !guess.Reaches() {
		return nil
	}
	log.Warn("many wrong codes were given after the right password", "user", userID, "address", network.Address(r))
	return factors.RecordGuesses(r.Context(), userID, site.TriesPerAccount)
}
