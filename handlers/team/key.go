package team

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/secrets"
	"dailies/db/team"
	"dailies/handlers/site"
	"dailies/views/input"
	"dailies/views/part"
	teamview "dailies/views/team"
	"dailies/web"
)

// keysPage is the path of the page with the team's keys.
const keysPage = "/team/keys"

func keyPage(id int64) string { return keysPage + "/" + strconv.FormatInt(id, 10) }

// AddKey adds a key. It asks the service first and does not store a key that is refused.
func (t *Team) AddKey(w http.ResponseWriter, r *http.Request) error {
	form := teamview.NewNewKeyForm(t.registry.IsPractice())
	form.Standard = r.PostFormValue("standard") != ""
	refuse := func(field *input.Text, sentence string) error {
		field.Error = sentence
		return t.drawKeys(w, r, http.StatusUnprocessableEntity, teamview.KeysPage{New: form})
	}
	if !site.ReadForm(r, form.Name) {
		return refuse(form.Name, form.Name.Error)
	}
	kept, sentence, err := t.readKey(r, form.Name.Value)
	if err != nil {
		return err
	}
	if sentence != "" {
		return refuse(form.Key, sentence)
	}
	added := team.Key{Key: kept.Key, Name: form.Name.Value, Standard: form.Standard}
	err = t.keys.AddTeamKey(r.Context(), &added, func(o secrets.KeyOwner) []byte { return t.vault.SealFor(o, kept.text) })
	switch {
	case errors.Is(err, db.ErrConflict):
		return refuse(form.Name, teamview.KeyNameTaken)
	case errors.Is(err, db.ErrFull):
		return refuse(form.Name, teamview.TooManyKeys)
	case err != nil:
		return err
	}
	t.wake() // tasks that waited for a key can be sent now
	return t.pages.SeeOther(w, r, keysPage, format.Sentences(keyAdded, kept.untested()))
}

// ReplaceKey replaces a key's secret. The key keeps its name.
func (t *Team) ReplaceKey(w http.ResponseWriter, r *http.Request) error {
	old, err := t.keyOfPath(r)
	if err != nil {
		return err
	}
	kept, sentence, err := t.readKey(r, old.Name)
	if err != nil {
		return err
	}
	if sentence != "" {
		secret := teamview.OtherSecret(t.registry.IsPractice())
		secret.Error = sentence
		return t.drawKey(w, r, http.StatusUnprocessableEntity, teamview.KeyPage{Secret: secret})
	}
	kept.TeamKeyID = old.TeamKeyID
	kept.Sealed = t.vault.SealFor(kept.Owner(), kept.text)
	err = t.keys.ReplaceTeamKey(r.Context(), kept.Key, r.PostFormValue("anyway") != "")
	if errors.Is(err, db.ErrConflict) {
		return t.drawKey(w, r, http.StatusUnprocessableEntity, teamview.KeyPage{Anyway: teamview.NotReplaced})
	}
	if err != nil {
		return err
	}
	t.wake()
	return t.pages.SeeOther(w, r, keyPage(old.TeamKeyID), format.Sentences(keyReplaced, kept.untested()))
}

// RenameKey changes a key's name.
func (t *Team) RenameKey(w http.ResponseWriter, r *http.Request) error {
	old, err := t.keyOfPath(r)
	if err != nil {
		return err
	}
	name := teamview.NewKeyName("", "")
	if site.ReadForm(r, name) {
		err = t.keys.RenameTeamKey(r.Context(), old.TeamKeyID, name.Value)
		if errors.Is(err, db.ErrConflict) {
			name.Error, err = teamview.KeyNameTaken, nil
		}
	}
	if err != nil {
		return err
	}
	if name.Error != "" {
		return t.drawKey(w, r, http.StatusUnprocessableEntity, teamview.KeyPage{Name: name})
	}
	return t.pages.SeeOther(w, r, keyPage(old.TeamKeyID), site.Saved)
}

// DeleteKey deletes a key. While videos are under way with it, the form has to confirm
// that.
func (t *Team) DeleteKey(w http.ResponseWriter, r *http.Request) error {
	old, err := t.keyOfPath(r)
	if err != nil {
		return err
	}
	err = t.keys.DeleteTeamKey(r.Context(), old.TeamKeyID, db.Now(), r.PostFormValue("sure") != "")
	if errors.Is(err, db.ErrConflict) {
		return t.drawKey(w, r, http.StatusUnprocessableEntity, teamview.KeyPage{Sure: teamview.NotDeleted})
	}
	return t.pages.Done(w, r, err, keysPage, keyDeleted(old.Name))
}

