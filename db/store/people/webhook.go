package people

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Webhooks stores the addresses at which programs are told of what happens, their secrets,
// and the deliveries to them.
type Webhooks struct {
	db *kit.DB
}

// webhookColumns are the columns of webhooks h for webhookFields.
const webhookColumns = `
	h.id, coalesce(h.user_id, 0), h.address, h.origin, h.types, h.standard, h.state, h.created_at, h.failures, h.failing_since, h.quiet_until`

func webhookFields(h *outbox.Webhook) []any {
	return []any{&h.ID, &h.UserID, &h.Address, &h.Origin, engine.AsJSON(&h.Events), &h.Standard, &h.State, (*engine.Instant)(&h.CreatedAt),
		&h.Failures, (*engine.Instant)(&h.FailingSince), (*engine.Instant)(&h.QuietUntil)}
}

// listedColumns are webhookColumns, and what lists show of deliveries.
const listedColumns = webhookColumns + `,
	(SELECT count(*) FROM deliveries d WHERE d.webhook_id = h.id AND d.outcome = ''),
	(SELECT max(d.tried_at) FROM deliveries d WHERE d.webhook_id = h.id AND d.outcome = 'delivered')`

func listedFields(h *outbox.Webhook) []any {
	return append(webhookFields(h), &h.Waiting, (*engine.Instant)(&h.SentAt))
}

// Of returns the person's webhooks, or the team's if userID is 0, the oldest first.
func (s *Webhooks) Of(ctx context.Context, userID int64) ([]outbox.Webhook, error) {
	return engine.ReadAll(ctx, s.db.Reads, "webhooks of "+engine.User(userID), engine.ScanFields(listedFields), `
		SELECT `+listedColumns+` FROM webhooks h WHERE coalesce(h.user_id, 0) = $1 ORDER BY h.id`, userID)
}

// Webhook returns the webhook with the ID.
func (s *Webhooks) Webhook(ctx context.Context, id int64) (outbox.Webhook, error) {
	return engine.ReadOne(ctx, s.db.Reads, webhook(id), engine.ScanFields(listedFields), `SELECT `+listedColumns+` FROM webhooks h WHERE h.id = $1`, id)
}

func webhook(id int64) string { return fmt.Sprintf("webhook %d", id) }

// Add stores the webhook with its sealed secret, and sets its ID. By is the person who adds
// it. It returns db.ErrFull if the owner has outbox.MaxWebhooks, and db.ErrNotFound if the
// account is closed, or may not add one for the team.
func (s *Webhooks) Add(ctx context.Context, h *outbox.Webhook, sealed []byte, by int64) error {
	h.State = outbox.On
	return engine.About("webhook of "+engine.User(h.UserID), s.db.Write(ctx, func(tx *engine.Tx) {
		kit.StillAllowed(tx, by, h.IsOf)
		tx.Require(tx.Count(`SELECT 1 FROM webhooks WHERE coalesce(user_id, 0) = $1`, h.UserID) < outbox.MaxWebhooks, db.ErrFull)
		tx.Insert(&h.ID, `
			INSERT INTO webhooks (user_id, address, origin, types, standard, created_at) VALUES (nullif(CAST($1 AS BIGINT), 0), $2, $3, $4, $5, $6) RETURNING id`,
			h.UserID, h.Address, h.Origin, engine.AsJSON(&h.Events), h.Standard, engine.Instant(h.CreatedAt))
		tx.Exec(`INSERT INTO webhook_secrets (webhook_id, sealed) VALUES ($1, $2)`, h.ID, sealed)
		kit.Record(kit.AsUser(tx, by), audit.Entry{Action: audit.WebhookSaved, UserID: h.UserID, What: whose(*h), After: h.Host()})
	}))
}

// Change stores another address, origin and choice of events.
func (s *Webhooks) Change(ctx context.Context, h outbox.Webhook, by int64) error {
	return engine.About(webhook(h.ID), s.db.Write(ctx, func(tx *engine.Tx) {
		before := webhookOf(tx, h.ID, by)
		tx.Exec(`UPDATE webhooks SET address = $1, origin = $2, types = $3 WHERE id = $4`, h.Address, h.Origin, engine.AsJSON(&h.Events), h.ID)
		e := audit.Entry{Action: audit.WebhookSaved, UserID: before.UserID, What: "the address", Before: before.Host(), After: h.Host()}
		if tx.OK() && before.Address == h.Address {
			e.What = "what it is told of"
		}
		kit.Record(kit.AsUser(tx, by), e)
	}))
}

// webhookOf returns the webhook. It fails with db.ErrNotFound unless the person may change
// it.
func webhookOf(tx *engine.Tx, id, by int64) outbox.Webhook {
	h := engine.One(tx, engine.ScanFields(webhookFields), `SELECT `+webhookColumns+` FROM webhooks h WHERE h.id = $1`, id)
	if tx.OK() {
		kit.StillAllowed(tx, by, h.IsOf)
	}
	return h
}

