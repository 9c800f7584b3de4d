package team

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"dailies/db/team"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
)

// Show shows the page of the team's keys.
func (k *Keys) Show(w http.ResponseWriter, r *http.Request) error {
	return k.pages.all(w, r, http.StatusOK, teamview.KeysPage{})
}

// ShowOne shows the page of one key.
func (k *Keys) ShowOne(w http.ResponseWriter, r *http.Request) error {
	return k.pages.one(w, r, http.StatusOK, teamview.KeyPage{})
}

// all fills in the rest of the page of all keys and renders it.
func (k *keyPages) all(w http.ResponseWriter, r *http.Request, status int, page teamview.KeysPage) error {
	keys, err := k.present(r)
	if err != nil {
		return err
	}
	page.Keys, page.Sandbox = keys, k.desk.IsPractice()
	if page.Blocking, err = k.blocking(r.Context()); err != nil {
		return err
	}
	if page.OwnAllowed, err = k.keys.OwnKeysAllowed(r.Context()); err != nil {
		return err
	}
	if page.Own == nil {
		page.Own = teamview.NewOwnKeys(page.OwnAllowed)
	}
	if page.New.Name == nil {
		page.New = teamview.NewNewKeyForm(k.desk.IsPractice())
	}
	if page.Owning, page.Without, err = k.keys.CountKeyUsers(r.Context()); err != nil {
		return err
	}
	if err := k.fillPeople(r, &page); err != nil {
		return err
	}
	return k.pages.Draw(w, r, status, "Team keys", func(f part.Frame) templ.Component { return teamview.ShowKeys(f, page) })
}

// fillPeople fills in the people who are listed. Only of these it reads the keys.
func (k *keyPages) fillPeople(r *http.Request, page *teamview.KeysPage) error {
	users, err := k.accounts.ActiveNames(r.Context())
	if err != nil {
		return err
	}
	page.Search = SearchWords(r, "q")
	found := team.FindUsers(users, page.Search)
	page.Found = len(found)
	found = found[:min(len(found), team.MembersShown)]
	ids := make([]int64, len(found))
	for i, u := range found {
		ids[i] = u.ID
	}
	inUse, err := k.keys.KeysInUse(r.Context(), ids)
	for _, u := range found {
		page.People = append(page.People, teamview.KeyUser{User: u, Key: inUse[u.ID]})
	}
	return err
}

// one fills in the rest of the page of one key and renders it.
func (k *keyPages) one(w http.ResponseWriter, r *http.Request, status int, page teamview.KeyPage) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	keys, err := k.present(r)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(keys, func(k team.Key) bool { return k.TeamKeyID == id })
	if at < 0 {
		_, err := k.keys.TeamKey(r.Context(), id) // if the key was deleted, or never existed, this is an error
		return err
	}
	page.Key, page.Sandbox = keys[at], k.desk.IsPractice()
	if page.Name == nil {
		page.Name = teamview.NewKeyName(page.Key.Name, "")
	}
	if page.Secret == nil {
		page.Secret = teamview.OtherSecret(k.desk.IsPractice())
	}
	return k.pages.Draw(w, r, status, page.Key.Name, func(f part.Frame) templ.Component { return teamview.ShowKey(f, page) })
}

// present returns the team's keys for the service that it uses, without deleted ones.
func (k *keyPages) present(r *http.Request) ([]team.Key, error) {
	keys, err := k.keys.TeamKeys(r.Context())
	service := k.desk.Current().ID
	return slices.DeleteFunc(keys, func(k team.Key) bool { return !k.DeletedAt.IsZero() || k.ServiceID != service }), err
}

// SearchWords returns the words that were typed into a field to search for users.
func SearchWords(r *http.Request, field string) string {
	return strings.TrimSpace(site.Clip(site.PlainText(r.FormValue(field)), 260))
}
