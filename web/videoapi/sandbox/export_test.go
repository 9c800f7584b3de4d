package sandbox

import "context"

// RevokeKey revokes a key of the account that the given key belongs to, as the
// console does.
func (s *Sandbox) RevokeKey(ctx context.Context, key string, id int64) error {
	account, err := accountOf(ctx, s.db.Reads, key)
	if err != nil {
		return err
	}
	return s.revokeKey(ctx, account, id)
}
