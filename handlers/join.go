package handlers

import (
	"errors"
	"net/http"

	"dailies/db"
	"dailies/views"
	"dailies/web"
)

// showJoin is the page behind a join link.
func (a *App) showJoin(w http.ResponseWriter, r *http.Request) error {
	return a.joinPage(w, r, http.StatusOK, accountForm{}, nil)
}

// join makes the account that the link is good for.
func (a *App) join(w http.ResponseWriter, r *http.Request) error {
	form := readAccount(r)
	if errs := form.check(validate); errs != nil {
		return a.joinPage(w, r, http.StatusUnprocessableEntity, form, errs)
	}
	u := form.user(db.Member)
	err := a.Store.Join(r.Context(), db.HashToken(r.PathValue("token")), &u, db.Now())
	switch {
	case errors.Is(err, db.ErrConflict):
		errs := views.Errors{"email": "Somebody here already uses this e-mail address. Is it you? Then sign in."}
		return a.joinPage(w, r, http.StatusUnprocessableEntity, form, errs)
	case errors.Is(err, db.ErrNotFound):
		return a.joinPage(w, r, http.StatusNotFound, form, nil)
	case err != nil:
		return err
	}
	a.Log.Info("somebody joined", "user", u.ID)
	return a.welcome(w, r, u)
}

func (a *App) joinPage(w http.ResponseWriter, r *http.Request, status int, form accountForm, errs views.Errors) error {
	invite, err := a.Store.Invite(r.Context(), db.HashToken(r.PathValue("token")))
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	open := err == nil && invite.Open(db.Now())
	if !open {
		status = http.StatusNotFound
	}
	f, err := a.frame(w, r, "Join")
	if err != nil {
		return err
	}
	page := views.Join(f, open, form.view("/join/"+r.PathValue("token"), errs))
	return web.PageStatus(w, r, status, page, page)
}
