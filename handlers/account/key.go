package account

import (
	"errors"
	"net/http"
	"strings"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Key keeps and tests a person's API key.
type Key struct {
	site     *site.Site
	settings *Settings
	service  *videoapi.Client
}

// Save keeps the person's API key, sealed.
func (k *Key) Save(w http.ResponseWriter, r *http.Request) error {
	key := strings.TrimSpace(r.PostFormValue("key"))
	if sentence := keySentence(key); sentence != "" {
		page := accountview.SettingsPage{Name: site.Me(r).Name, Errors: part.Errors{"key": sentence}}
		return k.settings.page(w, r, http.StatusUnprocessableEntity, page)
	}
	if err := k.site.Keys.Put(r.Context(), site.Me(r).ID, key, false); err != nil {
		return err
	}
	k.site.Wake() // what waited for a key can go on
	return k.settings.back(w, r, "Your key is saved. Test it to see whether the service accepts it.", "key")
}

// keySentence says why a key cannot be used, empty if it can. The service does
// not document the form of keys, so only what no header can carry is refused.
func keySentence(key string) string {
	switch {
	case key == "":
		return "Please paste your API key."
	case len(key) > 500:
		return "This is too long for an API key."
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "An API key has no spaces or special letters. Please copy it once more."
	}
	return ""
}

// Test asks the service whether it accepts the key.
func (k *Key) Test(w http.ResponseWriter, r *http.Request) error {
	kept, key, err := k.site.Keys.Open(r)
	if errors.Is(err, db.ErrNotFound) {
		return k.settings.back(w, r, "There is no key to test yet.", "key")
	}
	if err != nil {
		return err
	}
	said, refused := "The service accepts this key.", false
	if err := k.service.CheckKey(r.Context(), key); err != nil {
		var e *videoapi.Error
		refused = errors.As(err, &e) && e.Kind == videoapi.KeyRefused
		if refused {
			said = "The service does not accept this key."
		} else {
			k.site.Log.Warn("a key could not be tested", "err", err)
			return k.settings.back(w, r, "The service could not be asked just now. Please try again in a moment.", "key")
		}
	}
	err = k.site.Store.SetKeyChecked(r.Context(), kept.UserID, kept.Sealed, db.Now(), !refused)
	if err != nil && !errors.Is(err, db.ErrConflict) { // replaced meanwhile: nothing to note of the old one
		return err
	}
	return k.settings.back(w, r, said, "key")
}

// Delete forgets the person's API key.
func (k *Key) Delete(w http.ResponseWriter, r *http.Request) error {
	if err := k.site.Store.DeleteKey(r.Context(), site.Me(r).ID); err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	return k.settings.back(w, r, "Your key is deleted here. At the service it still exists. Videos that are under way are still followed with it to their end.", "key")
}
