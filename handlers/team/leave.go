package team

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"dailies/db"
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
	pages    *site.Pages
	store    *store.Store
	vault    *db.Vault
	member   *Member
}

// Show lists what the user owns, and asks who gets it.
func (l *Leaving) Show(w http.ResponseWriter, r *http.Request) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	return l.page(w, r, http.StatusOK, id, chosen(r)) // keeps the choices made before a search for a colleague
}

// page fills in the rest of the page and renders it.
func (l *Leaving) page(w http.ResponseWriter, r *http.Request, status int, id int64, page teamview.LeavePage) error {
	users, err := l.accounts.Users(r.Context())
	if err != nil {
		return err
	}
	at := slices.IndexFunc(users, func(u db.User) bool { return u.ID == id })
	if at < 0 {
		return db.ErrNotFound
	}
	page.User, page.Query = users[at], searchWords(r, "q")
	if !page.User.IsActive() {
		return l.member.back(w, r, id, fmt.Sprintf("%s is deactivated already.", db.Isolated(page.User.Name)))
	}
	page.OnlyAdmin = page.User.IsAdmin()
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
	page.Offer(colleagues)
	if page.Had, err = l.store.Belongings(r.Context(), id, db.Now()); err != nil {
		return err
	}
	return l.pages.Draw(w, r, status, fmt.Sprintf("Deactivate %s", db.Isolated(page.User.Name)), func(f part.Frame) templ.Component { return teamview.ShowLeave(f, page) })
}

// chosen parses the form.
func chosen(r *http.Request) teamview.LeavePage {
	return teamview.LeavePage{HandTo: site.ParseID(r.FormValue("hand_to")), Private: r.FormValue("private"), EndLinks: r.FormValue("links") == "off"}
}

// Deactivate deactivates the account, and hands over what the user owns.
func (l *Leaving) Deactivate(w http.ResponseWriter, r *http.Request) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	page := chosen(r)
	refuse := func(status int, field, sentence string) error {
		page.Errors = part.Errors{field: sentence}
		return l.page(w, r, status, id, page)
	}
	if to := r.PostFormValue("hand_to"); to != "" && page.HandTo == 0 {
		return refuse(http.StatusUnprocessableEntity, "hand_to", "Please choose one of these.")
	}
	if page.Private != "" && page.Private != "hand" && page.Private != "bin" {
		return refuse(http.StatusUnprocessableEntity, "private", "Please choose one of these.")
	}
	_, err = l.store.Leave(r.Context(), team.Leaving{
		UserID: id, HandTo: page.HandTo, Bin: page.Private == "bin", EndLinks: page.EndLinks, At: db.Now(),
		Reseal: func(sealed []byte) ([]byte, error) {
			token, err := l.vault.OpenToken(id, sealed)
			return l.vault.SealToken(page.HandTo, token), err
		},
	})
	switch {
	case errors.Is(err, team.ErrNoHeir) && page.HandTo != 0:
		return refuse(http.StatusUnprocessableEntity, "hand_to", "Nothing can be handed to this person. Please choose somebody who is active and makes videos.")
	case errors.Is(err, team.ErrNoHeir):
		return refuse(http.StatusUnprocessableEntity, "private", "Nobody would see the private videos any more. Please choose a colleague above, or the bin.")
	case errors.Is(err, team.ErrUnfinished):
		return refuse(http.StatusUnprocessableEntity, "hand_to", "Some private videos are still being made, or wait for a decision. Please choose a colleague who gets them, or wait until they are over.")
	case errors.Is(err, team.ErrLastAdmin):
		return refuse(http.StatusConflict, "", "This is the only admin. Make somebody else an admin first.")
	case errors.Is(err, db.ErrConflict):
		return l.member.back(w, r, id, "The account is deactivated already.")
	case err != nil:
		return err
	}
	l.log.Info("an account was deactivated", "user", id, "by", site.Me(r).ID)
	if id == site.Me(r).ID {
		return l.pages.SeeOther(w, r, "/login", site.Closed)
	}
	return l.member.back(w, r, id, "The account is deactivated.")
}
