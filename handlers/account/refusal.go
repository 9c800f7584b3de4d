package account

import (
	"errors"
	"net/http"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/handlers/site"
	"dailies/web"
)

// refusals logs and counts sign-ins that were refused, and writes them to the audit log.
type refusals struct {
	audit   *people.Audit
	count   func(signin.Refusal)
	journal *site.Journal
}

// tooMany counts the refusal if the error says that there were too many attempts, and
// returns the error.
func (f *refusals) tooMany(err error) error {
	var e *web.Error
	if errors.As(err, &e) && e.Status == http.StatusTooManyRequests {
		f.count(signin.RefusedTooMany)
	}
	return err
}

// ofPassword logs and counts a refused sign-in, and writes it to the audit log. The zero
// User stands for an address that no account has.
func (f *refusals) ofPassword(r *http.Request, u db.User, why signin.Refusal) {
	f.count(why)
	f.journal.Warn(r, "a sign-in failed", "user", u.ID, "email", site.Clip(u.Email, 100))
	what := "with a password"
	if u.ID == 0 {
		what = "with an address that no account has"
	}
	if err := f.audit.Record(r.Context(), audit.Entry{Action: audit.SignInRefused, UserID: u.ID, What: what}); err != nil {
		f.journal.Error("a refused sign-in could not be recorded", "err", err)
	}
}

// record logs and counts a refused sign-in of the user, and writes it to the audit log.
func (f *refusals) record(r *http.Request, u db.User, why signin.Refusal) error {
	f.count(why)
	f.journal.Warn(r, "a sign-in failed", "user", u.ID, "why", string(why))
	return f.audit.Record(r.Context(), audit.Entry{Action: audit.SignInRefused, UserID: u.ID, What: string(why)})
}