// TestKey asks the service whether it accepts a key.
func (t *Team) TestKey(w http.ResponseWriter, r *http.Request) error {
	kept, err := t.keyOfPath(r)
	if err != nil {
		return err
	}
	text, err := t.vault.OpenKey(kept.Key)
	if errors.Is(err, db.ErrNotFound) {
		return t.pages.SeeOther(w, r, keyPage(kept.TeamKeyID), keyUnreadable)
	}
	if err != nil {
		return err
	}
	found := t.keyring.Test(r.Context(), kept.ServiceID, text)
	if found.IsConclusive() {
		err = t.keys.SetTeamKeyChecked(r.Context(), kept.TeamKeyID, kept.Sealed, db.Now(), found == site.KeyAccepted)
		if err != nil && !errors.Is(err, db.ErrConflict) { // ErrConflict: the key was replaced meanwhile, so the result is of no use
			return err
		}
	}
	return t.pages.SeeOther(w, r, keysPage, keyTested(kept.Name, found.TestSentence()))
}

// SetStandardKey makes a key the standard one, which everybody without another key uses; 0
// means that there is no standard key.
func (t *Team) SetStandardKey(w http.ResponseWriter, r *http.Request) error {
	id := site.ParseID(r.PostFormValue("key"))
	if id == 0 && r.PostFormValue("key") != "0" {
		return web.NotFound()
	}
	if err := t.keys.SetStandardKey(r.Context(), id); err != nil {
		return err
	}
	t.wake()
	said := keyForEveryone
	if id == 0 {
		said = keyForNobody
	}
	return t.pages.SeeOther(w, r, keysPage, said)
}

// AssignKey assigns a key to a user; 0 means the standard key.
func (t *Team) AssignKey(w http.ResponseWriter, r *http.Request) error {
	person, id := site.ParseID(r.PostFormValue("person")), site.ParseID(r.PostFormValue("key"))
	if person == 0 || id == 0 && r.PostFormValue("key") != "0" {
		return web.NotFound()
	}
	if err := t.keys.AssignKey(r.Context(), person, id); err != nil {
		return err
	}
	t.wake()
	u, err := t.accounts.User(r.Context(), person)
	return t.pages.Done(w, r, err, teamview.PeoplePath(site.SearchWords(r, "q")), keyAssigned(u.Name))
}

// SaveKeyRule changes whether users may have keys of their own.
func (t *Team) SaveKeyRule(w http.ResponseWriter, r *http.Request) error {
	own := teamview.NewOwnKeys(true)
	own.Value = ""
	if !site.ReadForm(r, own) {
		return t.drawKeys(w, r, http.StatusUnprocessableEntity, teamview.KeysPage{Own: own})
	}
	allowed, said := own.Value == teamview.OwnKeysAllowed, ownKeysAllowed
	if !allowed {
		said = teamKeysOnly
	}
	before := teamview.OwnKeysAllowed
	if was, err := t.keys.OwnKeysAllowed(r.Context()); err != nil {
		return err
	} else if !was {
		before = team.OwnKeysForbidden
	}
	if err := t.keys.AllowOwnKeys(r.Context(), allowed); err != nil {
		return err
	}
	t.wake()
	undo := url.Values{"own": {before}}
	return site.Answer(w, r, t.pages, spendingPath+"#service", site.Change{Said: said, Path: r.URL.Path, Undo: undo})
}

// FreeKey frees a key that a create call blocks, so that the next video is sent with it.
func (t *Team) FreeKey(w http.ResponseWriter, r *http.Request) error {
	id := site.ParseID(r.PostFormValue("task"))
	if id == 0 {
		return web.NotFound()
	}
	call, err := t.calls.FreeKey(r.Context(), id)
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
		t.log.Warn("an admin has freed a key", "user", site.Me(r).ID, "key", part.KeyOfCall(call), "task", id)
		t.wake()
	}
	return t.pages.BackTo(w, r, keysPage, said)
}

// keyOfPath returns the key that the path names.
func (t *Team) keyOfPath(r *http.Request) (team.Key, error) {
	id, err := site.ID(r)
	if err != nil {
		return team.Key{}, err
	}
	return t.keys.TeamKey(r.Context(), id)
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
	if k.found.IsConclusive() {
		return ""
	}
	return k.found.TestSentence()
}

