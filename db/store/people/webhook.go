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
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Webhooks stores the addresses at which programs are told of what happens, their secrets,
// and the deliveries to them.
type Webhooks struct {
	db *teamdb.DB
}

// listedColumns are the columns of webhooks h, and what lists show of deliveries.
var listedColumns = schema.Webhooks.Columns + `,
	(SELECT count(*) FROM deliveries d WHERE d.webhook_id = h.id AND d.outcome = ''),
	(SELECT max(d.tried_at) FROM deliveries d WHERE d.webhook_id = h.id AND d.outcome = 'delivered'),
	coalesce((SELECT u.name FROM users u WHERE u.id = h.made_by AND h.user_id IS NULL), ''),
	EXISTS (SELECT 1 FROM users u WHERE u.id = h.made_by AND h.user_id IS NULL AND u.deactivated_at IS NOT NULL)`

func listed(h *outbox.Webhook) []any {
	return []any{&h.Waiting, (*engine.Instant)(&h.SentAt), (*engine.Named)(&h.Maker), &h.Left}
}

var webhooksOf = `SELECT ` + schema.Webhooks.Columns + ` FROM webhooks h WHERE h.user_id = $1 ORDER BY h.id`

// hooksOf returns the person's own webhooks.
func hooksOf(tx *engine.Tx, userID int64) []outbox.Webhook {
	return engine.All(tx, schema.Webhooks.Scan(), webhooksOf, userID)
}

var webhooksListed = `
	SELECT ` + listedColumns + ` FROM webhooks h WHERE coalesce(h.user_id, 0) = $1 ORDER BY h.id`

// Of returns the person's webhooks, or the team's if userID is 0, the oldest first.
func (s *Webhooks) Of(ctx context.Context, userID int64) ([]outbox.Webhook, error) {
	return engine.ReadAll(ctx, s.db.Reads, "webhooks of "+engine.User(userID), schema.Webhooks.Scan(listed), webhooksListed, userID)
}

var webhookListed = `SELECT ` + listedColumns + ` FROM webhooks h WHERE h.id = $1`

// Webhook returns the webhook with the ID.
func (s *Webhooks) Webhook(ctx context.Context, id int64) (outbox.Webhook, error) {
	return engine.ReadOne(ctx, s.db.Reads, webhook(id), schema.Webhooks.Scan(listed), webhookListed, id)
}

func webhook(id int64) string { return fmt.Sprintf("webhook %d", id) }

var webhookByID = `SELECT ` + schema.Webhooks.Columns + ` FROM webhooks h WHERE h.id = $1`

var addedWebhook = schema.Webhooks.Part(schema.Added)

var insertWebhook = `INSERT INTO webhooks (` + addedWebhook.Names + `) VALUES (` + addedWebhook.Places(1) + `) RETURNING id`

// Add stores the webhook with its sealed secret, and sets its ID. By is the person who adds
// it. It returns db.ErrFull if the owner has outbox.MaxWebhooks, and db.ErrNotFound if the
// account is closed, or may not add one for the team.
func (s *Webhooks) Add(ctx context.Context, h *outbox.Webhook, sealed []byte, by int64) error {
	h.State, h.MadeBy = outbox.On, by
	return engine.About("webhook of "+engine.User(h.UserID), s.db.Write(ctx, func(tx *engine.Tx) {
		teamdb.StillAllowed(tx, by, h.IsOf)
		tx.Require(tx.Count(`SELECT 1 FROM webhooks WHERE coalesce(user_id, 0) = $1`, h.UserID) < outbox.MaxWebhooks, db.ErrFull)
		tx.Insert(&h.ID, insertWebhook, addedWebhook.Values(h)...)
		tx.Exec(`INSERT INTO webhook_secrets (webhook_id, sealed) VALUES ($1, $2)`, h.ID, sealed)
		teamdb.Record(teamdb.AsUser(tx, by), audit.Entry{Action: audit.WebhookSaved, UserID: h.UserID, What: whose(*h), After: h.Host()})
	}))
}

