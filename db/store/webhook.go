package store

import (
	"context"
	"database/sql"

	"dailies/db"
)

// Webhook returns the person's webhook.
func (s *Store) Webhook(ctx context.Context, userID int64) (db.Webhook, error) {
	var h db.Webhook
	err := s.reads.QueryRowContext(ctx, `
		SELECT user_id, address, origin, sealed, created_at
		FROM webhooks WHERE user_id = ?`, userID,
	).Scan(&h.UserID, &h.Address, &h.Origin, &h.Sealed, (*instant)(&h.CreatedAt))
	return h, about(webhook(userID), err)
}

// PutWebhook keeps the webhook in place of the one that the person had.
func (s *Store) PutWebhook(ctx context.Context, h db.Webhook) error {
	_, err := s.writes.ExecContext(ctx, `
		INSERT INTO webhooks (user_id, address, origin, sealed, created_at)
		VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (user_id) DO UPDATE SET
			address = excluded.address, origin = excluded.origin, sealed = excluded.sealed,
			created_at = excluded.created_at`,
		h.UserID, h.Address, h.Origin, h.Sealed, instant(h.CreatedAt))
	return about(webhook(h.UserID), err)
}

// DeleteWebhook forgets the person's webhook, and the notices that wait for it.
// It is no error if there is none.
func (s *Store) DeleteWebhook(ctx context.Context, userID int64) error {
	return about(webhook(userID), s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM webhooks WHERE user_id = ?`, userID)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM deliveries WHERE user_id = ? AND next_at IS NOT NULL`, userID)
		return err
	}))
}

func webhook(userID int64) string { return "webhook of " + user(userID) }
