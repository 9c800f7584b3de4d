package team

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/db/team"
	"dailies/handlers/service"
	"dailies/handlers/site"
	"dailies/views/input"
	"dailies/views/part"
	teamview "dailies/views/team"
	"dailies/web"
)

// Keys manages the team's keys for the video service.
type Keys struct {
	keys  *people.Keys
	pages *keyPages
	tests *keyTests
	wake  func()
}

// KeyUse assigns the team's keys to users.
type KeyUse struct {
	keys  *people.Keys
	pages *keyPages
	wake  func()
}

// KeyCalls frees keys that an unanswered call blocks.
type KeyCalls struct {
	calls *video.Calls
	log   *slog.Logger
	pages *site.Pages
	wake  func()
}

// keyPages are the pages of the team's keys.
type keyPages struct {
	accounts *people.Accounts
	blocking func(context.Context) ([]schedule.Call, error) // the calls that block keys now
	keys     *people.Keys
	pages    *site.Pages
	desk     *service.Desk
}

// keyTests tests new keys with the service.
type keyTests struct {
	keyring *site.Keys
	desk    *service.Desk
	vault   *secrets.Vault
}

// keysPage is the path of the page with the team's keys.
const keysPage = "/team/keys"

func keyPage(id int64) string { return keysPage + "/" + strconv.FormatInt(id, 10) }

// Add adds a key. It asks the service first and does not store a key that is refused.
func (k *Keys) Add(w http.ResponseWriter, r *http.Request) error {
	form := teamview.NewNewKeyForm(k.tests.desk.IsPractice())
	form.Standard = r.PostFormValue("standard") != ""
	refuse := func(field *input.Text, sentence string) error {
		field.Error = sentence
		return k.pages.all(w, r, http.StatusUnprocessableEntity, teamview.KeysPage{New: form})
	}
	if !site.ReadForm(r, form.Name) {
		return refuse(form.Name, form.Name.Error)
	}
	kept, sentence, err := k.tests.tested(r, form.Name.Value)
	if err != nil {
		return err
	}
	if sentence != "" {
		return refuse(form.Key, sentence)
	}
	added := team.Key{Key: kept.Key, Name: form.Name.Value, Standard: form.Standard}
	err = k.keys.AddTeamKey(r.Context(), &added, func(o secrets.KeyOwner) []byte { return k.tests.vault.SealFor(o, kept.text) })
	switch {
	case errors.Is(err, db.ErrConflict):
		return refuse(form.Name, teamview.KeyNameTaken)
	case errors.Is(err, db.ErrFull):
		return refuse(form.Name, teamview.TooManyKeys)
	case err != nil:
		return err
	}
	k.wake() // tasks that waited for a key can be sent now
	return k.pages.pages.SeeOther(w, r, keysPage, format.Sentences(keyAdded, kept.untested()))
}

// Replace replaces a key's secret. The key keeps its name.
func (k *Keys) Replace(w http.ResponseWriter, r *http.Request) error {
	old, err := k.pages.key(r)
	if err != nil {
		return err
	}
	kept, sentence, err := k.tests.tested(r, old.Name)
	if err != nil {
		return err
	}
	if sentence != "" {
		secret := teamview.OtherSecret(k.tests.desk.IsPractice())
		secret.Error = sentence
		return k.pages.one(w, r, http.StatusUnprocessableEntity, teamview.KeyPage{Secret: secret})
	}
	kept.TeamKeyID = old.TeamKeyID
	kept.Sealed = k.tests.vault.SealFor(kept.Owner(), kept.text)
	err = k.keys.ReplaceTeamKey(r.Context(), kept.Key, r.PostFormValue("anyway") != "")
	if errors.Is(err, db.ErrConflict) {
		return k.pages.one(w, r, http.StatusUnprocessableEntity, teamview.KeyPage{Anyway: teamview.NotReplaced})
	}
	if err != nil {
		return err
	}
	k.wake()
	return k.pages.pages.SeeOther(w, r, keyPage(old.TeamKeyID), format.Sentences(keyReplaced, kept.untested()))
}

// Rename changes a key's name.
func (k *Keys) Rename(w http.ResponseWriter, r *http.Request) error {
	old, err := k.pages.key(r)
	if err != nil {
		return err
	}
	name := teamview.NewKeyName("", "")
	if site.ReadForm(r, name) {
		err = k.keys.RenameTeamKey(r.Context(), old.TeamKeyID, name.Value)
		if errors.Is(err, db.ErrConflict) {
			name.Error, err = teamview.KeyNameTaken, nil
		}
	}
	if err != nil {
		return err
	}
	if name.Error != "" {
		return k.pages.one(w, r, http.StatusUnprocessableEntity, teamview.KeyPage{Name: name})
	}
	return k.pages.pages.SeeOther(w, r, keyPage(old.TeamKeyID), site.Saved)
}

// Delete deletes a key. While videos are under way with it, the form has to confirm
// that.
func (k *Keys) Delete(w http.ResponseWriter, r *http.Request) error {
	old, err := k.pages.key(r)
	if err != nil {
		return err
	}
	err = k.keys.DeleteTeamKey(r.Context(), old.TeamKeyID, db.Now(), r.PostFormValue("sure") != "")
	if errors.Is(err, db.ErrConflict) {
		return k.pages.one(w, r, http.StatusUnprocessableEntity, teamview.KeyPage{Sure: teamview.NotDeleted})
	}
	return k.pages.pages.Done(w, r, err, keysPage, keyDeleted(old.Name))
}