// Change stores another address, origin and choice of events.
func (s *Webhooks) Change(ctx context.Context, h outbox.Webhook, by int64) error {
	return engine.About(webhook(h.ID), s.db.Write(ctx, func(tx *engine.Tx) {
		before := webhookOf(tx, h.ID, by)
		tx.Exec(`UPDATE webhooks SET address = $1, origin = $2, types = $3 WHERE id = $4`,
			h.Address, h.Origin, engine.AsJSON(&h.Events), h.ID)
		e := audit.Entry{Action: audit.WebhookSaved, UserID: before.UserID, What: "the address", Before: before.Host(), After: h.Host()}
		if tx.OK() && before.Address == h.Address {
			e.What = "what it is told of"
		}
		teamdb.Record(teamdb.AsUser(tx, by), e)
	}))
}

// webhookOf returns the webhook. It fails with db.ErrNotFound unless the person may change
// it.
func webhookOf(tx *engine.Tx, id, by int64) outbox.Webhook {
	h := engine.One(tx, schema.Webhooks.Scan(), webhookByID, id)
	if tx.OK() {
		teamdb.StillAllowed(tx, by, h.IsOf)
	}
	return h
}

// Renew gives the webhook a new secret. Deliveries are signed with the earlier one too, for
// outbox.SecretLife. It returns outbox.ErrEarlier for one that is not Standard.
func (s *Webhooks) Renew(ctx context.Context, id int64, sealed []byte, by int64, now time.Time) error {
	return engine.About(webhook(id), s.db.Write(ctx, func(tx *engine.Tx) {
		h := webhookOf(tx, id, by)
		tx.Require(h.Standard, outbox.ErrEarlier)
		tx.Exec(`DELETE FROM webhook_secrets WHERE webhook_id = $1 AND until IS NOT NULL`, id)
		tx.Exec(`UPDATE webhook_secrets SET until = $1 WHERE webhook_id = $2`, engine.Instant(now.Add(outbox.SecretLife)), id)
		tx.Exec(`INSERT INTO webhook_secrets (webhook_id, sealed) VALUES ($1, $2)`, id, sealed)
		teamdb.Record(teamdb.AsUser(tx, by),
			audit.Entry{Action: audit.WebhookSaved, UserID: h.UserID, What: "a new signing secret", Before: h.Host(), After: h.Host()})
	}))
}

// Standardise gives a webhook from before the standard format that format, with another
// secret, and turns it on. It returns db.ErrConflict if the webhook has the format.
func (s *Webhooks) Standardise(ctx context.Context, id int64, sealed []byte, by int64) error {
	return engine.About(webhook(id), s.db.Write(ctx, func(tx *engine.Tx) {
		h := webhookOf(tx, id, by)
		tx.Require(!h.Standard, db.ErrConflict)
		tx.Exec(`DELETE FROM webhook_secrets WHERE webhook_id = $1`, id)
		tx.Exec(`INSERT INTO webhook_secrets (webhook_id, sealed) VALUES ($1, $2)`, id, sealed)
		tx.Exec(`UPDATE webhooks SET standard = 1, state = 'on', failures = 0, failing_since = NULL, quiet_until = NULL WHERE id = $1`, id)
		teamdb.Record(teamdb.AsUser(tx, by),
			audit.Entry{Action: audit.WebhookSaved, UserID: h.UserID, What: "the standard format", Before: h.Host(), After: h.Host()})
	}))
}

// Earlier returns the ID of the person's oldest webhook with the format from before the
// standard one, 0 if there is none.
func (s *Webhooks) Earlier(ctx context.Context, userID int64) (int64, error) {
	return engine.ReadValue[int64](ctx, s.db.Reads, "webhooks of "+engine.User(userID), `
		SELECT coalesce(min(id), 0) FROM webhooks WHERE user_id = $1 AND standard = 0`, userID)
}

