package account

import (
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/web/throttle"
)

// limits returns the limits on attempts to sign in to an account. A browser that has
// signed in to the account before has a limit of its own, so that strangers who guess
// cannot lock out its owner.
func (s *SignIn) limits(r *http.Request, email string, u db.User) []throttle.Limit {
	if browser := s.site.Cookies.Known(r, u.ID); browser != "" {
		return []throttle.Limit{{Name: fmt.Sprintf("browser %s of %d", browser, u.ID), Burst: site.TriesPerAccount, Every: site.TriesEvery}}
	}
	return s.site.FromAddress(r, "sign-in",
		throttle.Limit{Name: "account " + site.Clip(db.EmailKey(email), 320), Burst: site.TriesPerAccount, Every: site.TriesEvery})
}

// applicant returns who asks for the password to be checked. A browser that has signed
// in to the account before does not wait behind strangers.
func (s *SignIn) applicant(r *http.Request, email string, u db.User) site.Applicant {
	if s.site.Cookies.Known(r, u.ID) != "" {
		return site.KnownApplicant(u.Email)
	}
	return site.StrangeApplicant(email)
}

// sessionLimit limits guesses at the password by somebody who is signed in, because
// they may have found the browser unattended.
func sessionLimit(v site.Viewer) throttle.Limit {
	return throttle.Limit{Name: fmt.Sprintf("session %d", v.Session.ID), Burst: site.TriesPerAccount, Every: site.TriesEvery}
}
