package video

import (
	"context"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/review"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// subscriptionColumns are the columns of guest_mails e for subscriptionFields.
const subscriptionColumns = `e.id, e.share_id, e.address, e.created_at, e.confirmed_at, e.stopped_at`

func subscriptionFields(s *review.Subscription) []any {
	return []any{&s.ID, &s.ShareID, &s.Address, (*engine.Instant)(&s.CreatedAt), (*engine.Instant)(&s.ConfirmedAt), (*engine.Instant)(&s.StoppedAt)}
}

func subscriptionName(id int64) string { return fmt.Sprintf("subscription %d", id) }

// Subscription returns the subscription with the ID.
func (s *Guests) Subscription(ctx context.Context, id int64) (review.Subscription, error) {
	return engine.ReadOne(ctx, s.db.Reads, subscriptionName(id), engine.ScanFields(subscriptionFields), `SELECT `+subscriptionColumns+` FROM guest_mails e WHERE e.id = $1`, id)
}

// SubscriptionOf returns the subscription of the guest. It returns db.ErrNotFound if they have
// given no address.
func (s *Guests) SubscriptionOf(ctx context.Context, guestID int64) (review.Subscription, error) {
	return engine.ReadOne(ctx, s.db.Reads, fmt.Sprintf("subscription of guest %d", guestID), engine.ScanFields(subscriptionFields), `
		SELECT `+subscriptionColumns+` FROM guest_mails e JOIN guests c ON c.mail_id = e.id WHERE c.id = $1`, guestID)
}

// TurnMails turns the mails of the subscription on, which also confirms the address, or off.
func (s *Guests) TurnMails(ctx context.Context, id int64, on bool, now time.Time) error {
	return engine.About(subscriptionName(id), s.db.Write(ctx, func(tx *engine.Tx) {
		if on {
			tx.ExecOr(db.ErrNotFound, `UPDATE guest_mails SET confirmed_at = coalesce(confirmed_at, $1), stopped_at = NULL WHERE id = $2`, engine.Instant(now), id)
			return
		}
		tx.ExecOr(db.ErrNotFound, `UPDATE guest_mails SET stopped_at = coalesce(stopped_at, $1) WHERE id = $2`, engine.Instant(now), id)
	}))
}

// subscribe gives the guest the subscription of their address on the link. A new one is asked
// for confirmation: if that cannot be done now, it fails with review.ErrManyMails.
func subscribe(tx *engine.Tx, g review.Guest, now time.Time) {
	if g.Email == "" {
		return
	}
	var id int64
	key := db.EmailKey(g.Email)
	if known := tx.Row(`SELECT id FROM guest_mails WHERE share_id = $1 AND address_key = $2`, g.ShareID, key).Find(&id); tx.OK() && !known {
		tx.Insert(&id, `INSERT INTO guest_mails (share_id, address, address_key, created_at) VALUES ($1, $2, $3, $4) RETURNING id`, g.ShareID, g.Email, key, engine.Instant(now))
		tx.Require(kit.AskGuest(tx, id, g.Email, now), review.ErrManyMails)
	}
	tx.Exec(`UPDATE guests SET mail_id = $1 WHERE id = $2`, id, g.ID)
}

// wanting is the condition for a subscription e, of the link s, to which mails are sent at the
// time $1.
const wanting = `e.confirmed_at IS NOT NULL AND e.stopped_at IS NULL AND s.revoked_at IS NULL AND s.expires_at > $1`

// tellOfReply queues mails to the guests in whose thread the reply is, except for its author.
func tellOfReply(tx *engine.Tx, reply review.Note) {
	if reply.Internal {
		return
	}
	for _, e := range engine.All(tx, engine.ScanFields(subscriptionFields), `
		SELECT DISTINCT `+subscriptionColumns+`
		FROM notes n JOIN guests c ON c.id = n.guest_id JOIN guest_mails e ON e.id = c.mail_id JOIN shares s ON s.id = e.share_id
		WHERE (n.id = $2 OR n.parent_id = $2) AND `+wanting+` AND (CAST($3 AS BIGINT) = 0 OR c.share_id = $3)
			AND NOT EXISTS (SELECT 1 FROM guests a WHERE a.id = $4 AND a.mail_id = e.id)`,
		engine.Instant(reply.CreatedAt), reply.ParentID, reply.ShareID, reply.Author.GuestID) {
		kit.MailReplies(tx, e.ID, e.Address, reply.CreatedAt)
	}
}

// tellOfTake queues mails to the guests of the link about a new take that is ready on it. The
// mail is not sent if the link does not show the take by then.
func tellOfTake(tx *engine.Tx, shareID, taskID int64, now time.Time) {
	for _, e := range engine.All(tx, engine.ScanFields(subscriptionFields), `
		SELECT `+subscriptionColumns+` FROM guest_mails e JOIN shares s ON s.id = e.share_id
		WHERE e.share_id = $2 AND `+wanting, engine.Instant(now), shareID) {
		kit.MailTake(tx, e.ID, e.Address, taskID, now)
	}
}

// RepliesFor returns the replies since the time by others to what guests with the subscription
// wrote, the oldest first, as far as guests of the link see them.
func (s *Notes) RepliesFor(ctx context.Context, sub review.Subscription, since time.Time) ([]review.Note, error) {
	return engine.Read(ctx, s.db, "replies for "+subscriptionName(sub.ID), func(tx *engine.Tx) []review.Note {
		return notes(tx, notesWithAuthor+`
			WHERE n.parent_id IN (
				SELECT coalesce(w.parent_id, w.id) FROM guests g JOIN notes w ON w.guest_id = g.id WHERE g.mail_id = $1
			) AND n.created_at >= $2 AND n.internal = 0 AND n.share_id IN (0, $3)
				AND NOT EXISTS (SELECT 1 FROM guests a WHERE a.id = n.guest_id AND a.mail_id = $1)
			ORDER BY n.id`, sub.ID, engine.Instant(since), sub.ShareID)
	})
}
