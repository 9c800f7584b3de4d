package handlers

import (
	"errors"
	"net/http"
	"strings"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

func (a *App) showSettings(w http.ResponseWriter, r *http.Request) error {
	return a.settingsPage(w, r, http.StatusOK, accountview.SettingsPage{Name: site.Me(r).Name})
}

func (a *App) saveName(w http.ResponseWriter, r *http.Request) error {
	name := strings.Join(strings.Fields(site.PlainText(r.PostFormValue("name"))), " ")
	if sentence := varMessage("name", name, "required,max=80"); sentence != "" {
		return a.settingsPage(w, r, http.StatusUnprocessableEntity, accountview.SettingsPage{Name: name, Errors: part.Errors{"name": sentence}})
	}
	if err := a.Store.SetUserName(r.Context(), site.Me(r).ID, name); err != nil {
		return err
	}
	return a.backToSettings(w, r, "Your name is saved.", "")
}

// savePassword changes the password and ends all other sessions: whoever had
// the old one is out. This session gets a new token.
func (a *App) savePassword(w http.ResponseWriter, r *http.Request) error {
	v, _ := site.ViewerOf(r)
	refuse := func(status int, field, sentence string) error {
		page := accountview.SettingsPage{Name: v.User.Name, Errors: part.Errors{field: sentence}}
		return a.settingsPage(w, r, status, page)
	}
	attempt, wait := a.Tries.Take(sessionLimit(v))
	if wait > 0 {
		return refuse(http.StatusTooManyRequests, "current", site.TooMany(w, wait))
	}
	current, password := r.PostFormValue("current"), r.PostFormValue("password")
	if !db.CheckPassword(v.User.Password, current) {
		a.Log.Warn("a password was not changed: the present one was wrong", "user", v.User.ID, "address", a.Address(r))
		return refuse(http.StatusUnprocessableEntity, "current", "This is not your present password.")
	}
	attempt.GiveBack()
	if sentence := passwordSentence(password, v.User); sentence != "" {
		return refuse(http.StatusUnprocessableEntity, "password", sentence)
	}
	token := db.NewToken()
	err := a.Store.ChangePassword(r.Context(), v.User.ID, v.User.Password, db.HashPassword(password), v.Session.ID, db.HashToken(token))
	if errors.Is(err, db.ErrConflict) {
		return refuse(http.StatusUnprocessableEntity, "current", "Your password was changed at this moment. Please give the new one.")
	}
	if errors.Is(err, db.ErrNotFound) {
		return a.LeadIn(w, r) // somebody has signed this browser out
	}
	if err != nil {
		return err
	}
	a.Log.Info("a password was changed", "user", v.User.ID, "address", a.Address(r))
	if err := a.Cookies.SetToken(w, r, token); err != nil {
		return err
	}
	return a.backToSettings(w, r, "Your password is changed, and every other browser is signed out.", "password")
}

func (a *App) endSession(w http.ResponseWriter, r *http.Request) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	if err := a.Store.EndSession(r.Context(), site.Me(r).ID, id); err != nil {
		return err
	}
	return a.backToSettings(w, r, "That browser is signed out.", "sessions")
}

func (a *App) endOtherSessions(w http.ResponseWriter, r *http.Request) error {
	v, _ := site.ViewerOf(r)
	if err := a.Store.EndOtherSessions(r.Context(), v.User.ID, v.Session.ID); err != nil {
		return err
	}
	return a.backToSettings(w, r, "Every other browser is signed out.", "sessions")
}

// backToSettings ends a change: the page again, with a sentence about it.
func (a *App) backToSettings(w http.ResponseWriter, r *http.Request, sentence, anchor string) error {
	if err := a.Cookies.Leave(w, r, "flash", sentence); err != nil {
		return err
	}
	to := "/settings"
	if anchor != "" {
		to += "#" + anchor
	}
	return web.SeeOther(w, r, to)
}

// settingsPage fills in what the page shows besides the outcome that it is
// given.
func (a *App) settingsPage(w http.ResponseWriter, r *http.Request, status int, page accountview.SettingsPage) error {
	v, _ := site.ViewerOf(r)
	if err := a.fillKey(r, &page); err != nil {
		return err
	}
	if err := a.fillWebhook(w, r, &page); err != nil {
		return err
	}
	if err := a.fillLinks(r, &page); err != nil {
		return err
	}
	var err error
	if page.Sessions, err = a.Store.Sessions(r.Context(), v.User.ID, db.Now()); err != nil {
		return err
	}
	page.Current = v.Session.ID
	f, err := a.Frame(w, r, "Settings")
	if err != nil {
		return err
	}
	whole := accountview.ShowSettings(f, page)
	return web.PageStatus(w, r, status, whole, whole)
}

// varMessage checks one value with the rule that new accounts have for it.
func varMessage(field, value, rule string) string {
	if err := validate.Var(value, rule); err != nil {
		return accountSentence(field, site.FirstRule(err))
	}
	return ""
}
