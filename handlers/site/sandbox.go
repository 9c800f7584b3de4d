package site

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/handlers/service"
)

// SandboxCredits is the number of credits of a new sandbox account.
const SandboxCredits = 1000

// The sandbox draws most videos within this time, depending on the machine and on the
// length and resolution of the video.
const (
	sandboxSoon = 5 * time.Second
	sandboxLate = 30 * time.Second
)

// SandboxKeys makes keys of the sandbox.
type SandboxKeys struct {
	Keyring *Keys
	Keys    *people.Keys
	Desk    *service.Desk
}

func NewSandboxKeys(s *Site) *SandboxKeys {
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
	key, err := console.NewKey(ctx, u.Name, SandboxCredits)
	if err != nil {
		return err
	}
	return k.Keyring.Put(ctx, u.ID, used, key, true)
}
