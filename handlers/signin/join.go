package signin

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/db/team"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
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

// readAccount reads the form for a new account. If it is invalid, its fields have errors.
func readAccount(r *http.Request) accountview.SignUpForm {
	form := accountview.NewSignUpForm()
	site.ReadForm(r, &form.Name, &form.Email, &form.Password)
	if db.Misleads(strings.ReplaceAll(form.Email.Value, " ", "")) { // an address with spaces is none, and everybody sees that
		form.Email.Error = accountview.MisleadingEmail
	}
	form.Password.Error = site.PasswordSentence(form.Password.Value, db.User{Name: form.Name.Value, Email: form.Email.Value})
	return form
}

// newcomers makes accounts, and signs people in to them for the first time.
type newcomers struct {
	entrance *site.Entrance
	hashing  *site.Hashing
	journal  *site.Journal
	keys     *site.SandboxKeys
	pages    *site.Pages
}

// user returns the account that the person with the token of a link asks for. The error
// is a site.BusyError if too many passwords are waiting to be hashed.
func (n *newcomers) user(r *http.Request, form accountview.SignUpForm, token string, role db.Role) (db.User, error) {
	hash, err := n.hashing.Hash(r.Context(), site.InvitedApplicant(token), form.Password.Value)
	return db.User{Name: form.Name.Value, Email: form.Email.Value, Password: hash, Role: role, CreatedAt: db.Now()}, err
}

// welcome logs what happened and signs the new user in. If only signing in fails, the
// user is told to do that: the account exists, and the link that made it does not work a
// second time.
func (n *newcomers) welcome(w http.ResponseWriter, r *http.Request, u db.User, happened string) error {
	n.journal.Info(r, happened, "user", u.ID, "email", site.Clip(u.Email, 100))
	n.giveKey(r, u)
	if err := n.entrance.Start(w, r, u, ""); err != nil {
		n.journal.Error("somebody with a new account could not be signed in", "user", u.ID, "err", err)
		return n.pages.SeeOther(w, r, "/login", accountview.AccountIsReady)
	}
	return web.SeeOther(w, r, "/")
}

// giveKey gives a new user a key in sandbox mode, so that the next page is a form that
// works.
func (n *newcomers) giveKey(r *http.Request, u db.User) {
	if !u.Makes() {
		return
	}
	if err := n.keys.Give(n.journal.As(r, u), u); err != nil {
		n.journal.Error("no sandbox key for a new account", "user", u.ID, "err", err)
	}
}

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
