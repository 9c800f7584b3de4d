package signin

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/team"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web"
)

// ShowJoin shows the page behind a join link.
func (h *SignIn) ShowJoin(w http.ResponseWriter, r *http.Request) error {
	if off, err := h.answerPasswordsOff(w, r); off || err != nil {
		return err
	}
	return h.drawJoin(w, r, http.StatusOK, accountview.NewSignUpForm())
}

// Join makes the account to which the link entitles. It checks the link first, so
// that only people with a link can make the program hash passwords.
func (h *SignIn) Join(w http.ResponseWriter, r *http.Request) error {
	if off, err := h.answerPasswordsOff(w, r); off || err != nil {
		return err
	}
	attempt, err := h.attempts.TakeFrom(w, r, "join")
	if err != nil {
		return err
	}
	form := readAccount(r)
	open, err := h.inviteIsOpen(r)
	if err != nil {
		return err
	}
	if !open {
		return h.drawJoin(w, r, http.StatusNotFound, form)
	}
	if form.IsRefused() {
		attempt.GiveBack()
		return h.drawJoin(w, r, http.StatusUnprocessableEntity, form)
	}
	u, err := h.newUser(r, form, r.PathValue("token"), db.Member)
	if sentence, busy := site.Busy(w, err); busy {
		attempt.GiveBack()
		form.Password.Error = sentence
		return h.drawJoin(w, r, http.StatusTooManyRequests, form)
	}
	if err != nil {
		return err
	}
	err = h.invites.Join(r.Context(), secrets.HashToken(r.PathValue("token")), &u, db.Now())
	switch {
	case errors.Is(err, db.ErrConflict):
		form.Email.Error = accountview.TakenEmail
		return h.drawJoin(w, r, http.StatusUnprocessableEntity, form)
	case errors.Is(err, team.ErrOtherAddress):
		form.Email.Error = accountview.OtherEmail
		return h.drawJoin(w, r, http.StatusUnprocessableEntity, form)
	case errors.Is(err, db.ErrNotFound):
		return h.drawJoin(w, r, http.StatusNotFound, form)
	case errors.Is(err, signin.RefusedOff): // turned off meanwhile
		if off, err := h.answerPasswordsOff(w, r); off || err != nil {
			return err
		}
		return h.drawJoin(w, r, http.StatusUnprocessableEntity, form)
	case err != nil:
		return err
	}
	attempt.GiveBack()
	return h.welcome(w, r, u, "somebody joined")
}

// inviteIsOpen reports whether the join link in the request's path can be used.
func (h *SignIn) inviteIsOpen(r *http.Request) (bool, error) {
	invite, err := h.invites.Invite(r.Context(), secrets.HashToken(r.PathValue("token")))
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil && invite.Open(db.Now()), err
}

func (h *SignIn) drawJoin(w http.ResponseWriter, r *http.Request, status int, form accountview.SignUpForm) error {
	open, err := h.inviteIsOpen(r)
	if err != nil {
		return err
	}
	if !open {
		status = http.StatusNotFound
	}
	form.Action = "/join/" + r.PathValue("token")
	return h.pages.Draw(w, r, status, "Join", accountview.Join(open, form))
}

// readAccount reads the form for a new account. If it is invalid, its fields have errors.
func readAccount(r *http.Request) accountview.SignUpForm {
	form := accountview.NewSignUpForm()
	site.ReadForm(r, &form.Name, &form.Email, &form.Password)
	form.Password.Error = site.PasswordSentence(form.Password.Value, db.User{Name: form.Name.Value, Email: form.Email.Value})
	return form
}

// newUser returns the account that the person with the token of a link asks for. The error
// is a site.BusyError if too many passwords are waiting to be hashed.
func (h *SignIn) newUser(r *http.Request, form accountview.SignUpForm, token string, role db.Role) (db.User, error) {
	hash, err := h.hashing.Hash(r.Context(), site.InvitedApplicant(token), form.Password.Value)
	return db.User{Name: form.Name.Value, Email: form.Email.Value, Password: hash, Role: role, CreatedAt: db.Now()}, err
}

