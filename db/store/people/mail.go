package people

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/format"
	"dailies/db/outbox"
	"dailies/db/signin"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Mail stores the mails that wait to be sent, and which notices people want.
type Mail struct {
	db *teamdb.DB
}

// mailParked is how long a mail waits for the rest of its batch before it is tried again.
// It is tried sooner whenever another video of the batch ends.
const mailParked = 10 * time.Minute

// AddMail queues a mail that does not tell of a change.
func (s *Mail) AddMail(ctx context.Context, m outbox.Mail) error {
	return s.db.Write(ctx, func(tx *engine.Tx) { teamdb.PutMail(tx, m) })
}

// ClaimMails leases to the owner, until the time until, at most limit mails that are
// due, the oldest first. Due mails to closed accounts are deleted.
func (s *Mail) ClaimMails(ctx context.Context, owner string, now, until time.Time, limit int) ([]outbox.Mail, error) {
	waits, err := engine.ReadValue[bool](ctx, s.db.Reads, "due mails",
		`SELECT EXISTS (SELECT 1 FROM mails WHERE next_at <= $1)`, engine.Instant(now))
	if err != nil || !waits {
		return nil, err // a read costs far less than the write below
	}
	var due []outbox.Mail
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Exec(`
			DELETE FROM mails WHERE next_at <= $1 AND (leased_until IS NULL OR leased_until <= $1)
				AND user_id IN (SELECT id FROM users WHERE deactivated_at IS NOT NULL)`, engine.Instant(now))
		ids := engine.All(tx, engine.ScanValue[int64], `
			UPDATE mails SET leased_by = $1, leased_until = $3
			WHERE id IN (
				SELECT id FROM mails WHERE next_at <= $2 AND (leased_until IS NULL OR leased_until <= $2)
				ORDER BY next_at, id LIMIT $4 + 0)
			RETURNING id`, owner, engine.Instant(now), engine.Instant(until), max(0, limit))
		if !tx.OK() || len(ids) == 0 {
			return
		}
		due = engine.All(tx, schema.Mails.Scan(), `
			SELECT `+schema.Mails.Columns+` FROM mails m LEFT JOIN users u ON u.id = m.user_id
			WHERE m.id IN (SELECT CAST(value AS BIGINT) FROM json_each($1) listed)`, engine.Listed(ids))
	})
	slices.SortFunc(due, func(a, b outbox.Mail) int { return cmp.Compare(a.ID, b.ID) })
	return due, engine.About("due mails", err)
}

// SettleMail records the outcome of the owner's attempt to send the mail, and ends the
// lease. If the mail will not be tried again, its contents are erased. If the mail was
// updated meanwhile (see teamdb.PutMail), it stays due as the update says. It returns
// db.ErrConflict if the owner no longer holds the lease.
func (s *Mail) SettleMail(ctx context.Context, owner string, m outbox.Mail) error {
	return engine.About("mail "+m.Name, s.db.Write(ctx, func(tx *engine.Tx) {
		tx.ExecOr(db.ErrConflict, `
			UPDATE mails SET problem = $1, tries = $2, tried_at = $3, sent_at = CASE WHEN changes = $7 THEN CAST($4 AS BIGINT) END,
				next_at = CASE WHEN changes = $7 THEN CAST($5 AS BIGINT) ELSE next_at END,
				details = CASE WHEN changes = $7 AND CAST($5 AS BIGINT) IS NULL THEN '{}' ELSE details END,
				sealed = CASE WHEN changes = $7 AND CAST($5 AS BIGINT) IS NULL THEN NULL ELSE sealed END,
				leased_by = '', leased_until = NULL
			WHERE id = $6 AND leased_by = $8 AND leased_until IS NOT NULL`,
			m.Problem, m.Tries, engine.Instant(m.TriedAt), engine.Instant(m.SentAt), engine.Instant(m.NextAt), m.ID, m.Changes, owner)
	}))
}

// ParkMail makes a mail wait for the other videos of its batch.
func (s *Mail) ParkMail(ctx context.Context, owner string, m outbox.Mail, now time.Time) error {
	m.NextAt = now.Add(mailParked)
	return engine.About("mail "+m.Name, s.db.Write(ctx, func(tx *engine.Tx) {
		tx.ExecOr(db.ErrConflict, `
			UPDATE mails SET next_at = CASE WHEN changes = $2 THEN CAST($1 AS BIGINT) ELSE next_at END,
				until = CASE WHEN until < CAST($3 AS BIGINT) THEN CAST($3 AS BIGINT) ELSE until END, leased_by = '', leased_until = NULL
			WHERE id = $4 AND leased_by = $5 AND leased_until IS NOT NULL`,
			engine.Instant(m.NextAt), m.Changes, engine.Instant(now.Add(outbox.MailLife)), m.ID, owner)
	}))
}

