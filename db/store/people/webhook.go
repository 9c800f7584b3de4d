package people

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Webhooks stores the addresses that programs are notified at, and the notices.
type Webhooks struct {
	db *kit.DB
}

// Webhook returns the person's webhook.
func (s *Webhooks) Webhook(ctx context.Context, userID int64) (outbox.Webhook, error) {
	return engine.ReadOne(ctx, s.db.Reads, webhook(userID), engine.ScanFields(webhookFields), `SELECT `+webhookColumns+` FROM webhooks WHERE user_id = $1`, userID)
}

const webhookColumns = `user_id, address, origin, sealed, notes, created_at`

func webhookFields(h *outbox.Webhook) []any {
	return []any{&h.UserID, &h.Address, &h.Origin, &h.Sealed, &h.Notes, (*engine.Instant)(&h.CreatedAt)}
}

// PutWebhook stores the person's webhook in place of any earlier one.
func (s *Webhooks) PutWebhook(ctx context.Context, h outbox.Webhook) error {
	return engine.About(webhook(h.UserID), s.db.Write(ctx, func(tx *engine.Tx) {
		kit.StillAllowed(tx, h.UserID, db.User.IsActive)
		before, known := engine.Find(tx, engine.ScanFields(webhookFields), `SELECT `+webhookColumns+` FROM webhooks WHERE user_id = $1`, h.UserID)
		tx.Exec(`
			INSERT INTO webhooks (user_id, address, origin, sealed, notes, created_at)
			VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (user_id) DO UPDATE SET
				address = excluded.address, origin = excluded.origin, sealed = excluded.sealed,
				notes = excluded.notes, created_at = excluded.created_at`,
			h.UserID, h.Address, h.Origin, h.Sealed, h.Notes, engine.Instant(h.CreatedAt))
		e := audit.Entry{Action: audit.WebhookSaved, UserID: h.UserID, What: "the address", Before: before.Host(), After: h.Host()}
		switch {
		case !tx.OK() || !known:
			e.What = ""
		case before.Address == h.Address && !bytes.Equal(before.Sealed, h.Sealed):
			e.What = "a new signing secret"
		}
		kit.Record(kit.AsUser(tx, h.UserID), e)
	}))
}

// DeleteWebhook deletes the person's webhook, if there is one, and the notices that
// wait for it.
func (s *Webhooks) DeleteWebhook(ctx context.Context, userID int64) error {
	return engine.About(webhook(userID), s.db.Write(ctx, func(tx *engine.Tx) {
		h, found := engine.Find(tx, engine.ScanFields(webhookFields), `DELETE FROM webhooks WHERE user_id = $1 RETURNING `+webhookColumns, userID)
		if !found {
			return
		}
		kit.Record(kit.AsUser(tx, userID), audit.Entry{Action: audit.WebhookDeleted, UserID: userID, Before: h.Host()})
		tx.Exec(`DELETE FROM deliveries WHERE user_id = $1 AND next_at IS NOT NULL`, userID)
	}))
}

func webhook(userID int64) string { return "webhook of " + engine.User(userID) }

// keptDeliveries is how many finished deliveries of each person are kept.
const keptDeliveries = 50

// DeliveryColumns are the columns for DeliveryFields.
const DeliveryColumns = `
	id, name, user_id, coalesce(task_id, 0), coalesce(note_id, 0), coalesce(guest_id, 0), state, outcome, http, problem, tries, created_at, tried_at, next_at`

// DeliveryFields returns the destinations of a row of DeliveryColumns.
func DeliveryFields(d *outbox.Delivery) []any {
	return []any{&d.ID, &d.Name, &d.UserID, &d.TaskID, &d.NoteID, &d.GuestID, &d.State, &d.Outcome, &d.HTTP, &d.Problem, &d.Tries,
		(*engine.Instant)(&d.CreatedAt), (*engine.Instant)(&d.TriedAt), (*engine.Instant)(&d.NextAt)}
}

// waitingTests is how many test notices of one person may wait to be delivered.
const waitingTests = 5

