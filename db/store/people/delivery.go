package people

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/store/engine"
)

// keptDeliveries is how many deliveries of each webhook are kept that are over.
const keptDeliveries = 50

// DeliveryColumns are the columns for DeliveryFields.
const DeliveryColumns = `
	id, name, webhook_id, type, coalesce(task_id, 0), coalesce(note_id, 0), coalesce(guest_id, 0), coalesce(ask_id, 0), state, outcome, http, problem, tries,
	created_at, tried_at, next_at`

// DeliveryFields returns the destinations of a row of DeliveryColumns.
func DeliveryFields(d *outbox.Delivery) []any {
	return []any{&d.ID, &d.Name, &d.WebhookID, &d.Event, &d.TaskID, &d.NoteID, &d.GuestID, &d.AskID, &d.State, &d.Outcome, &d.HTTP, &d.Problem, &d.Tries,
		(*engine.Instant)(&d.CreatedAt), (*engine.Instant)(&d.TriedAt), (*engine.Instant)(&d.NextAt)}
}

// waitingTests is how many tests of one webhook may wait to be delivered.
const waitingTests = 5

// AddTest queues a test, which is also sent to a webhook that is off or paused, and returns
// its ID. It returns db.ErrFull if several tests are waiting already, and the error of
// outbox.Webhook.Rests if nothing may be sent to the webhook. Deliveries about tasks
// are added by a trigger when a task's state changes, others by kit.PutDeliveries.
func (s *Webhooks) AddTest(ctx context.Context, id, by int64, now time.Time) (delivery int64, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Check(webhookOf(tx, id, by).Rests())
		n := tx.Count(`SELECT 1 FROM deliveries WHERE webhook_id = $1 AND type = 'test' AND next_at IS NOT NULL`, id)
		tx.Require(n < waitingTests, db.ErrFull)
		tx.Insert(&delivery, `
			INSERT INTO deliveries (webhook_id, type, created_at, next_at) VALUES ($1, 'test', $2, $2) RETURNING id`, id, engine.Instant(now))
	})
	return delivery, engine.About(webhook(id), err)
}

// SendAgain makes the delivery due now, whatever became of it, also if its webhook is off or
// paused. It returns db.ErrConflict while it is being sent, and the error of
// outbox.Webhook.Rests if nothing may be sent to the webhook.
func (s *Webhooks) SendAgain(ctx context.Context, id, delivery, by int64, now time.Time) error {
	return engine.About(webhook(id), s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Check(webhookOf(tx, id, by).Rests())
		tx.Require(tx.Count(`SELECT 1 FROM deliveries WHERE id = $1 AND webhook_id = $2`, delivery, id) > 0, db.ErrNotFound)
		tx.ExecOr(db.ErrConflict, `
			UPDATE deliveries SET outcome = '', http = 0, problem = '', tries = 0, next_at = $1
			WHERE id = $2 AND (leased_until IS NULL OR leased_until <= $1)`, engine.Instant(now), delivery)
	}))
}

// ClaimDeliveries leases to the owner, until the time until, deliveries that are due: at
// most limit, and only the oldest of each webhook, so that a slow receiver delays nobody
// else's.
func (s *Webhooks) ClaimDeliveries(ctx context.Context, owner string, now, until time.Time, limit int) ([]outbox.Delivery, error) {
	var due []outbox.Delivery
	err := s.db.Write(ctx, func(tx *engine.Tx) {
		due = engine.All(tx, engine.ScanFields(DeliveryFields), `
			UPDATE deliveries SET leased_by = $1, leased_until = $3
			WHERE id IN (
				SELECT min(d.id) FROM deliveries d JOIN webhooks h ON h.id = d.webhook_id
				WHERE d.next_at <= $2 AND (d.leased_until IS NULL OR d.leased_until <= $2) AND (h.quiet_until IS NULL OR h.quiet_until <= $2)
					AND `+tells+`
					AND d.webhook_id NOT IN (SELECT webhook_id FROM deliveries WHERE leased_until > $2)
				GROUP BY d.webhook_id ORDER BY min(d.next_at), min(d.id) LIMIT $4 + 0)
			RETURNING `+DeliveryColumns, owner, engine.Instant(now), engine.Instant(until), max(0, limit))
	})
	return sortedByID(due), engine.About("due deliveries", err)
}

