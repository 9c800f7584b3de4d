package site

import (
	"context"

	"dailies/db"
	"dailies/web/turn"
)

// Limits of how many passwords are checked or hashed at the same time. Each keeps a
// processor busy and takes much memory.
const (
	maxHashed  = 4
	eachHashed = 1 // of these, passwords of one account
)

// Hashing lets the accounts take turns in having their passwords checked and hashed.
type Hashing struct{ accounts *turn.Semaphore }

// Do calls do, which checks or hashes a password of the account with the e-mail
// address, once it is the turn of that account, so that nobody's requests hold up the
// sign-ins of others. Addresses without an account take their turns, too, so
// that the time does not tell them apart.
func (h Hashing) Do(ctx context.Context, email string, do func()) error {
	leave, err := h.accounts.Take(ctx, turn.Key{Name: "account " + Clip(db.EmailKey(email), 320), Max: eachHashed})
	if err != nil {
		return err
	}
	defer leave()
	do()
	return nil
}
