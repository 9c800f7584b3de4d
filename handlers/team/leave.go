package team

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/people"
	"dailies/db/team"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
)

// Leaving deactivates accounts, and asks first who gets what they own.
type Leaving struct {
	accounts *people.Accounts
	log      *slog.Logger
	page     *memberPage
	store    *store.Store
	vault    *secrets.Vault
}

// Show lists what the user owns, and asks who gets it.
func (l *Leaving) Show(w http.ResponseWriter, r *http.Request, id int64) error {
	return l.draw(w, r, http.StatusOK, id, chosen(r)) // keeps the choices made before a search for a colleague
}

// draw fills in the rest of the page and renders it.
func (l *Leaving) draw(w http.ResponseWriter, r *http.Request, status int, id int64, page teamview.LeavePage) error {
	users, err := l.accounts.Users(r.Context())
	if err != nil {
		return err
	}
	at := slices.IndexFunc(users, func(u db.User) bool { return u.ID == id })
	if at < 0 {
		return db.ErrNotFound
	}
	leaver := users[at]
	if !leaver.IsActive() {
		return l.page.back(w, r, id, personDeactivated(leaver.Name))
	}
	page.Query, page.OnlyAdmin = SearchWords(r, "q"), leaver.IsAdmin()
	var colleagues []db.User
	for _, u := range users {
		if u.ID == id || !u.IsActive() {
			continue
		}
		page.OnlyAdmin = page.OnlyAdmin && !u.IsAdmin()
		if u.Makes() {
			colleagues = append(colleagues, u)
		}
	}
	page.Offer(leaver, colleagues)
	if page.Had, err = l.store.Belongings(r.Context(), id, db.Now()); err != nil {
		return err
	}
	return l.page.pages.Draw(w, r, status, fmt.Sprintf("Deactivate %s", naming.Isolated(page.User.Name)), func(f part.Frame) templ.Component { return teamview.ShowLeave(f, page) })
}

// chosen reads the form.
func chosen(r *http.Request) teamview.LeavePage {
	page := teamview.NewLeavePage()
	page.EndLinks = r.FormValue("links") == "off"
	site.ReadInputs(r.Form, &page.HandTo, &page.Private)
	return page
}

// Deactivate deactivates the account, and hands over what the user owns.
func (l *Leaving) Deactivate(w http.ResponseWriter, r *http.Request, id int64) error {
	page := chosen(r)
	if page.Private.Error != "" {
		return l.draw(w, r, http.StatusUnprocessableEntity, id, page)
	}
	var err error
	var had team.Belongings
	heir := page.Heir()
	if page.HandTo.Value != "" && heir == 0 {
		err = team.ErrNoHeir
	} else {
		had, err = l.store.Leave(r.Context(), team.Leaving{
			UserID: id, HandTo: heir, Bin: page.Private.Value == teamview.IntoBin, EndLinks: page.EndLinks, At: db.Now(),
			Reseal: func(sealed []byte) ([]byte, error) {
				token, err := l.vault.OpenToken(id, sealed)
				return l.vault.SealToken(heir, token), err
			},
		})
	}
	switch {
	case errors.Is(err, team.ErrNoHeir), errors.Is(err, team.ErrUnfinished):
		page.Refuse(err)
		return l.draw(w, r, http.StatusUnprocessableEntity, id, page)
	case errors.Is(err, team.ErrLastAdmin):
		page.Refuse(err)
		return l.draw(w, r, http.StatusConflict, id, page)
	case errors.Is(err, db.ErrConflict):
		return l.page.back(w, r, id, deactivatedAlready)
	case err != nil:
		return err
	}
	l.log.Info("an account was deactivated", "user", id, "by", site.Me(r).ID, "tokens ended", had.Tokens, "webhooks ended", had.Webhooks)
	if id == site.Me(r).ID {
		return l.page.pages.SeeOther(w, r, "/login", site.Closed)
	}
	return l.page.back(w, r, id, deactivated)
}
