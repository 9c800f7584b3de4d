package team

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/db/team"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
	"dailies/web"
	"dailies/web/videoapi"
)

// Keys manages the team's keys for the video service, and assigns them to users.
type Keys struct {
	accounts  *people.Accounts
	calls     *video.Calls
	keyring   *site.Keys
	keysStore *people.Keys
	log       *slog.Logger
	now       func() time.Time
	pages     *site.Pages
	sandbox   site.Sandbox
	vault     *db.Vault
	wake      func()
	service   *videoapi.Client
}

// keysPage is the path of the page with the team's keys.
const keysPage = "/team/keys"

func keyPage(id int64) string { return keysPage + "/" + strconv.FormatInt(id, 10) }

// Add adds a key. It asks the service first and does not store a key that is refused.
func (k *Keys) Add(w http.ResponseWriter, r *http.Request) error {
	name, text := keyName(r), strings.TrimSpace(r.PostFormValue("key"))
	page := teamview.KeysPage{Name: name, Standard: r.PostFormValue("standard") != "", Errors: part.Errors{}}
	refuse := func(field, sentence string) error {
		page.Errors[field] = sentence
		return k.page(w, r, http.StatusUnprocessableEntity, page)
	}
	if sentence := nameSentence(name); sentence != "" {
		return refuse("name", sentence)
	}
	kept, sentence, err := k.tested(r, name, text)
	if err != nil {
		return err
	}
	if sentence != "" {
		return refuse("key", sentence)
	}
	added := team.Key{Key: kept.Key, Name: name, Standard: page.Standard}
	err = k.keysStore.AddTeamKey(r.Context(), &added, func(o db.KeyOwner) []byte { return k.vault.SealFor(o, kept.text) })
	switch {
	case errors.Is(err, db.ErrConflict):
		return refuse("name", nameTaken)
	case errors.Is(err, db.ErrFull):
		return refuse("name", "The team has as many keys as it may. Please delete one that nobody uses first.")
	case err != nil:
		return err
	}
	k.wake() // tasks that waited for a key can be sent now
	return k.pages.SeeOther(w, r, keysPage, format.Sentences("The key is added.", kept.untested()))
}

// Replace replaces a key's secret. The key keeps its name.
func (k *Keys) Replace(w http.ResponseWriter, r *http.Request) error {
	old, err := k.key(r)
	if err != nil {
		return err
	}
	kept, sentence, err := k.tested(r, old.Name, strings.TrimSpace(r.PostFormValue("key")))
	if err != nil {
		return err
	}
	if sentence != "" {
		return k.one(w, r, http.StatusUnprocessableEntity, teamview.KeyPage{Errors: part.Errors{"key": sentence}})
	}
	kept.TeamKeyID = old.TeamKeyID
	kept.Sealed = k.vault.SealFor(kept.Owner(), kept.text)
	err = k.keysStore.ReplaceTeamKey(r.Context(), kept.Key, r.PostFormValue("anyway") != "")
	if errors.Is(err, db.ErrConflict) {
		return k.one(w, r, http.StatusUnprocessableEntity, teamview.KeyPage{Errors: part.Errors{
			"anyway": "Videos are under way with this key, so nothing was changed. Wait until they have ended, or tick this and paste the new key once more.",
		}})
	}
	if err != nil {
		return err
	}
	k.wake()
	return k.pages.SeeOther(w, r, keyPage(old.TeamKeyID), format.Sentences("The key is replaced. New videos are made with it.", kept.untested()))
}

// Rename changes a key's name.
func (k *Keys) Rename(w http.ResponseWriter, r *http.Request) error {
	old, err := k.key(r)
	if err != nil {
		return err
	}
	name := keyName(r)
	sentence := nameSentence(name)
	if sentence == "" {
		err = k.keysStore.RenameTeamKey(r.Context(), old.TeamKeyID, name)
		if errors.Is(err, db.ErrConflict) {
			sentence, err = nameTaken, nil
		}
	}
	if err != nil {
		return err
	}
	if sentence != "" {
		return k.one(w, r, http.StatusUnprocessableEntity, teamview.KeyPage{Name: name, Errors: part.Errors{"name": sentence}})
	}
	return k.pages.SeeOther(w, r, keyPage(old.TeamKeyID), "The name is saved.")
}

// Delete deletes a key. While videos are under way with it, the form has to confirm
// that.
func (k *Keys) Delete(w http.ResponseWriter, r *http.Request) error {
	old, err := k.key(r)
	if err != nil {
		return err
	}
	err = k.keysStore.DeleteTeamKey(r.Context(), old.TeamKeyID, db.Now(), r.PostFormValue("sure") != "")
	if errors.Is(err, db.ErrConflict) {
		return k.one(w, r, http.StatusUnprocessableEntity, teamview.KeyPage{Errors: part.Errors{
			"sure": "Videos are under way with this key, so it was not deleted. Wait until they have ended, or tick this.",
		}})
	}
	if err != nil {
		return err
	}
	return k.pages.SeeOther(w, r, keysPage, fmt.Sprintf("The key “%s” is deleted here. At the service it still exists.", db.Isolated(old.Name)))
}