// SettleDelivery records the owner's attempt at the delivery, ends the lease, and deletes
// the webhook's oldest deliveries that are over. It returns the webhook, and whether the
// attempt has paused it, which mails tell of. It returns db.ErrConflict if the owner no
// longer holds the lease.
func (s *Webhooks) SettleDelivery(ctx context.Context, owner string, d outbox.Delivery, a outbox.Attempt) (h outbox.Webhook, paused bool, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		h = engine.One(tx, engine.ScanFields(webhookFields), `SELECT `+webhookColumns+` FROM webhooks h WHERE h.id = $1`, d.WebhookID)
		before, settled := h, d
		if !tx.OK() {
			return
		}
		paused = h.Record(&settled, a)
		tx.ExecOr(db.ErrConflict, `
			UPDATE deliveries SET outcome = $1, http = $2, problem = $3, tries = $4, tried_at = $5, next_at = $6, leased_by = '', leased_until = NULL
			WHERE id = $7 AND leased_by = $8 AND leased_until IS NOT NULL`,
			settled.Outcome, settled.HTTP, settled.Problem, settled.Tries, engine.Instant(settled.TriedAt), engine.Instant(settled.NextAt), d.ID, owner)
		tx.Exec(`UPDATE webhooks SET state = $1, failures = $2, failing_since = $3, quiet_until = $4 WHERE id = $5`,
			h.State, h.Failures, engine.Instant(h.FailingSince), engine.Instant(h.QuietUntil), h.ID)
		if !tx.OK() {
			return
		}
		afterAttempt(tx, before, h, a)
		if settled.Outcome != outbox.Waiting {
			tx.Exec(`
				DELETE FROM deliveries
				WHERE webhook_id = $1 AND outcome <> '' AND id <= (
					SELECT id FROM deliveries WHERE webhook_id = $1 AND outcome <> ''
					ORDER BY id DESC LIMIT 1 OFFSET $2 + 0)`, h.ID, keptDeliveries)
		}
	})
	return h, paused, engine.About("delivery "+d.Name, err)
}

// afterAttempt does with the other deliveries of the webhook what its new state asks for.
func afterAttempt(tx *engine.Tx, before, after outbox.Webhook, a outbox.Attempt) {
	if before.State == after.State {
		return
	}
	switch after.State {
	case outbox.On:
		unpark(tx, after.ID, a.At)
	case outbox.Paused:
		tx.Exec(`UPDATE deliveries SET next_at = NULL WHERE webhook_id = $1 AND outcome = ''`, after.ID)
		tellOfPause(tx, after, a.At)
	case outbox.Off:
		tx.Exec(`UPDATE deliveries SET outcome = $1, problem = $2, next_at = NULL WHERE webhook_id = $3 AND outcome = ''`, outbox.GaveUp, a.Problem, after.ID)
	}
}

// Delivery returns the webhook's delivery with the ID.
func (s *Webhooks) Delivery(ctx context.Context, webhookID, id int64) (outbox.Delivery, error) {
	return engine.ReadOne(ctx, s.db.Reads, "delivery to "+webhook(webhookID), engine.ScanFields(DeliveryFields), `
		SELECT `+DeliveryColumns+` FROM deliveries WHERE webhook_id = $1 AND id = $2`, webhookID, id)
}

// Deliveries returns the latest deliveries to the webhook, the newest first.
func (s *Webhooks) Deliveries(ctx context.Context, webhookID int64, limit int) ([]outbox.Delivery, error) {
	return engine.ReadAll(ctx, s.db.Reads, "deliveries to "+webhook(webhookID), engine.ScanFields(DeliveryFields), `
		SELECT `+DeliveryColumns+`
		FROM deliveries WHERE webhook_id = $1 ORDER BY id DESC LIMIT $2 + 0`, webhookID, max(0, limit))
}
