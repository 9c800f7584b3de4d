package account

import (
	"errors"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/web"
)

// Sandbox gives users keys and credits of the embedded sandbox service.
type Sandbox struct {
	site     *site.Site
	settings *Settings
}

// AddKey creates another key for the viewer's sandbox account, or a new account with
// its first key, and makes it the key in use.
func (b *Sandbox) AddKey(w http.ResponseWriter, r *http.Request) error {
	if b.site.Sandbox == nil {
		return web.NotFound()
	}
	if allowed, err := b.site.Store.Keys.OwnKeysAllowed(r.Context()); err != nil {
		return err
	} else if !allowed {
		return b.settings.back(w, r, ownForbidden, "key")
	}
	u := site.Me(r)
	_, old, err := b.site.Keys.OpenOwn(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	key, err := b.site.Sandbox.AddKey(r.Context(), old, u.Name)
	if err != nil {
		key, err = b.site.Sandbox.NewKey(r.Context(), u.Name, site.SandboxCredits)
	}
	if err != nil {
		return err
	}
	if err := b.site.Keys.Put(r.Context(), u.ID, key, true); err != nil {
		return err
	}
	b.site.Wake()
	return b.settings.back(w, r, "You have a new sandbox key, and it is used from now on.", "key")
}

// AddCredits adds credits to the viewer's sandbox account.
func (b *Sandbox) AddCredits(w http.ResponseWriter, r *http.Request) error {
	if b.site.Sandbox == nil {
		return web.NotFound()
	}
	_, key, err := b.site.Keys.Open(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err == nil {
		err = b.site.Sandbox.TopUp(r.Context(), key, site.SandboxCredits)
	}
	if err != nil {
		b.site.Log.Info("no credits added", "err", err)
		return b.settings.back(w, r, "The sandbox does not know your key. Make a sandbox key first.", "key")
	}
	return b.settings.back(w, r, "1,000 sandbox credits were added.", "key")
}