// Test asks the service whether it accepts a key.
func (k *Keys) Test(w http.ResponseWriter, r *http.Request) error {
	kept, err := k.pages.key(r)
	if err != nil {
		return err
	}
	text, err := k.tests.vault.OpenKey(kept.Key)
	if errors.Is(err, db.ErrNotFound) {
		return k.pages.pages.SeeOther(w, r, keyPage(kept.TeamKeyID), keyUnreadable)
	}
	if err != nil {
		return err
	}
	found := k.tests.keyring.Test(r.Context(), kept.ServiceID, text)
	if found.Settled() {
		err = k.keys.SetTeamKeyChecked(r.Context(), kept.TeamKeyID, kept.Sealed, db.Now(), found == site.KeyAccepted)
		if err != nil && !errors.Is(err, db.ErrConflict) { // ErrConflict: the key was replaced meanwhile, so the result is of no use
			return err
		}
	}
	return k.pages.pages.SeeOther(w, r, keysPage, keyTested(kept.Name, found.Told()))
}

// Standardise makes a key the standard one, which everybody without another key uses; 0
// means that there is no standard key.
func (k *KeyUse) Standardise(w http.ResponseWriter, r *http.Request) error {
	id := site.ParseID(r.PostFormValue("key"))
	if id == 0 && r.PostFormValue("key") != "0" {
		return web.NotFound()
	}
	if err := k.keys.SetStandardKey(r.Context(), id); err != nil {
		return err
	}
	k.wake()
	said := keyForEveryone
	if id == 0 {
		said = keyForNobody
	}
	return k.pages.pages.SeeOther(w, r, keysPage, said)
}

// Assign assigns a key to a user; 0 means the standard key.
func (k *KeyUse) Assign(w http.ResponseWriter, r *http.Request) error {
	person, id := site.ParseID(r.PostFormValue("person")), site.ParseID(r.PostFormValue("key"))
	if person == 0 || id == 0 && r.PostFormValue("key") != "0" {
		return web.NotFound()
	}
	if err := k.keys.AssignKey(r.Context(), person, id); err != nil {
		return err
	}
	k.wake()
	u, err := k.pages.accounts.User(r.Context(), person)
	return k.pages.pages.Done(w, r, err, teamview.PeoplePath(site.SearchWords(r, "q")), keyAssigned(u.Name))
}

// SaveRule changes whether users may have keys of their own.
func (k *KeyUse) SaveRule(w http.ResponseWriter, r *http.Request) error {
	own := teamview.NewOwnKeys(true)
	own.Value = ""
	if !site.ReadForm(r, own) {
		return k.pages.all(w, r, http.StatusUnprocessableEntity, teamview.KeysPage{Own: own})
	}
	allowed, said := own.Value == teamview.OwnKeysAllowed, ownKeysAllowed
	if !allowed {
		said = teamKeysOnly
	}
	before := teamview.OwnKeysAllowed
	if was, err := k.keys.OwnKeysAllowed(r.Context()); err != nil {
		return err
	} else if !was {
		before = team.OwnKeysForbidden
	}
	if err := k.keys.AllowOwnKeys(r.Context(), allowed); err != nil {
		return err
	}
	k.wake()
	undo := url.Values{"own": {before}}
	return site.Answer(w, r, k.pages.pages, spendingPath+"#service", site.Change{Said: said, Path: r.URL.Path, Undo: undo})
}

// Free frees a key that a create call blocks, so that the next video is sent with it.
func (k *KeyCalls) Free(w http.ResponseWriter, r *http.Request) error {
	id := site.ParseID(r.PostFormValue("task"))
	if id == 0 {
		return web.NotFound()
	}
	call, err := k.calls.FreeKey(r.Context(), id)
	said := keyFreed
	switch {
	case errors.Is(err, db.ErrNotFound):
		said = keyIsFree
	case errors.Is(err, db.ErrConflict):
		said = keySending
	case err != nil:
		return err
	case !call.Stopped():
		said = keyFreedAlone
	}
	if err == nil {
		k.log.Warn("an admin has freed a key", "user", site.Me(r).ID, "key", part.KeyOfCall(call), "task", id)
		k.wake()
	}
	return k.pages.BackTo(w, r, keysPage, said)
}

// key returns the key that the path names.
func (k *keyPages) key(r *http.Request) (team.Key, error) {
	id, err := site.ID(r)
	if err != nil {
		return team.Key{}, err
	}
	return k.keys.TeamKey(r.Context(), id)
}

// A testedKey is a key that was checked with the service and is to be stored. It is not
// encrypted yet.
type testedKey struct {
	secrets.Key
	text  string
	found site.KeyFinding
}

// untested returns the sentence to add if the service did not say whether the key is
// good, else an empty string.
func (k testedKey) untested() string {
	if k.found.Settled() {
		return ""
	}
	return k.found.Told()
}

// tested returns the key in the form, or a sentence that says why it cannot be used.
// In sandbox mode, an empty text makes a new sandbox key.
func (k *keyTests) tested(r *http.Request, name string) (kept testedKey, sentence string, err error) {
	text := site.CleanKey(r.PostFormValue("key"))
	service := k.keyring.Service()
	if console := k.desk.Console(); text == "" && console != nil {
		if text, err = console.NewKey(r.Context(), name, site.SandboxCredits); err != nil {
			return kept, "", err
		}
	}
	if sentence := site.KeySentence(text); sentence != "" {
		return kept, sentence, nil
	}
	kept = testedKey{secrets.Key{ServiceID: service, LastFour: secrets.LastFour(text), Fingerprint: k.vault.Fingerprint(text), CreatedAt: db.Now()}, text, k.keyring.Test(r.Context(), service, text)}
	switch kept.found {
	case site.KeyRefused:
		return kept, site.KeyUnusable, nil
	case site.KeyAccepted:
		kept.CheckedAt, kept.Accepted = kept.CreatedAt, true
	}
	return kept, "", nil
}

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
	page.Search = site.SearchWords(r, "q")
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
