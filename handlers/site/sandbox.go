package site

import (
	"context"
	"time"

	"dailies/web/videoapi"
)

// SandboxCredits is the number of credits of a new sandbox account.
const SandboxCredits = 1000

// The sandbox draws most videos within this time, depending on the machine and on the
// length and resolution of the video.
const (
	sandboxSoon = 5 * time.Second
	sandboxLate = 30 * time.Second
)

// A Sandbox is the embedded service with its operations that are not in API.md.
type Sandbox interface {
	// NewKey creates an account with credits and returns its API key.
	NewKey(ctx context.Context, name string, credits float64) (string, error)
	// AddKey creates another API key for the account of the key.
	AddKey(ctx context.Context, key, name string) (string, error)
	TopUp(ctx context.Context, key string, credits float64) error
	Balance(ctx context.Context, key string) (float64, error)
	// Keys returns all API keys of the key's account, newest first.
	Keys(ctx context.Context, key string) ([]videoapi.Key, error)
	// Ledger returns the changes of the account's balance, newest first.
	Ledger(ctx context.Context, key string) ([]videoapi.Entry, error)
}
