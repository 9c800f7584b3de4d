package sandbox

import "context"

// RevokeKey revokes a key of the account that the given key belongs to, as the
// console does.
func (a *accounts) RevokeKey(ctx context.Context, key string, id int64) error {
	account, _, err := a.keyOf(ctx, key)
	if err != nil {
		return err
	}
	return a.revokeKey(ctx, account, id)
}
