package team

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/team"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
)

// Show shows the page of the team's keys.
func (k *Keys) Show(w http.ResponseWriter, r *http.Request) error {
	return k.page(w, r, http.StatusOK, teamview.KeysPage{})
}

// ShowOne shows the page of one key.
func (k *Keys) ShowOne(w http.ResponseWriter, r *http.Request) error {
	return k.one(w, r, http.StatusOK, teamview.KeyPage{})
}

// page fills in the rest of the page of all keys and renders it.
func (k *Keys) page(w http.ResponseWriter, r *http.Request, status int, page teamview.KeysPage) error {
	keys, err := k.keys(r)
	if err != nil {
		return err
	}
	page.Keys, page.Sandbox = keys, k.site.Sandbox != nil
	if page.Blocking, err = k.site.Store.Calls.BlockingCalls(r.Context(), k.site.Store.Now()); err != nil {
		return err
	}
	if page.OwnAllowed, err = k.site.Store.Keys.OwnKeysAllowed(r.Context()); err != nil {
		return err
	}
	users, err := k.site.Store.Accounts.Users(r.Context())
	if err != nil {
		return err
	}
	inUse, err := k.site.Store.Keys.KeysInUse(r.Context())
	if err != nil {
		return err
	}
	page.Search = searchWords(r, "q")
	var active []db.User
	for _, u := range users {
		if !u.IsActive() {
			continue
		}
		used, has := inUse[u.ID]
		if has && used.TeamKeyID == 0 {
			page.Owning++
		} else if !has && u.Makes() {
			page.Without++
		}
		active = append(active, u)
	}
	found := team.FindUsers(active, page.Search)
	page.Found = len(found)
	for _, u := range found[:min(len(found), team.MembersShown)] {
		page.People = append(page.People, teamview.KeyUser{User: u, Key: inUse[u.ID]})
	}
	return k.site.Draw(w, r, status, "Keys of the team", func(f part.Frame) templ.Component { return teamview.ShowKeys(f, page) })
}

// one fills in the rest of the page of one key and renders it.
func (k *Keys) one(w http.ResponseWriter, r *http.Request, status int, page teamview.KeyPage) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	keys, err := k.keys(r)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(keys, func(k team.Key) bool { return k.TeamKeyID == id })
	if at < 0 {
		_, err := k.site.Store.Keys.TeamKey(r.Context(), id) // if the key was deleted, or never existed, this is an error
		return err
	}
	page.Key, page.Sandbox = keys[at], k.site.Sandbox != nil
	if page.Errors["name"] == "" {
		page.Name = page.Key.Name
	}
	return k.site.Draw(w, r, status, page.Key.Name, func(f part.Frame) templ.Component { return teamview.ShowKey(f, page) })
}

// keys returns the team's keys, without deleted ones.
func (k *Keys) keys(r *http.Request) ([]team.Key, error) {
	keys, err := k.site.Store.Keys.TeamKeys(r.Context())
	return slices.DeleteFunc(keys, func(k team.Key) bool { return !k.DeletedAt.IsZero() }), err
}

// searchWords returns the words that were typed into a field to search for users.
func searchWords(r *http.Request, field string) string {
	return strings.TrimSpace(site.Clip(site.PlainText(r.FormValue(field)), 260))
}