// Held counts the webhooks that came with a backup and wait for an admin.
func (s *Webhooks) Held(ctx context.Context) (int, error) {
	return engine.ReadValue[int](ctx, s.db.Reads, "webhooks of a backup", `SELECT count(*) FROM webhooks WHERE held = 1`)
}

// Confirm lets what happens be sent to the webhooks that came with a backup. What has
// happened since the restore is due at once.
func (s *Webhooks) Confirm(ctx context.Context) (confirmed int, err error) {
	err = s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		held := engine.All(tx, schema.Webhooks.Scan(), `SELECT `+schema.Webhooks.Columns+` FROM webhooks h WHERE h.held = 1 ORDER BY h.id`)
		tx.Exec(`UPDATE webhooks SET held = 0 WHERE held = 1`)
		for _, h := range held {
			teamdb.Record(tx, audit.Entry{Action: audit.WebhookSaved, UserID: h.UserID,
				What: "confirmed after a restore", Before: h.Host(), After: h.Host()})
		}
		confirmed = len(held)
	})
	return confirmed, engine.About("webhooks of a backup", err)
}

// Secrets returns the sealed secrets that deliveries are signed with at the time, the
// present one first.
func (s *Webhooks) Secrets(ctx context.Context, id int64, now time.Time) ([][]byte, error) {
	return engine.ReadAll(ctx, s.db.Reads, "secrets of "+webhook(id), engine.ScanValue[[]byte], `
		SELECT sealed FROM webhook_secrets WHERE webhook_id = $1 AND (until IS NULL OR until > $2) ORDER BY id DESC`, id,
		engine.Instant(now))
}

