package teamdb

import (
	"cmp"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
)

var addedMail = schema.Mails.Part(schema.Added)

// PutMail queues the mail, in the transaction of the change that it tells of. A notice
// is queued only for people who want it. If a mail with the same topic is waiting
// already, that one is updated instead. While there is no mail server, nothing is queued:
// whoever sets one up later would send what is out of date.
func PutMail(tx *engine.Tx, m outbox.Mail) {
	if Setting(tx, MailServerSetting) == NoMailServer || !tx.OK() {
		return
	}
	if notice := m.Kind.Notice(); notice != "" {
		if wanted := WantsNotice(tx, m.UserID, notice); !tx.OK() || !wanted {
			return
		}
	}
	tx.About("mail").Exec(`
		INSERT INTO mails (address, address_key, sealed, `+addedMail.Names+`)
		VALUES ($1, $2, CAST($3 AS BLOB), `+addedMail.Places(4)+`)
		ON CONFLICT (topic) WHERE topic <> '' AND next_at IS NOT NULL DO UPDATE SET
			details = excluded.details, sealed = excluded.sealed, until = excluded.until, next_at = excluded.next_at, changes = mails.changes + 1`,
		addedMail.Values(&m, m.Address, db.EmailKey(m.Address), m.Sealed)...)
}

// MailServerSetting is the setting that says when a process with a mail server was last seen,
// in Unix milliseconds, or that there is none: NoMailServer. It is empty before the first
// start.
const MailServerSetting = "mail server"

// NoMailServer is the value of MailServerSetting while no process has a mail server.
const NoMailServer = "none"

// PutMailToAdmins is like PutMail, with one copy of the mail for every admin.
func PutMailToAdmins(tx *engine.Tx, m outbox.Mail) {
	for _, id := range engine.All(tx, engine.ScanValue[int64],
		`SELECT id FROM users WHERE role = 'admin' AND deactivated_at IS NULL ORDER BY id`) {
		m.UserID, m.Name = id, secrets.NewToken()
		PutMail(tx, m)
	}
}

// WantsNotice reports whether the person wants the notice by mail.
func WantsNotice(tx *engine.Tx, userID int64, n outbox.Notice) (wanted bool) {
	tx.About("notices of "+engine.User(userID)).Row(`
		SELECT coalesce(c.wanted, $3) FROM users u LEFT JOIN mail_choices c ON c.user_id = u.id AND c.notice = $2
		WHERE u.id = $1 AND u.deactivated_at IS NULL`, userID, n, n.IsStandard()).Find(&wanted)
	return wanted
}

// MailEnded queues a mail to the maker of a task that has just ended, if they want one.
// Tasks of one batch share a mail.
func MailEnded(tx *engine.Tx, t db.Task, now time.Time) {
	wanted := engine.Value[bool](tx.About("notices of "+engine.User(t.UserID)), `
		SELECT EXISTS (SELECT 1 FROM mail_choices c JOIN users u ON u.id = c.user_id
			WHERE c.user_id = $1 AND c.notice IN ('ready', 'failed') AND c.wanted = 1 AND u.deactivated_at IS NULL)`, t.UserID)
	if !tx.OK() || !wanted {
		return
	}
	m := outbox.NewMail(outbox.MailVideos, t.UserID, now)
	m.NextAt = now.Add(mailPause)
	m.Details = outbox.MailDetails{Batch: t.Batch, TaskID: t.ID}
	m.Topic = "videos of " + strconv.FormatInt(t.UserID, 10) + " " + cmp.Or(t.Batch, strconv.FormatInt(t.ID, 10))
	PutMail(tx, m)
}

// mailPause is the delay of a mail about ended videos, so that it covers the videos of a
// batch that end at about the same time.
const mailPause = 15 * time.Second

// quietPause is the delay of a mail about notes after the last of them, so that one mail
// covers those that are written one after another.
const quietPause = 5 * time.Minute

// MailNews queues a mail that tells the person about a new note or, if answer is set, about
// a guest's decision, unless they have turned such mails off. News that arrive shortly after
// one another go into one mail.
func MailNews(tx *engine.Tx, userID int64, answer bool, now time.Time) {
	notice := outbox.NoticeNotes
	if answer {
		notice = outbox.NoticeAnswer
	}
	if wanted := WantsNotice(tx, userID, notice); !tx.OK() || !wanted {
		return
	}
	m := outbox.NewMail(outbox.MailNews, userID, now)
	m.NextAt, m.Topic = now.Add(quietPause), "news of "+strconv.FormatInt(userID, 10)
	PutMail(tx, m)
}

