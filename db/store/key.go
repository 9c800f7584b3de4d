package store

import (
	"context"
	"time"

	"dailies/db"
)

// Key returns the person's key for the video service.
func (s *Store) Key(ctx context.Context, userID int64) (db.Key, error) {
	var k db.Key
	err := s.reads.QueryRowContext(ctx, `
		SELECT user_id, sealed, last_four, fingerprint, created_at, checked_at, accepted
		FROM keys WHERE user_id = ?`, userID,
	).Scan(&k.UserID, &k.Sealed, &k.LastFour, &k.Fingerprint,
		(*instant)(&k.CreatedAt), (*instant)(&k.CheckedAt), &k.Accepted)
	return k, about(key(userID), err)
}

// PutKey keeps the key in place of the one that the person had.
func (s *Store) PutKey(ctx context.Context, k db.Key) error {
	_, err := s.writes.ExecContext(ctx, `
		INSERT INTO keys (user_id, sealed, last_four, fingerprint, created_at, checked_at, accepted)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (user_id) DO UPDATE SET
			sealed = excluded.sealed, last_four = excluded.last_four, fingerprint = excluded.fingerprint,
			created_at = excluded.created_at, checked_at = excluded.checked_at, accepted = excluded.accepted`,
		k.UserID, k.Sealed, k.LastFour, k.Fingerprint, instant(k.CreatedAt), instant(k.CheckedAt), k.Accepted)
	return about(key(k.UserID), err)
}

// DeleteKey forgets the person's key. It is no error if there is none.
func (s *Store) DeleteKey(ctx context.Context, userID int64) error {
	_, err := s.writes.ExecContext(ctx, `DELETE FROM keys WHERE user_id = ?`, userID)
	return about(key(userID), err)
}

// SetKeyChecked records what the service said of the key. It is db.ErrConflict
// if the person's key is no longer the sealed one.
func (s *Store) SetKeyChecked(ctx context.Context, userID int64, sealed []byte, at time.Time, accepted bool) error {
	return about(key(userID), held(s.writes.ExecContext(ctx, `
		UPDATE keys SET checked_at = ?, accepted = ? WHERE user_id = ? AND sealed = ?`,
		instant(at), accepted, userID, sealed)))
}

func key(userID int64) string { return "key of " + user(userID) }
