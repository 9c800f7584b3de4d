package kit

import (
	"cmp"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/store/engine"
)

// PutMail queues the mail, in the transaction of the change that it tells of. A notice
// is queued only for people who want it. If a mail with the same topic is waiting
// already, that one is updated instead.
func PutMail(tx *engine.Tx, m outbox.Mail) {
	if notice := m.Kind.Notice(); notice != "" {
		if wanted := WantsNotice(tx, m.UserID, notice); !tx.OK() || !wanted {
			return
		}
	}
	tx.About("mail").Exec(`
		INSERT INTO mails (name, kind, user_id, address, topic, details, sealed, created_at, until, next_at)
		VALUES ($1, $2, nullif(CAST($3 AS BIGINT), 0), $4, $5, $6, CAST($7 AS BLOB), $8, $9, $10)
		ON CONFLICT (topic) WHERE topic <> '' AND next_at IS NOT NULL DO UPDATE SET
			details = excluded.details, sealed = excluded.sealed, until = excluded.until, next_at = excluded.next_at, changes = mails.changes + 1`,
		m.Name, m.Kind, m.UserID, m.Address, m.Topic, engine.AsJSON(&m.Details), m.Sealed, engine.Instant(m.CreatedAt), engine.Instant(m.Until), engine.Instant(m.NextAt))
}

// PutMailToAdmins is like PutMail, with one copy of the mail for every admin.
func PutMailToAdmins(tx *engine.Tx, m outbox.Mail) {
	for _, id := range engine.All(tx, engine.ScanValue[int64], `SELECT id FROM users WHERE role = 'admin' AND deactivated_at IS NULL ORDER BY id`) {
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