// AddTestDelivery queues a test notice, which is not about a task, and returns its ID.
// It returns db.ErrFull if several of the person's tests are waiting already. Notices
// about tasks are added by a trigger when a task's state changes.
func (s *Webhooks) AddTestDelivery(ctx context.Context, userID int64, now time.Time) (id int64, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		n := tx.Count(`SELECT 1 FROM deliveries WHERE user_id = $1 AND task_id IS NULL AND next_at IS NOT NULL`, userID)
		tx.Require(n < waitingTests, db.ErrFull)
		tx.Insert(&id, `
			INSERT INTO deliveries (user_id, created_at, next_at) VALUES ($1, $2, $2) RETURNING id`,
			userID, engine.Instant(now))
	})
	return id, engine.About(webhook(userID), err)
}

// ClaimDeliveries leases to the owner, until the time until, notices that are due: at
// most limit, and only the oldest of each person, so that a slow receiver delays nobody
// else's.
func (s *Webhooks) ClaimDeliveries(ctx context.Context, owner string, now, until time.Time, limit int) ([]outbox.Delivery, error) {
	var due []outbox.Delivery
	err := s.db.Write(ctx, func(tx *engine.Tx) {
		due = engine.All(tx, engine.ScanFields(DeliveryFields), `
			UPDATE deliveries SET leased_by = $1, leased_until = $3
			WHERE id IN (
				SELECT min(id) FROM deliveries
				WHERE next_at <= $2 AND (leased_until IS NULL OR leased_until <= $2)
					AND user_id NOT IN (SELECT user_id FROM deliveries WHERE leased_until > $2)
				GROUP BY user_id ORDER BY min(next_at), min(id) LIMIT $4 + 0)
			RETURNING `+DeliveryColumns, owner, engine.Instant(now), engine.Instant(until), max(0, limit))
	})
	slices.SortFunc(due, func(a, b outbox.Delivery) int { return cmp.Compare(a.ID, b.ID) }) // RETURNING has no order
	return due, engine.About("due deliveries", err)
}

// SettleDelivery records the outcome of the owner's attempt to deliver the notice, ends
// the lease, and deletes the person's oldest finished deliveries. It returns
// db.ErrConflict if the owner no longer holds the lease.
func (s *Webhooks) SettleDelivery(ctx context.Context, owner string, d outbox.Delivery) error {
	return engine.About("delivery "+d.Name, s.db.Write(ctx, func(tx *engine.Tx) {
		tx.ExecOr(db.ErrConflict, `
			UPDATE deliveries SET outcome = $1, http = $2, problem = $3, tries = $4, tried_at = $5, next_at = $6,
				leased_by = '', leased_until = NULL
			WHERE id = $7 AND leased_by = $8 AND leased_until IS NOT NULL`,
			d.Outcome, d.HTTP, d.Problem, d.Tries, engine.Instant(d.TriedAt), engine.Instant(d.NextAt), d.ID, owner)
		if !tx.OK() || !d.NextAt.IsZero() {
			return
		}
		tx.Exec(`
			DELETE FROM deliveries
			WHERE user_id = $1 AND next_at IS NULL AND id <= (
				SELECT id FROM deliveries WHERE user_id = $1 AND next_at IS NULL
				ORDER BY id DESC LIMIT 1 OFFSET $2 + 0)`, d.UserID, keptDeliveries)
	}))
}

// Delivery returns the person's delivery with the ID.
func (s *Webhooks) Delivery(ctx context.Context, userID, id int64) (outbox.Delivery, error) {
	return engine.ReadOne(ctx, s.db.Reads, "delivery to "+webhook(userID), engine.ScanFields(DeliveryFields), `SELECT `+DeliveryColumns+` FROM deliveries WHERE user_id = $1 AND id = $2`, userID, id)
}

// Deliveries returns the person's latest notices, the newest first.
func (s *Webhooks) Deliveries(ctx context.Context, userID int64, limit int) ([]outbox.Delivery, error) {
	return engine.ReadAll(ctx, s.db.Reads, "deliveries to "+webhook(userID), engine.ScanFields(DeliveryFields), `
		SELECT `+DeliveryColumns+`
		FROM deliveries WHERE user_id = $1 ORDER BY id DESC LIMIT $2 + 0`, userID, max(0, limit))
}
