package site

import (
	"context"

	"dailies/web/videoapi"
)

// SandboxCredits is the number of credits that an account of the sandbox starts with.
const SandboxCredits = 1000

// A Sandbox is the embedded service, seen from its own console: what the app
// may do there beyond API.md.
type Sandbox interface {
	// NewKey makes an account with credits and returns its API key.
	NewKey(ctx context.Context, name string, credits float64) (string, error)
	// AddKey makes another API key for the account of the key.
	AddKey(ctx context.Context, key, name string) (string, error)
	TopUp(ctx context.Context, key string, credits float64) error
	Balance(ctx context.Context, key string) (float64, error)
	// Keys and Ledger are all keys of the key's account and the changes of its
	// balance, newest first.
	Keys(ctx context.Context, key string) ([]videoapi.Key, error)
	Ledger(ctx context.Context, key string) ([]videoapi.Entry, error)
}