// AskGuest queues the mail that asks whether the address of the subscription is right. It
// reports whether it did: not if the address got outbox.MostToGuest mails lately.
func AskGuest(tx *engine.Tx, subscription int64, address string, now time.Time) bool {
	if next := nextToGuest(tx, address, "", now); !tx.OK() || next.After(now) {
		return false
	}
	m := toGuest(outbox.MailConfirm, subscription, address, now)
	PutMail(tx, m)
	return true
}

// MailReplies queues a mail about replies to what the guest with the subscription wrote. All
// that are written one after another share a mail.
func MailReplies(tx *engine.Tx, subscription int64, address string, now time.Time) {
	m := toGuest(outbox.MailReplies, subscription, address, now)
	m.Topic = "replies for " + strconv.FormatInt(subscription, 10)
	m.NextAt = nextToGuest(tx, address, m.Topic, now.Add(quietPause))
	PutMail(tx, m)
}

// MailTake queues a mail about a new take of a video on the guest's link.
func MailTake(tx *engine.Tx, subscription int64, address string, taskID int64, now time.Time) {
	m := toGuest(outbox.MailTake, subscription, address, now)
	m.Topic, m.Details.TaskID = "take for "+strconv.FormatInt(subscription, 10)+" "+strconv.FormatInt(taskID, 10), taskID
	m.NextAt = nextToGuest(tx, address, m.Topic, now)
	PutMail(tx, m)
}

func toGuest(kind outbox.MailKind, subscription int64, address string, now time.Time) outbox.Mail {
	m := outbox.NewMail(kind, 0, now)
	m.Address, m.Details.GuestID = address, subscription
	return m
}

// nextToGuest returns when a mail to the address of a guest may be sent, from the time first
// on. The mail that waits with the topic is not counted, because it is replaced.
func nextToGuest(tx *engine.Tx, address, topic string, first time.Time) time.Time {
	others := engine.All(tx, engine.ScanFields(func(at *time.Time) []any { return []any{(*engine.Instant)(at)} }), `
		SELECT coalesce(sent_at, next_at) FROM mails
		WHERE address_key = $1 AND kind IN ('confirm', 'replies', 'take') AND coalesce(sent_at, next_at) > $2
			AND (sent_at IS NOT NULL OR topic = '' OR topic <> $3)
		ORDER BY coalesce(sent_at, next_at) DESC LIMIT $4 + 0`, db.EmailKey(address), engine.Instant(first.Add(-outbox.ToGuestWithin)),
		topic, outbox.MostToGuest)
	if !tx.OK() || len(others) < outbox.MostToGuest {
		return first
	}
	if free := others[outbox.MostToGuest-1].Add(outbox.ToGuestWithin); free.After(first) {
		return free
	}
	return first
}

// PutDeliveries queues the delivery to those webhooks of the people, and to the team's if
// team is set, that want to be told of its event, in the transaction of the change that it
// tells of.
func PutDeliveries(tx *engine.Tx, d outbox.Delivery, people []int64, team bool) {
	tx.About("deliveries").Exec(`
		INSERT INTO deliveries (webhook_id, type, task_id, note_id, guest_id, ask_id, created_at, next_at)
		SELECT h.id, k.value, nullif(CAST($2 AS BIGINT), 0), nullif(CAST($3 AS BIGINT), 0), nullif(CAST($4 AS BIGINT), 0), nullif(CAST($5 AS BIGINT), 0),
			CAST($6 AS BIGINT), CASE WHEN h.state <> 'paused' THEN CAST($6 AS BIGINT) END
		FROM webhooks h, json_each(h.types) k
		WHERE k.value = $1 AND h.state <> 'off'
			AND (h.user_id IN (SELECT CAST(value AS BIGINT) FROM json_each($7)) OR h.user_id IS NULL AND CAST($8 AS BIGINT) = 1)
		ORDER BY h.id`,
		d.Event, d.TaskID, d.NoteID, d.GuestID, d.CreditRequestID, engine.Instant(d.CreatedAt), engine.Listed(people), team)
}
