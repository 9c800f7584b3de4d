package account

import (
	"errors"
	"log/slog"
	"net/http"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/web"
)

// Key saves, tests and deletes a user's API key for the video service.
type Key struct {
	keyring  *site.Keys
	keys     *people.Keys
	settings *Settings
	tries    *site.Tries
	wake     func()
}

// Save stores the user's API key, encrypted. It asks the service first and does not
// store a key that is refused.
func (k *Key) Save(w http.ResponseWriter, r *http.Request) error {
	if allowed, err := k.keys.OwnKeysAllowed(r.Context()); err != nil {
		return err
	} else if !allowed {
		return k.settings.back(w, r, accountview.OwnKeyForbidden, "key")
	}
	key := site.CleanKey(r.PostFormValue("key"))
	refuse := func(status int, sentence string) error {
		page := accountview.SettingsPage{Name: site.Me(r).Name, Errors: input.Errors{"key": sentence}}
		return k.settings.draw(w, r, status, page)
	}
	if sentence := site.KeySentence(key); sentence != "" {
		return refuse(http.StatusUnprocessableEntity, sentence)
	}
	if _, wait, err := k.tries.Take(r.Context(), site.AskingService(site.Me(r).ID)); err != nil {
		return err
	} else if wait > 0 {
		return refuse(http.StatusTooManyRequests, site.TooMany(w, wait))
	}
	service := k.keyring.Service()
	found := k.keyring.Test(r.Context(), service, key)
	if found == site.KeyRefused {
		return refuse(http.StatusUnprocessableEntity, site.KeyUnusable)
	}
	if err := k.keyring.Put(r.Context(), site.Me(r).ID, service, key, found == site.KeyAccepted); err != nil {
		return err
	}
	k.wake() // tasks that waited for a key can be sent now
	return k.settings.back(w, r, found.Saved(), "key")
}

// Test asks the service whether it accepts the key.
func (k *Key) Test(w http.ResponseWriter, r *http.Request) error {
	kept, key, err := k.keyring.OpenOwn(r)
	if errors.Is(err, db.ErrNotFound) {
		return k.settings.back(w, r, noKeyToTest, "key")
	}
	if err != nil {
		return err
	}
	if _, wait, err := k.tries.Take(r.Context(), site.AskingService(site.Me(r).ID)); err != nil {
		return err
	} else if wait > 0 {
		return k.settings.back(w, r, keyTestsOver, "key")
	}
	found := k.keyring.Test(r.Context(), kept.ServiceID, key)
	if found.Settled() {
		err := k.keys.SetKeyChecked(r.Context(), kept.UserID, kept.Sealed, db.Now(), found == site.KeyAccepted)
		if err != nil && !errors.Is(err, db.ErrConflict) { // ErrConflict: the key was replaced meanwhile, so the result is of no use
			return err
		}
	}
	return k.settings.back(w, r, found.Told(), "key")
}

// Delete deletes the user's API key.
func (k *Key) Delete(w http.ResponseWriter, r *http.Request) error {
	if err := k.keys.DeleteKey(r.Context(), site.Me(r).ID); err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	return k.settings.back(w, r, keyDeleted, "key")
}

// Sandbox gives users keys and credits of the embedded sandbox service.
type Sandbox struct {
	keys     *site.SandboxKeys
	log      *slog.Logger
	settings *Settings
	wake     func()
}

// AddKey creates another key for the viewer's sandbox account, or a new account with
// its first key, and makes it the key in use.
func (b *Sandbox) AddKey(w http.ResponseWriter, r *http.Request) error {
	console, used := b.keys.Desk.Console(), b.keys.Keyring.Service()
	if console == nil {
		return web.NotFound()
	}
	if allowed, err := b.keys.Keys.OwnKeysAllowed(r.Context()); err != nil {
		return err
	} else if !allowed {
		return b.settings.back(w, r, accountview.OwnKeyForbidden, "key")
	}
	u := site.Me(r)
	_, old, err := b.keys.Keyring.OpenOwn(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	key, err := console.AddKey(r.Context(), old, u.Name)
	if err != nil {
		key, err = console.NewKey(r.Context(), u.Name, site.SandboxCredits)
	}
	if err != nil {
		return err
	}
	if err := b.keys.Keyring.Put(r.Context(), u.ID, used, key, true); err != nil {
		return err
	}
	b.wake()
	return b.settings.back(w, r, practiceKey, "key")
}

// AddCredits adds credits to the viewer's sandbox account.
func (b *Sandbox) AddCredits(w http.ResponseWriter, r *http.Request) error {
	console := b.keys.Desk.Console()
	if console == nil {
		return web.NotFound()
	}
	_, key, err := b.keys.Keyring.Open(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err == nil {
		err = console.TopUp(r.Context(), key, site.SandboxCredits)
	}
	if err != nil {
		b.log.Info("no credits added", "err", err)
		return b.settings.back(w, r, practiceNoKey, "key")
	}
	return b.settings.back(w, r, practiceMore, "key")
}