// DropMail deletes a mail that is not wanted, or that is replaced by others. It returns
// db.ErrConflict if the owner no longer holds the lease.
func (s *Mail) DropMail(ctx context.Context, owner string, m outbox.Mail) error {
	return engine.About("mail "+m.Name, s.db.Write(ctx, func(tx *engine.Tx) { dropMail(tx, owner, m) }))
}

func dropMail(tx *engine.Tx, owner string, m outbox.Mail) {
	tx.ExecOr(db.ErrConflict, `DELETE FROM mails WHERE id = $1 AND leased_by = $2 AND leased_until IS NOT NULL`, m.ID, owner)
}

// ForgotMail adds the link r, which sets a new password, and queues the mail m with it
// in place of asked, the mail that recorded the request. If an admin or the operator of
// the server has made a link that is still open, that one stays and nothing is sent,
// because anybody can request a link for any address.
func (s *Mail) ForgotMail(ctx context.Context, owner string, asked outbox.Mail, r signin.Reset, m outbox.Mail) error {
	return engine.About("mail "+asked.Name, s.db.Write(ctx, func(tx *engine.Tx) {
		dropMail(tx, owner, asked)
		open := tx.Count(`SELECT 1 FROM resets WHERE user_id = $1 AND expires_at > $2 AND by_server <> $3`,
			r.UserID, engine.Instant(r.CreatedAt), byAsking)
		if !tx.OK() || open > 0 {
			return
		}
		r.Requested = true
		putReset(tx, r)
		teamdb.PutMail(tx, m)
	}))
}

// Ended counts the videos that the mail is about, by their outcome.
func (s *Mail) Ended(ctx context.Context, m outbox.Mail) (e outbox.Ended, err error) {
	err = s.db.Reads.QueryRowContext(ctx, `
		SELECT coalesce(sum(CASE WHEN state IN ('queued', 'sending', 'pending', 'processing') THEN 1 ELSE 0 END), 0),
			coalesce(sum(CASE WHEN state = 'success' THEN 1 ELSE 0 END), 0),
			coalesce(sum(CASE WHEN state IN ('failed', 'canceled', 'rejected') THEN 1 ELSE 0 END), 0),
			coalesce(sum(CASE WHEN state = 'unconfirmed' THEN 1 ELSE 0 END), 0),
			coalesce(min(id), 0), coalesce(min(title), '')
		FROM tasks
		WHERE user_id = $1 AND purged_at IS NULL
			AND (id = $2 OR (CAST($3 AS TEXT) <> '' AND batch = $3))`,
		m.UserID, m.Details.TaskID, m.Details.Batch).Scan(&e.Running, &e.Ready, &e.Failed, &e.Unsure, &e.TaskID, &e.Title)
	return e, engine.About("videos of a mail", err)
}

// WantedNotices returns which notices the person wants by mail.
func (s *Mail) WantedNotices(ctx context.Context, userID int64) (map[outbox.Notice]bool, error) {
	wanted := map[outbox.Notice]bool{}
	err := s.db.Read(ctx, func(tx *engine.Tx) {
		for _, n := range outbox.Notices() {
			wanted[n] = teamdb.WantsNotice(tx, userID, n)
		}
	})
	return wanted, err
}

// SetNotices stores which notices the person wants by mail.
func (s *Mail) SetNotices(ctx context.Context, userID int64, wanted map[outbox.Notice]bool) error {
	return engine.About("notices of "+engine.User(userID), s.db.Write(ctx, func(tx *engine.Tx) {
		var before, after []string
		for _, n := range outbox.Notices() {
			wants := teamdb.WantsNotice(tx, userID, n)
			if tx.OK() && wants {
				before = append(before, string(n))
			}
			if wanted[n] {
				after = append(after, string(n))
			}
			tx.Exec(`
				INSERT INTO mail_choices (user_id, notice, wanted) VALUES ($1, $2, $3)
				ON CONFLICT (user_id, notice) DO UPDATE SET wanted = excluded.wanted`, userID, n, wanted[n])
		}
		if slices.Equal(before, after) {
			return
		}
		e := audit.Entry{Action: audit.NoticesChosen, UserID: userID, Before: format.List(before), After: format.List(after)}
		teamdb.Record(teamdb.AsUser(tx, userID), e)
	}))
}

