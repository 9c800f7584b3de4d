package site

import (
	"context"
	"time"

	"dailies/db"
)

// SandboxCredits is the number of credits of a new sandbox account.
const SandboxCredits = 1000

// The sandbox draws most videos within this time, depending on the machine and on the
// length and resolution of the video.
const (
	sandboxSoon = 5 * time.Second
	sandboxLate = 30 * time.Second
)

// GiveSandboxKey gives the user a key of the sandbox, if the team uses it, unless the team
// forbids own keys.
func (k *Keys) GiveSandboxKey(ctx context.Context, u db.User) error {
	console, used := k.registry.Console(), k.Service()
	if console == nil {
		return nil
	}
	if allowed, err := k.keys.OwnKeysAllowed(ctx); err != nil || !allowed {
		return err
	}
	key, err := console.NewKey(ctx, u.Name, SandboxCredits)
	if err != nil {
		return err
	}
	return k.Put(ctx, u.ID, used, key, true)
}
