package account

import (
	"errors"
	"log/slog"
	"net/http"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/handlers/site"
	"dailies/web"
)

// Sandbox gives users keys and credits of the embedded sandbox service.
type Sandbox struct {
	keyring  *site.Keys
	keys     *people.Keys
	log      *slog.Logger
	sandbox  site.Sandbox
	wake     func()
	settings *Settings
}

// AddKey creates another key for the viewer's sandbox account, or a new account with
// its first key, and makes it the key in use.
func (b *Sandbox) AddKey(w http.ResponseWriter, r *http.Request) error {
	if b.sandbox == nil {
		return web.NotFound()
	}
	if allowed, err := b.keys.OwnKeysAllowed(r.Context()); err != nil {
		return err
	} else if !allowed {
		return b.settings.back(w, r, ownForbidden, "key")
	}
	u := site.Me(r)
	_, old, err := b.keyring.OpenOwn(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	key, err := b.sandbox.AddKey(r.Context(), old, u.Name)
	if err != nil {
		key, err = b.sandbox.NewKey(r.Context(), u.Name, site.SandboxCredits)
	}
	if err != nil {
		return err
	}
	if err := b.keyring.Put(r.Context(), u.ID, key, true); err != nil {
		return err
	}
	b.wake()
	return b.settings.back(w, r, "You have a new sandbox key, and it is used from now on.", "key")
}

// AddCredits adds credits to the viewer's sandbox account.
func (b *Sandbox) AddCredits(w http.ResponseWriter, r *http.Request) error {
	if b.sandbox == nil {
		return web.NotFound()
	}
	_, key, err := b.keyring.Open(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err == nil {
		err = b.sandbox.TopUp(r.Context(), key, site.SandboxCredits)
	}
	if err != nil {
		b.log.Info("no credits added", "err", err)
		return b.settings.back(w, r, "The sandbox does not know your key. Make a sandbox key first.", "key")
	}
	return b.settings.back(w, r, "1,000 sandbox credits were added.", "key")
}
