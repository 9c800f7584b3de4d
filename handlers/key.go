package handlers

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

// saveKey keeps the person's API key, sealed.
func (a *App) saveKey(w http.ResponseWriter, r *http.Request) error {
	key := strings.TrimSpace(r.PostFormValue("key"))
	if sentence := keySentence(key); sentence != "" {
		page := accountview.SettingsPage{Name: site.Me(r).Name, Errors: part.Errors{"key": sentence}}
		return a.settingsPage(w, r, http.StatusUnprocessableEntity, page)
	}
	if err := a.Keys.Put(r.Context(), site.Me(r).ID, key, false); err != nil {
		return err
	}
	a.Wake() // what waited for a key can go on
	return a.backToSettings(w, r, "Your key is saved. Test it to see whether the service accepts it.", "key")
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

// testKey asks the service whether it accepts the key.
func (a *App) testKey(w http.ResponseWriter, r *http.Request) error {
	k, key, err := a.Keys.Open(r)
	if errors.Is(err, db.ErrNotFound) {
		return a.backToSettings(w, r, "There is no key to test yet.", "key")
	}
	if err != nil {
		return err
	}
	said, refused := "The service accepts this key.", false
	if err := a.Service.CheckKey(r.Context(), key); err != nil {
		var e *videoapi.Error
		refused = errors.As(err, &e) && e.Kind == videoapi.KeyRefused
		if refused {
			said = "The service does not accept this key."
		} else {
			a.Log.Warn("a key could not be tested", "err", err)
			return a.backToSettings(w, r, "The service could not be asked just now. Please try again in a moment.", "key")
		}
	}
	err = a.Store.SetKeyChecked(r.Context(), k.UserID, k.Sealed, db.Now(), !refused)
	if err != nil && !errors.Is(err, db.ErrConflict) { // replaced meanwhile: nothing to note of the old one
		return err
	}
	return a.backToSettings(w, r, said, "key")
}

func (a *App) deleteKey(w http.ResponseWriter, r *http.Request) error {
	if err := a.Store.DeleteKey(r.Context(), site.Me(r).ID); err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	return a.backToSettings(w, r, "Your key is deleted here. At the service it still exists. Videos that are under way are still followed with it to their end.", "key")
}

// fillKey fills in what the page shows of the key, and of the sandbox behind it.
func (a *App) fillKey(r *http.Request, page *accountview.SettingsPage) error {
	k, key, err := a.Keys.Open(r)
	if errors.Is(err, db.ErrNotFound) {
		if k.Sealed != nil {
			page.KeySaid = "Your saved key can no longer be opened, because this Dailies was restored from a backup or has a new secret. Please paste your key once more."
		}
		if a.Sandbox != nil {
			page.Sandbox = &accountview.SandboxAccount{}
		}
		return nil
	}
	if err != nil {
		return err
	}
	page.Key = &k
	if a.Sandbox != nil {
		page.Sandbox = a.sandboxAccount(r.Context(), key)
	}
	return nil
}
