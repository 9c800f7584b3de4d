package account

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/db/team"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
)

// Join makes accounts for people who have a join link.
type Join struct {
	invites   *people.Invites
	login     *loginPage
	newcomers *newcomers
	pages     *site.Pages
	tries     *site.Tries
}

// Show shows the page behind a join link.
func (j *Join) Show(w http.ResponseWriter, r *http.Request) error {
	if off, err := j.login.turnedOff(w, r); off || err != nil {
		return err
	}
	return j.page(w, r, http.StatusOK, accountview.NewSignUpForm())
}

// Create makes the account to which the link entitles. It checks the link first, so
// that only people with a link can make the program hash passwords.
func (j *Join) Create(w http.ResponseWriter, r *http.Request) error {
	if off, err := j.login.turnedOff(w, r); off || err != nil {
		return err
	}
	attempt, err := j.tries.TakeFrom(w, r, "join")
	if err != nil {
		return err
	}
	form := readAccount(r)
	open, err := j.open(r)
	if err != nil {
		return err
	}
	if !open {
		return j.page(w, r, http.StatusNotFound, form)
	}
	if form.IsRefused() {
		attempt.GiveBack()
		return j.page(w, r, http.StatusUnprocessableEntity, form)
	}
	u, err := j.newcomers.user(r, form, r.PathValue("token"), db.Member)
	if sentence, busy := site.Busy(w, err); busy {
		attempt.GiveBack()
		form.Password.Error = sentence
		return j.page(w, r, http.StatusTooManyRequests, form)
	}
	if err != nil {
		return err
	}
	err = j.invites.Join(r.Context(), secrets.HashToken(r.PathValue("token")), &u, db.Now())
	switch {
	case errors.Is(err, db.ErrConflict):
		form.Email.Error = accountview.TakenEmail
		return j.page(w, r, http.StatusUnprocessableEntity, form)
	case errors.Is(err, team.ErrOtherAddress):
		form.Email.Error = accountview.OtherEmail
		return j.page(w, r, http.StatusUnprocessableEntity, form)
	case errors.Is(err, db.ErrNotFound):
		return j.page(w, r, http.StatusNotFound, form)
	case errors.Is(err, signin.RefusedOff): // turned off meanwhile
		if off, err := j.login.turnedOff(w, r); off || err != nil {
			return err
		}
		return j.page(w, r, http.StatusUnprocessableEntity, form)
	case err != nil:
		return err
	}
	attempt.GiveBack()
	return j.newcomers.welcome(w, r, u, "somebody joined")
}

// open reports whether the join link in the request's path can be used.
func (j *Join) open(r *http.Request) (bool, error) {
	invite, err := j.invites.Invite(r.Context(), secrets.HashToken(r.PathValue("token")))
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil && invite.Open(db.Now()), err
}

func (j *Join) page(w http.ResponseWriter, r *http.Request, status int, form accountview.SignUpForm) error {
	open, err := j.open(r)
	if err != nil {
		return err
	}
	if !open {
		status = http.StatusNotFound
	}
	form.Action = "/join/" + r.PathValue("token")
	return j.pages.Draw(w, r, status, "Join", func(f part.Frame) templ.Component { return accountview.Join(f, open, form) })
}
