package account

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

// Setup makes the first account.
type Setup struct {
	accounts  *people.Accounts
	entry     *site.Entry
	newcomers *newcomers
	pages     *site.Pages
	token     setupToken
}

// A setupToken is needed to make the first account.
type setupToken struct {
	journal *site.Journal
	token   string
	tries   *site.Tries
}

// Show shows the setup page. Once an account exists, it no longer does.
func (s *Setup) Show(w http.ResponseWriter, r *http.Request) error {
	if ready, err := s.entry.HasAccount(r.Context()); err != nil || ready {
		return s.done(w, r, err)
	}
	allowed, err := s.token.isGiven(w, r)
	if err != nil {
		return err
	}
	return s.page(w, r, http.StatusOK, allowed, accountview.NewSignUpForm())
}

// Create makes the first account, with the role of admin, and signs it in.
func (s *Setup) Create(w http.ResponseWriter, r *http.Request) error {
	if ready, err := s.entry.HasAccount(r.Context()); err != nil || ready {
		return s.done(w, r, err)
	}
	allowed, err := s.token.isGiven(w, r)
	if err != nil {
		return err
	}
	if !allowed {
		return s.page(w, r, http.StatusForbidden, false, accountview.NewSignUpForm())
	}
	form := readAccount(r)
	if form.IsRefused() {
		return s.page(w, r, http.StatusUnprocessableEntity, true, form)
	}
	u, err := s.newcomers.user(r, form, "setup", db.Admin)
	if sentence, busy := site.Busy(w, err); busy {
		form.Password.Error = sentence
		return s.page(w, r, http.StatusTooManyRequests, true, form)
	}
	if err != nil {
		return err
	}
	if err := s.accounts.AddFirstUser(r.Context(), &u); errors.Is(err, db.ErrConflict) {
		return s.done(w, r, nil)
	} else if err != nil {
		return err
	}
	return s.newcomers.welcome(w, r, u, "the first account was made")
}

func (s *Setup) done(w http.ResponseWriter, r *http.Request, err error) error {
	if err != nil {
		return err
	}
	return web.SeeOther(w, r, "/login")
}

// isGiven checks the token from the log's link in constant time, and limits
// guesses at it.
func (s *setupToken) isGiven(w http.ResponseWriter, r *http.Request) (bool, error) {
	token := r.FormValue("token")
	if token == "" {
		return false, nil
	}
	attempt, err := s.tries.TakeFrom(w, r, "setup")
	if err != nil {
		return false, err
	}
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		s.journal.Warn(r, "a wrong token for the first account")
		return false, nil
	}
	attempt.GiveBack()
	return true, nil
}

func (s *Setup) page(w http.ResponseWriter, r *http.Request, status int, allowed bool, form accountview.SignUpForm) error {
	form.Action = "/setup?token=" + url.QueryEscape(r.FormValue("token"))
	return s.pages.Draw(w, r, status, "Welcome", func(f part.Frame) templ.Component { return accountview.Setup(f, allowed, form) })
}
