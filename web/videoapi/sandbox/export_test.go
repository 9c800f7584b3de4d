package sandbox

import "context"

// RevokeKey revokes the key with the id, which must belong to the same account as
// the given key.
func (a *accounts) RevokeKey(ctx context.Context, key string, id int64) error {
	account, _, err := a.keyOf(ctx, key)
	if err != nil {
		return err
	}
	return a.revokeKey(ctx, account, id)
}