// Test asks the service whether it accepts a key.
func (k *Keys) Test(w http.ResponseWriter, r *http.Request) error {
	kept, err := k.key(r)
	if err != nil {
		return err
	}
	text, err := k.vault.OpenKey(kept.Key)
	if errors.Is(err, db.ErrNotFound) {
		return k.pages.SeeOther(w, r, keyPage(kept.TeamKeyID), "This key can no longer be opened. Please replace it.")
	}
	if err != nil {
		return err
	}
	found := k.keyring.Test(r.Context(), k.service, text)
	if found.Settled() {
		err = k.keysStore.SetTeamKeyChecked(r.Context(), kept.TeamKeyID, kept.Sealed, db.Now(), found == site.KeyAccepted)
		if err != nil && !errors.Is(err, db.ErrConflict) { // ErrConflict: the key was replaced meanwhile, so the result is of no use
			return err
		}
	}
	return k.pages.SeeOther(w, r, keysPage, fmt.Sprintf("“%s”: %s", db.Isolated(kept.Name), found.Told()))
}

// Standardise makes a key the standard one, which everybody without another key uses; 0
// means that there is no standard key.
func (k *Keys) Standardise(w http.ResponseWriter, r *http.Request) error {
	id := site.ParseID(r.PostFormValue("key"))
	if id == 0 && r.PostFormValue("key") != "0" {
		return web.NotFound()
	}
	if err := k.keysStore.SetStandardKey(r.Context(), id); err != nil {
		return err
	}
	k.wake()
	said := "Everybody who has no other key uses this one from now on."
	if id == 0 {
		said = "No key is the standard one any more."
	}
	return k.pages.SeeOther(w, r, keysPage, said)
}

// Assign assigns a key to a user; 0 means the standard key.
func (k *Keys) Assign(w http.ResponseWriter, r *http.Request) error {
	person, id := site.ParseID(r.PostFormValue("person")), site.ParseID(r.PostFormValue("key"))
	if person == 0 || id == 0 && r.PostFormValue("key") != "0" {
		return web.NotFound()
	}
	if err := k.keysStore.AssignKey(r.Context(), person, id); err != nil {
		return err
	}
	k.wake()
	u, err := k.accounts.User(r.Context(), person)
	if err != nil {
		return err
	}
	return k.pages.SeeOther(w, r, teamview.PeoplePath(searchWords(r, "q")), fmt.Sprintf("The key of %s is saved.", db.Isolated(u.Name)))
}

// SaveRule changes whether users may have keys of their own.
func (k *Keys) SaveRule(w http.ResponseWriter, r *http.Request) error {
	said := map[string]string{
		"allowed":             "People may use keys of their own.",
		team.OwnKeysForbidden: "Everybody uses the keys of the team from now on.",
	}
	rule := r.PostFormValue("own")
	if said[rule] == "" {
		return k.page(w, r, http.StatusUnprocessableEntity, teamview.KeysPage{Errors: part.Errors{"own": "Please choose one of these."}})
	}
	if err := k.keysStore.AllowOwnKeys(r.Context(), rule != team.OwnKeysForbidden); err != nil {
		return err
	}
	k.wake()
	return k.pages.SeeOther(w, r, keysPage, said[rule])
}

// Free frees a key that a create call blocks, so that the next video is sent with it.
func (k *Keys) Free(w http.ResponseWriter, r *http.Request) error {
	id := site.ParseID(r.PostFormValue("task"))
	if id == 0 {
		return web.NotFound()
	}
	call, err := k.calls.FreeKey(r.Context(), id)
	said := "The key is free. The interrupted video is marked: its maker is asked what to do."
	switch {
	case errors.Is(err, db.ErrNotFound):
		said = "The key is free already."
	case errors.Is(err, db.ErrConflict):
		said = "Nothing was changed: the video is being sent right now, and the key is free as soon as that is done."
	case err != nil:
		return err
	case !call.Stopped():
		said = "The key is free. The answer about the other video is still awaited."
	}
	if err == nil {
		k.log.Warn("an admin has freed a key", "user", site.Me(r).ID, "key", part.KeyOfCall(call), "task", id)
		k.wake()
	}
	return k.pages.BackTo(w, r, keysPage, said)
}

// key returns the key that the path names.
func (k *Keys) key(r *http.Request) (team.Key, error) {
	id, err := site.ID(r)
	if err != nil {
		return team.Key{}, err
	}
	return k.keysStore.TeamKey(r.Context(), id)
}