// readKey returns the key in the form, or a sentence that says why it cannot be used.
// In sandbox mode, an empty text makes a new sandbox key.
func (t *Team) readKey(r *http.Request, name string) (kept testedKey, sentence string, err error) {
	text := site.CleanKey(r.PostFormValue("key"))
	service := t.keyring.Service()
	if console := t.registry.Console(); text == "" && console != nil {
		if text, err = console.NewKey(r.Context(), name, site.SandboxCredits); err != nil {
			return kept, "", err
		}
	}
	if sentence := site.KeySentence(text); sentence != "" {
		return kept, sentence, nil
	}
	kept = testedKey{text: text, Key: secrets.Key{
		ServiceID: service, LastFour: secrets.LastFour(text), Fingerprint: t.vault.Fingerprint(text), CreatedAt: db.Now(),
	}}
	switch kept.found = t.keyring.Test(r.Context(), service, text); kept.found {
	case site.KeyRefused:
		return kept, site.KeyUnusable, nil
	case site.KeyAccepted:
		kept.CheckedAt, kept.Accepted = kept.CreatedAt, true
	}
	return kept, "", nil
}

// ShowKeys shows the page of the team's keys.
func (t *Team) ShowKeys(w http.ResponseWriter, r *http.Request) error {
	return t.drawKeys(w, r, http.StatusOK, teamview.KeysPage{})
}

// ShowKey shows the page of one key.
func (t *Team) ShowKey(w http.ResponseWriter, r *http.Request) error {
	return t.drawKey(w, r, http.StatusOK, teamview.KeyPage{})
}

// drawKeys fills in the rest of the page of all keys and renders it.
func (t *Team) drawKeys(w http.ResponseWriter, r *http.Request, status int, page teamview.KeysPage) error {
	keys, err := t.presentKeys(r)
	if err != nil {
		return err
	}
	page.Keys = keys
	if page.Blocking, err = t.calls.BlockingCalls(r.Context(), t.now()); err != nil {
		return err
	}
	if page.OwnAllowed, err = t.keys.OwnKeysAllowed(r.Context()); err != nil {
		return err
	}
	if page.Own == nil {
		page.Own = teamview.NewOwnKeys(page.OwnAllowed)
	}
	if page.New.Name == nil {
		page.New = teamview.NewNewKeyForm(t.registry.IsPractice())
	}
	if page.Owning, page.Without, err = t.keys.CountKeyUsers(r.Context()); err != nil {
		return err
	}
	if err := t.fillKeyUsers(r, &page); err != nil {
		return err
	}
	return t.pages.Draw(w, r, status, "Team keys", teamview.ShowKeys(page))
}

// fillKeyUsers fills in the people who are listed. Only of these it reads the keys.
func (t *Team) fillKeyUsers(r *http.Request, page *teamview.KeysPage) error {
	users, err := t.accounts.ActiveNames(r.Context())
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
	inUse, err := t.keys.KeysInUse(r.Context(), ids)
	for _, u := range found {
		page.People = append(page.People, teamview.KeyUser{User: u, Key: inUse[u.ID]})
	}
	return err
}

// drawKey fills in the rest of the page of one key and renders it.
func (t *Team) drawKey(w http.ResponseWriter, r *http.Request, status int, page teamview.KeyPage) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	keys, err := t.presentKeys(r)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(keys, func(k team.Key) bool { return k.TeamKeyID == id })
	if at < 0 {
		_, err := t.keys.TeamKey(r.Context(), id) // if the key was deleted, or never existed, this is an error
		return err
	}
	page.Key = keys[at]
	if page.Name == nil {
		page.Name = teamview.NewKeyName(page.Key.Name, "")
	}
	if page.Secret == nil {
		page.Secret = teamview.OtherSecret(t.registry.IsPractice())
	}
	return t.pages.Draw(w, r, status, page.Key.Name, teamview.ShowKey(page))
}

// presentKeys returns the team's keys for the service that it uses, without deleted ones.
func (t *Team) presentKeys(r *http.Request) ([]team.Key, error) {
	keys, err := t.keys.TeamKeys(r.Context())
	service := t.registry.Current().ID
	return slices.DeleteFunc(keys, func(k team.Key) bool { return !k.DeletedAt.IsZero() || k.ServiceID != service }), err
}
