package signin

import (
	"errors"
	"net/http"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
)

// signingPart fills in how the viewer signs in.
type signingPart struct {
	steps *people.SecondSteps
	ways  *ways
}

// Fill fills in how the person signs in.
func (s *signingPart) Fill(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	rules, err := s.ways.rules(r)
	if err != nil {
		return err
	}
	in := &page.Signing
	in.HasPassword, in.PasswordsOff = site.Me(r).Password != "", rules.PasswordsOff
	if s.ways.provider != nil {
		in.Provider = nameOf(s.ways.provider, rules)
	}
	var errs [4]error
	in.SecondSteps, errs[0] = s.steps.Of(r.Context(), site.Me(r).ID)
	in.Passkeys, errs[1] = s.steps.Passkeys(r.Context(), site.Me(r).ID)
	in.Guessed, errs[2] = s.steps.Guessed(r.Context(), site.Me(r).ID, db.Now().Add(-guessedFor))
	in.Identities, errs[3] = s.ways.signOn.Identities(r.Context(), site.Me(r).ID)
	return errors.Join(errs[:]...)
}
