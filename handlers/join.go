package handlers

import (
	"errors"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

// showJoin is the page behind a join link.
func (a *App) showJoin(w http.ResponseWriter, r *http.Request) error {
	return a.joinPage(w, r, http.StatusOK, accountForm{}, nil)
}

// join makes the account that the link is good for. The link is looked at first,
// so that nobody without one makes the program hash passwords.
func (a *App) join(w http.ResponseWriter, r *http.Request) error {
	attempt, wait := a.Tries.Take(a.FromAddress(r, "join"))
	if wait > 0 {
		return site.RefusedFor(w, wait)
	}
	form := readAccount(r)
	open, err := a.inviteOpen(r)
	if err != nil {
		return err
	}
	if !open {
		return a.joinPage(w, r, http.StatusNotFound, form, nil)
	}
	if errs := form.check(validate); errs != nil {
		attempt.GiveBack()
		return a.joinPage(w, r, http.StatusUnprocessableEntity, form, errs)
	}
	u := form.user(db.Member)
	err = a.Store.Join(r.Context(), db.HashToken(r.PathValue("token")), &u, db.Now())
	switch {
	case errors.Is(err, db.ErrConflict):
		errs := part.Errors{"email": "Somebody here already uses this e-mail address. Is it you? Then sign in."}
		return a.joinPage(w, r, http.StatusUnprocessableEntity, form, errs)
	case errors.Is(err, db.ErrNotFound):
		return a.joinPage(w, r, http.StatusNotFound, form, nil)
	case err != nil:
		return err
	}
	attempt.GiveBack()
	a.Log.Info("somebody joined", "user", u.ID, "email", site.Clip(u.Email, 100), "address", a.Address(r))
	return a.welcome(w, r, u)
}

// inviteOpen reports whether the join link of the address can be used.
func (a *App) inviteOpen(r *http.Request) (bool, error) {
	invite, err := a.Store.Invite(r.Context(), db.HashToken(r.PathValue("token")))
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil && invite.Open(db.Now()), err
}

func (a *App) joinPage(w http.ResponseWriter, r *http.Request, status int, form accountForm, errs part.Errors) error {
	open, err := a.inviteOpen(r)
	if err != nil {
		return err
	}
	if !open {
		status = http.StatusNotFound
	}
	f, err := a.Frame(w, r, "Join")
	if err != nil {
		return err
	}
	page := accountview.Join(f, open, form.view("/join/"+r.PathValue("token"), errs))
	return web.PageStatus(w, r, status, page, page)
}