// Renew gives the webhook a new secret. Deliveries are signed with the earlier one too, for
// outbox.SecretLife. A webhook that is not Standard becomes so if standard is set; what it
// was signed with before ends at once, as programs that check it cannot check both.
func (s *Webhooks) Renew(ctx context.Context, id int64, sealed []byte, standard bool, by int64, now time.Time) error {
	return engine.About(webhook(id), s.db.Write(ctx, func(tx *engine.Tx) {
		h := webhookOf(tx, id, by)
		until := now
		if tx.OK() && h.Standard {
			until = now.Add(outbox.SecretLife)
		}
		tx.Exec(`DELETE FROM webhook_secrets WHERE webhook_id = $1 AND until IS NOT NULL`, id)
		tx.Exec(`UPDATE webhook_secrets SET until = $1 WHERE webhook_id = $2`, engine.Instant(until), id)
		tx.Exec(`INSERT INTO webhook_secrets (webhook_id, sealed) VALUES ($1, $2)`, id, sealed)
		e := audit.Entry{Action: audit.WebhookSaved, UserID: h.UserID, What: "a new signing secret", Before: h.Host(), After: h.Host()}
		if tx.OK() && standard && !h.Standard {
			tx.Exec(`UPDATE webhooks SET standard = 1 WHERE id = $1`, id)
			e.What = "the standard format"
		}
		kit.Record(kit.AsUser(tx, by), e)
	}))
}

// Secrets returns the sealed secrets that deliveries are signed with at the time, the
// present one first.
func (s *Webhooks) Secrets(ctx context.Context, id int64, now time.Time) ([][]byte, error) {
	return engine.ReadAll(ctx, s.db.Reads, "secrets of "+webhook(id), engine.ScanValue[[]byte], `
		SELECT sealed FROM webhook_secrets WHERE webhook_id = $1 AND (until IS NULL OR until > $2) ORDER BY id DESC`, id, engine.Instant(now))
}

// TurnOn turns the webhook on again. What waits for it is due at once.
func (s *Webhooks) TurnOn(ctx context.Context, id, by int64, now time.Time) error {
	return engine.About(webhook(id), s.db.Write(ctx, func(tx *engine.Tx) {
		h := webhookOf(tx, id, by)
		if !tx.OK() || h.State == outbox.On {
			return
		}
		tx.Exec(`UPDATE webhooks SET state = 'on', failures = 0, failing_since = NULL, quiet_until = NULL WHERE id = $1`, id)
		unpark(tx, id, now)
		kit.Record(kit.AsUser(tx, by), audit.Entry{Action: audit.WebhookSaved, UserID: h.UserID, What: "it is on again", Before: h.Host(), After: h.Host()})
	}))
}

// unpark makes due what waits for the webhook to be turned on.
func unpark(tx *engine.Tx, id int64, now time.Time) {
	tx.Exec(`UPDATE deliveries SET next_at = $1 WHERE webhook_id = $2 AND outcome = '' AND next_at IS NULL`, engine.Instant(now), id)
}

// Delete deletes the webhook with its deliveries.
func (s *Webhooks) Delete(ctx context.Context, id, by int64) error {
	return engine.About(webhook(id), s.db.Write(ctx, func(tx *engine.Tx) {
		h := webhookOf(tx, id, by)
		tx.Exec(`DELETE FROM webhooks WHERE id = $1`, id)
		kit.Record(kit.AsUser(tx, by), audit.Entry{Action: audit.WebhookDeleted, UserID: h.UserID, What: whose(h), Before: h.Host()})
	}))
}

// whose says, for the audit, that a webhook is the team's.
func whose(h outbox.Webhook) string {
	if h.IsTeams() {
		return "of the team"
	}
	return ""
}

// Sweep deletes secrets that are over, and deliveries that have waited for
// outbox.DeliveryLasts for a webhook to be turned on.
func (s *Webhooks) Sweep(ctx context.Context, now time.Time) error {
	return engine.About("webhooks", s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Exec(`DELETE FROM webhook_secrets WHERE until <= $1`, engine.Instant(now))
		tx.Exec(`DELETE FROM deliveries WHERE outcome = '' AND next_at IS NULL AND created_at <= $1`, engine.Instant(now.Add(-outbox.DeliveryLasts)))
	}))
}

// tellOfPause queues mails to those who may turn the webhook on again.
func tellOfPause(tx *engine.Tx, h outbox.Webhook, now time.Time) {
	mail := outbox.NewMail(outbox.MailWebhook, h.UserID, now)
	mail.Topic = fmt.Sprintf("webhook %d for %d", h.ID, h.UserID)
	mail.Details = outbox.MailDetails{Host: h.Host(), Webhook: h.ID}
	if !h.IsTeams() {
		kit.PutMail(tx, mail)
		return
	}
	mail.Topic = "" // each admin gets one
	kit.PutMailToAdmins(tx, mail)
}

// sortedByID sorts what a statement has returned in no order.
func sortedByID(due []outbox.Delivery) []outbox.Delivery {
	slices.SortFunc(due, func(a, b outbox.Delivery) int { return int(a.ID - b.ID) })
	return due
}