// welcome logs what happened and signs the new user in. If only signing in fails, the
// user is told to do that: the account exists, and the link that made it does not work a
// second time.
func (h *SignIn) welcome(w http.ResponseWriter, r *http.Request, u db.User, happened string) error {
	h.journal.Info(r, happened, "user", u.ID, "email", site.Clip(u.Email, 100))
	h.giveSandboxKey(r, u)
	if err := h.startSession(w, r, u, ""); err != nil {
		h.journal.Error("somebody with a new account could not be signed in", "user", u.ID, "err", err)
		return h.pages.SeeOther(w, r, "/login", accountview.AccountIsReady)
	}
	return web.SeeOther(w, r, "/")
}

// giveSandboxKey gives a new user a key in sandbox mode, so that the next page is a form that
// works.
func (h *SignIn) giveSandboxKey(r *http.Request, u db.User) {
	if !u.Makes() {
		return
	}
	if err := h.keyring.GiveSandboxKey(h.journal.As(r, u), u); err != nil {
		h.journal.Error("no sandbox key for a new account", "user", u.ID, "err", err)
	}
}

// ShowSetup shows the setup page. Once an account exists, it no longer does.
func (h *SignIn) ShowSetup(w http.ResponseWriter, r *http.Request) error {
	if ready, err := h.entry.HasAccount(r.Context()); err != nil || ready {
		return h.setupDone(w, r, err)
	}
	allowed, err := h.hasSetupToken(w, r)
	if err != nil {
		return err
	}
	return h.drawSetup(w, r, http.StatusOK, allowed, accountview.NewSignUpForm())
}

// SetUp makes the first account, with the role of admin, and signs it in.
func (h *SignIn) SetUp(w http.ResponseWriter, r *http.Request) error {
	if ready, err := h.entry.HasAccount(r.Context()); err != nil || ready {
		return h.setupDone(w, r, err)
	}
	allowed, err := h.hasSetupToken(w, r)
	if err != nil {
		return err
	}
	if !allowed {
		return h.drawSetup(w, r, http.StatusForbidden, false, accountview.NewSignUpForm())
	}
	form := readAccount(r)
	if form.IsRefused() {
		return h.drawSetup(w, r, http.StatusUnprocessableEntity, true, form)
	}
	u, err := h.newUser(r, form, "setup", db.Admin)
	if sentence, busy := site.Busy(w, err); busy {
		form.Password.Error = sentence
		return h.drawSetup(w, r, http.StatusTooManyRequests, true, form)
	}
	if err != nil {
		return err
	}
	if err := h.accounts.AddFirstUser(r.Context(), &u); errors.Is(err, db.ErrConflict) {
		return h.setupDone(w, r, nil)
	} else if err != nil {
		return err
	}
	return h.welcome(w, r, u, "the first account was made")
}

func (h *SignIn) setupDone(w http.ResponseWriter, r *http.Request, err error) error {
	if err != nil {
		return err
	}
	return web.SeeOther(w, r, "/login")
}

// hasSetupToken checks the token from the log's link in constant time, and limits
// guesses at it.
func (h *SignIn) hasSetupToken(w http.ResponseWriter, r *http.Request) (bool, error) {
	token := r.FormValue("token")
	if token == "" {
		return false, nil
	}
	attempt, err := h.attempts.TakeFrom(w, r, "setup")
	if err != nil {
		return false, err
	}
	if subtle.ConstantTimeCompare([]byte(token), []byte(h.setupToken)) != 1 {
		h.journal.Warn(r, "a wrong token for the first account")
		return false, nil
	}
	attempt.GiveBack()
	return true, nil
}

func (h *SignIn) drawSetup(w http.ResponseWriter, r *http.Request, status int, allowed bool, form accountview.SignUpForm) error {
	form.Action = "/setup?token=" + url.QueryEscape(r.FormValue("token"))
	return h.pages.Draw(w, r, status, "Welcome", accountview.Setup(allowed, form))
}
