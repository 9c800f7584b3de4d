package account

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/handlers/service"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web"
)

// Sandbox gives users keys and credits of the embedded sandbox service.
type Sandbox struct {
	keys     *SandboxKeys
	log      *slog.Logger
	settings *Settings
	wake     func()
}

// SandboxKeys makes keys of the sandbox.
type SandboxKeys struct {
	Keyring *site.Keys
	Keys    *people.Keys
	Desk    *service.Desk
}

func NewSandboxKeys(s *site.Site) *SandboxKeys {
	return &SandboxKeys{Keyring: s.Keys, Keys: s.Store.Keys, Desk: s.Desk}
}

// Give gives the user a sandbox key of their own in sandbox mode, unless the team forbids
// own keys.
func (k *SandboxKeys) Give(ctx context.Context, u db.User) error {
	console, used := k.Desk.Console(), k.Keyring.Service()
	if console == nil {
		return nil
	}
	if allowed, err := k.Keys.OwnKeysAllowed(ctx); err != nil || !allowed {
		return err
	}
	key, err := console.NewKey(ctx, u.Name, site.SandboxCredits)
	if err != nil {
		return err
	}
	return k.Keyring.Put(ctx, u.ID, used, key, true)
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
