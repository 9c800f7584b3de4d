package handlers

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

// firstCredits is what a sandbox account starts with.
const firstCredits = 1000

// showSetup is the first page of a new Dailies. With an account it is gone.
func (a *App) showSetup(w http.ResponseWriter, r *http.Request) error {
	if ready, err := a.HasAccount(r.Context()); err != nil || ready {
		return a.afterSetup(w, r, err)
	}
	allowed, err := a.hasSetupToken(w, r)
	if err != nil {
		return err
	}
	return a.setupPage(w, r, http.StatusOK, allowed, accountForm{}, nil)
}

// setUp makes the first account, an admin's, and signs it in.
func (a *App) setUp(w http.ResponseWriter, r *http.Request) error {
	if ready, err := a.HasAccount(r.Context()); err != nil || ready {
		return a.afterSetup(w, r, err)
	}
	allowed, err := a.hasSetupToken(w, r)
	if err != nil {
		return err
	}
	if !allowed {
		return a.setupPage(w, r, http.StatusForbidden, false, accountForm{}, nil)
	}
	form := readAccount(r)
	if errs := form.check(validate); errs != nil {
		return a.setupPage(w, r, http.StatusUnprocessableEntity, true, form, errs)
	}
	u := form.user(db.Admin)
	if err := a.Store.AddFirstUser(r.Context(), &u); errors.Is(err, db.ErrConflict) {
		return a.afterSetup(w, r, nil)
	} else if err != nil {
		return err
	}
	a.Log.Info("the first account was made", "user", u.ID, "email", site.Clip(u.Email, 100), "address", a.Address(r))
	return a.welcome(w, r, u)
}

// welcome signs a new account in, with a key already where the sandbox can
// give one, so that the next page is a form that works.
func (a *App) welcome(w http.ResponseWriter, r *http.Request, u db.User) error {
	if a.Sandbox != nil {
		if err := a.giveSandboxKey(r.Context(), u); err != nil {
			a.Log.Error("no sandbox key for a new account", "user", u.ID, "err", err)
		}
	}
	if err := a.startSession(w, r, u, ""); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/")
}

func (a *App) giveSandboxKey(ctx context.Context, u db.User) error {
	key, err := a.Sandbox.NewKey(ctx, u.Name, firstCredits)
	if err != nil {
		return err
	}
	return a.Keys.Put(ctx, u.ID, key, true)
}

func (a *App) afterSetup(w http.ResponseWriter, r *http.Request, err error) error {
	if err != nil {
		return err
	}
	return web.SeeOther(w, r, "/login")
}

// hasSetupToken compares the token of the log's link, in constant time, and
// limits how often it is guessed.
func (a *App) hasSetupToken(w http.ResponseWriter, r *http.Request) (bool, error) {
	token := r.FormValue("token")
	if token == "" {
		return false, nil
	}
	attempt, wait := a.Tries.Take(a.FromAddress(r, "setup"))
	if wait > 0 {
		return false, site.RefusedFor(w, wait)
	}
	if subtle.ConstantTimeCompare([]byte(token), []byte(a.SetupToken)) != 1 {
		a.Log.Warn("a wrong token for the first account", "address", a.Address(r))
		return false, nil
	}
	attempt.GiveBack()
	return true, nil
}

func (a *App) setupPage(w http.ResponseWriter, r *http.Request, status int, allowed bool, form accountForm, errs part.Errors) error {
	f, err := a.Frame(w, r, "Welcome")
	if err != nil {
		return err
	}
	action := "/setup?token=" + url.QueryEscape(r.FormValue("token"))
	page := accountview.Setup(f, allowed, form.view(action, errs))
	return web.PageStatus(w, r, status, page, page)
}