// TurnOn turns the webhook on again. What waits for it is due at once. It returns the error
// of Rests if nothing may be sent to it.
func (s *Webhooks) TurnOn(ctx context.Context, id, by int64, now time.Time) error {
	return engine.About(webhook(id), s.db.Write(ctx, func(tx *engine.Tx) {
		h := webhookOf(tx, id, by)
		if tx.Check(h.Rests()); !tx.OK() || h.State == outbox.On {
			return
		}
		tx.Exec(`UPDATE webhooks SET state = 'on', failures = 0, failing_since = NULL, quiet_until = NULL WHERE id = $1`, id)
		unpark(tx, id, now)
		teamdb.Record(teamdb.AsUser(tx, by),
			audit.Entry{Action: audit.WebhookSaved, UserID: h.UserID, What: "it is on again", Before: h.Host(), After: h.Host()})
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
		teamdb.Record(teamdb.AsUser(tx, by), audit.Entry{Action: audit.WebhookDeleted, UserID: h.UserID, What: whose(h), Before: h.Host()})
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
// outbox.DeliveryLasts for a webhook to be turned on or confirmed, or for its owner to have
// a role again. It also turns webhooks off again that a process of an earlier version has
// turned on in the earlier format.
func (s *Webhooks) Sweep(ctx context.Context, now time.Time) error {
	return engine.About("webhooks", s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Exec(`DELETE FROM webhook_secrets WHERE until <= $1`, engine.Instant(now))
		tx.Exec(`
			DELETE FROM deliveries WHERE outcome = '' AND created_at <= $1
				AND (next_at IS NULL OR webhook_id NOT IN (SELECT h.id FROM webhooks h WHERE `+tells+`))`,
			engine.Instant(now.Add(-outbox.DeliveryLasts)))
		tx.Exec(
			`UPDATE webhooks SET state = 'off', failures = 0, failing_since = NULL, quiet_until = NULL WHERE standard = 0 AND state <> 'off'`,
		)
		tx.Exec(`
			UPDATE deliveries SET outcome = 'gave up', problem = $1, next_at = NULL
			WHERE outcome = '' AND webhook_id IN (SELECT id FROM webhooks WHERE standard = 0)`, earlierFormat)
	}))
}

// earlierFormat is the problem of deliveries that are given up because their webhook is not
// Standard.
const earlierFormat = "The webhook has the earlier format and is off."

// tells is the condition that something may be sent to webhook h.
const tells = `h.standard = 1 AND h.held = 0
	AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = h.user_id AND (u.refused_at IS NOT NULL OR u.deactivated_at IS NOT NULL))`

// turnedOff is the setting that lists the webhooks whose owners are to be told that an
// upgrade has turned them off.
const turnedOff = "webhooks turned off"

// TellTurnedOff queues mails to the owners of webhooks that an upgrade has turned off.
func (s *Webhooks) TellTurnedOff(ctx context.Context, now time.Time) error {
	waits, err := engine.Read(ctx, s.db, turnedOff, func(tx *engine.Tx) bool { return teamdb.Setting(tx, turnedOff) != "" })
	if err != nil || !waits {
		return err
	}
	return engine.About(turnedOff, s.db.Write(ctx, func(tx *engine.Tx) {
		listed := teamdb.Setting(tx, turnedOff)
		if !tx.OK() || listed == "" { // another process has told them
			return
		}
		hooks := engine.All(tx, schema.Webhooks.Scan(), `
			SELECT `+schema.Webhooks.Columns+` FROM webhooks h
			WHERE h.standard = 0 AND h.id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) ORDER BY h.id`, listed)
		for _, h := range hooks {
			mail := outbox.NewMail(outbox.MailFormat, h.UserID, now)
			mail.Details = outbox.MailDetails{Host: h.Host(), Webhook: h.ID}
			teamdb.PutMail(tx, mail)
		}
		tx.Exec(`DELETE FROM settings WHERE name = $1`, turnedOff)
	}))
}

// TellOfMaker queues mails to the admins about the webhooks of the team that somebody has
// made who leaves. They stay.
func TellOfMaker(tx *engine.Tx, leaver db.User, now time.Time) {
	for _, h := range engine.All(tx, schema.Webhooks.Scan(), `
		SELECT `+schema.Webhooks.Columns+` FROM webhooks h WHERE h.user_id IS NULL AND h.made_by = $1 ORDER BY h.id`, leaver.ID) {
		mail := outbox.NewMail(outbox.MailMaker, 0, now)
		mail.Details = outbox.MailDetails{By: leaver.Name, Host: h.Host(), Webhook: h.ID}
		teamdb.PutMailToAdmins(tx, mail)
	}
}

// tellOfPause queues mails to those who may turn the webhook on again.
func tellOfPause(tx *engine.Tx, h outbox.Webhook, now time.Time) {
	mail := outbox.NewMail(outbox.MailWebhook, h.UserID, now)
	mail.Topic = fmt.Sprintf("webhook %d for %d", h.ID, h.UserID)
	mail.Details = outbox.MailDetails{Host: h.Host(), Webhook: h.ID}
	if !h.IsTeams() {
		teamdb.PutMail(tx, mail)
		return
	}
	mail.Topic = "" // each admin gets one
	teamdb.PutMailToAdmins(tx, mail)
}

// sortedByID sorts what a statement has returned in no order.
func sortedByID(due []outbox.Delivery) []outbox.Delivery {
	slices.SortFunc(due, func(a, b outbox.Delivery) int { return int(a.ID - b.ID) })
	return due
}

// keptDeliveries is how many deliveries of each webhook are kept that are over.
const keptDeliveries = 50

// waitingTests is how many tests of one webhook may wait to be delivered.
const waitingTests = 5

// AddTest queues a test, which is also sent to a webhook that is off or paused, and returns
// its ID. It returns db.ErrFull if several tests are waiting already, and the error of
// outbox.Webhook.Rests if nothing may be sent to the webhook. Deliveries about tasks
// are added by a trigger when a task's state changes, others by teamdb.PutDeliveries.
func (s *Webhooks) AddTest(ctx context.Context, id, by int64, now time.Time) (delivery int64, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Check(webhookOf(tx, id, by).Rests())
		n := tx.Count(`SELECT 1 FROM deliveries WHERE webhook_id = $1 AND type = 'test' AND next_at IS NOT NULL`, id)
		tx.Require(n < waitingTests, db.ErrFull)
		tx.Insert(&delivery, `
			INSERT INTO deliveries (webhook_id, type, created_at, next_at) VALUES ($1, 'test', $2, $2) RETURNING id`, id,
			engine.Instant(now))
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

var claimDeliveries = `
	UPDATE deliveries SET leased_by = $1, leased_until = $3
	WHERE id IN (
		SELECT min(d.id) FROM deliveries d JOIN webhooks h ON h.id = d.webhook_id
		WHERE d.next_at <= $2 AND (d.leased_until IS NULL OR d.leased_until <= $2) AND (h.quiet_until IS NULL OR h.quiet_until <= $2)
			AND ` + tells + `
			AND d.webhook_id NOT IN (SELECT webhook_id FROM deliveries WHERE leased_until > $2)
		GROUP BY d.webhook_id ORDER BY min(d.next_at), min(d.id) LIMIT $4 + 0)
	RETURNING ` + schema.Deliveries.Columns

// ClaimDeliveries leases to the owner, until the time until, deliveries that are due: at
// most limit, and only the oldest of each webhook, so that a slow receiver delays nobody
// else's.
func (s *Webhooks) ClaimDeliveries(ctx context.Context, owner string, now, until time.Time, limit int) ([]outbox.Delivery, error) {
	var due []outbox.Delivery
	err := s.db.Write(ctx, func(tx *engine.Tx) {
		due = engine.All(tx, schema.Deliveries.Scan(), claimDeliveries, owner, engine.Instant(now), engine.Instant(until), max(0, limit))
	})
	return sortedByID(due), engine.About("due deliveries", err)
}

// SettleDelivery records the owner's attempt at the delivery, ends the lease, and deletes
// the webhook's oldest deliveries that are over. It returns the webhook, and whether the
// attempt has paused it, which mails tell of. It returns db.ErrConflict if the owner no
// longer holds the lease.
func (s *Webhooks) SettleDelivery(ctx context.Context, owner string, d outbox.Delivery,
	a outbox.Attempt) (h outbox.Webhook, paused bool, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		h = engine.One(tx, schema.Webhooks.Scan(), webhookByID, d.WebhookID)
		before, settled := h, d
		if !tx.OK() {
			return
		}
		paused = h.Record(&settled, a)
		tx.ExecOr(db.ErrConflict, `
			UPDATE deliveries SET outcome = $1, http = $2, problem = $3, tries = $4, tried_at = $5, next_at = $6, leased_by = '', leased_until = NULL
			WHERE id = $7 AND leased_by = $8 AND leased_until IS NOT NULL`,
			settled.Outcome, settled.HTTP, settled.Problem, settled.Tries, engine.Instant(settled.TriedAt),
			engine.Instant(settled.NextAt), d.ID, owner)
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
		tx.Exec(`UPDATE deliveries SET outcome = $1, problem = $2, next_at = NULL WHERE webhook_id = $3 AND outcome = ''`,
			outbox.GaveUp, a.Problem, after.ID)
	}
}

var deliveryByID = `
	SELECT ` + schema.Deliveries.Columns + ` FROM deliveries WHERE webhook_id = $1 AND id = $2`

// Delivery returns the webhook's delivery with the ID.
func (s *Webhooks) Delivery(ctx context.Context, webhookID, id int64) (outbox.Delivery, error) {
	return engine.ReadOne(ctx, s.db.Reads, "delivery to "+webhook(webhookID), schema.Deliveries.Scan(), deliveryByID, webhookID, id)
}

var latestDeliveries = `
	SELECT ` + schema.Deliveries.Columns + `
	FROM deliveries WHERE webhook_id = $1 ORDER BY id DESC LIMIT $2 + 0`

// Deliveries returns the latest deliveries to the webhook, the newest first.
func (s *Webhooks) Deliveries(ctx context.Context, webhookID int64, limit int) ([]outbox.Delivery, error) {
	return engine.ReadAll(ctx, s.db.Reads, "deliveries to "+webhook(webhookID), schema.Deliveries.Scan(), latestDeliveries,
		webhookID, max(0, limit))
}