// serverSeen is for how long a mail server counts that a process has reported.
const serverSeen = 5 * time.Minute

// KeepServer records whether this process has a mail server. Processes report it when they
// start and about every minute: there is none when no process has reported one for five
// minutes. Then waiting mails end, so that nobody gets them late when a server is set up.
func (s *Mail) KeepServer(ctx context.Context, has bool, now time.Time) error {
	known, err := engine.ReadValue[bool](ctx, s.db.Reads, "mail server", `
		SELECT EXISTS (SELECT 1 FROM settings WHERE name = $1 AND value = $2) AND NOT EXISTS (SELECT 1 FROM mails WHERE next_at IS NOT NULL)`,
		teamdb.MailServerSetting, teamdb.NoMailServer)
	if err != nil || known && !has {
		return err // a read costs less than the write below
	}
	return engine.About("mail server", s.db.Write(ctx, func(tx *engine.Tx) {
		before := teamdb.Setting(tx, teamdb.MailServerSetting)
		if !tx.OK() {
			return
		}
		millis, _ := strconv.ParseInt(before, 10, 64) // 0 for anything else
		switch {
		case has:
			if before == "" {
				endUntried(tx, now)
			}
			teamdb.PutSetting(tx, teamdb.MailServerSetting, strconv.FormatInt(now.UnixMilli(), 10))
		case now.Sub(time.UnixMilli(millis)).Abs() > serverSeen:
			endMails(tx, `next_at IS NOT NULL`)
			teamdb.PutSetting(tx, teamdb.MailServerSetting, teamdb.NoMailServer)
		}
	}))
}

// endUntried ends the mails of an earlier version of the program that had no mail server: it
// has tried none, although some were due long ago.
func endUntried(tx *engine.Tx, now time.Time) {
	if tried := tx.Count(`SELECT 1 FROM mails WHERE tried_at IS NOT NULL LIMIT 1`); tx.OK() && tried == 0 {
		endMails(tx, `next_at <= $1`, engine.Instant(now.Add(-serverSeen)))
	}
}

// endMails ends the waiting mails that meet the condition.
func endMails(tx *engine.Tx, where string, args ...any) {
	tx.Exec(`
		UPDATE mails SET next_at = NULL, details = '{}', sealed = NULL, leased_by = '', leased_until = NULL, problem = 'No mail server was set up.'
		WHERE `+where, args...)
}

// Mails returns the latest mails, the newest first.
func (s *Mail) Mails(ctx context.Context, limit int) ([]outbox.Mail, error) {
	return engine.ReadAll(ctx, s.db.Reads, "mails", schema.Mails.Scan(), `
		SELECT `+schema.Mails.Columns+` FROM mails m LEFT JOIN users u ON u.id = m.user_id
		WHERE m.kind <> 'forgot' ORDER BY m.id DESC LIMIT $1 + 0`, max(0, limit))
}

// mailsKept is for how long the record of a sent or abandoned mail is kept.
const mailsKept = 30 * 24 * time.Hour

// SweepMails abandons mails that have waited for too long, for example because no mail
// server is configured, and deletes old records.
func (s *Mail) SweepMails(ctx context.Context, now time.Time) error {
	err := s.db.ExecInBatches(ctx, `
		UPDATE mails SET next_at = NULL, details = '{}', sealed = NULL, leased_by = '', leased_until = NULL,
			problem = CASE WHEN problem = '' THEN 'It waited for too long.' ELSE problem END
		WHERE id IN (
			SELECT id FROM mails WHERE next_at IS NOT NULL AND until <= $1 AND (leased_until IS NULL OR leased_until <= $1) LIMIT $2 + 0)`,
		engine.Instant(now), engine.BatchSize)
	if err == nil {
		err = s.db.ExecInBatches(ctx, `
			DELETE FROM mails WHERE id IN (SELECT id FROM mails WHERE next_at IS NULL AND created_at <= $1 LIMIT $2 + 0)`,
			engine.Instant(now.Add(-mailsKept)), engine.BatchSize)
	}
	return engine.About("old mails", err)
}
