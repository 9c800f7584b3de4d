package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/team"
)

// putMail queues the mail, in the transaction of the change that it tells of. A notice
// is queued only for people who want it. If a mail with the same topic is waiting
// already, that one is updated instead.
func putMail(ctx context.Context, tx *sql.Tx, m team.Mail) error {
	if notice := m.Kind.Notice(); notice != "" {
		wanted, err := wantsNotice(ctx, tx, m.UserID, notice)
		if err != nil || !wanted {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO mails (name, kind, user_id, address, topic, details, sealed, created_at, until, next_at)
		VALUES ($1, $2, nullif(CAST($3 AS BIGINT), 0), $4, $5, $6, CAST($7 AS BLOB), $8, $9, $10)
		ON CONFLICT (topic) WHERE topic <> '' AND next_at IS NOT NULL DO UPDATE SET
			details = excluded.details, sealed = excluded.sealed, until = excluded.until, next_at = excluded.next_at, changes = mails.changes + 1`,
		m.Name, m.Kind, m.UserID, m.Address, m.Topic, asJSON(&m.Details), m.Sealed, instant(m.CreatedAt), instant(m.Until), instant(m.NextAt))
	return about("mail", err)
}

// putMailToAdmins is like putMail, with one copy of the mail for every admin.
func putMailToAdmins(ctx context.Context, tx *sql.Tx, m team.Mail) error {
	admins, err := all(ctx, tx, scanValue[int64], `SELECT id FROM users WHERE role = 'admin' AND deactivated_at IS NULL ORDER BY id`)
	for _, id := range admins {
		if err == nil {
			m.UserID, m.Name = id, db.NewToken()
			err = putMail(ctx, tx, m)
		}
	}
	return err
}

func wantsNotice(ctx context.Context, tx *sql.Tx, userID int64, n team.Notice) (wanted bool, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT coalesce(c.wanted, $3) FROM users u LEFT JOIN mail_choices c ON c.user_id = u.id AND c.notice = $2
		WHERE u.id = $1 AND u.deactivated_at IS NULL`, userID, n, n.IsStandard()).Scan(&wanted)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return wanted, about("notices of "+user(userID), err)
}

// mailEnded queues a mail to the maker of a task that has just ended, if they want one.
// Tasks of one batch share a mail.
func mailEnded(ctx context.Context, tx *sql.Tx, t db.Task, now time.Time) error {
	var wanted bool
	err := tx.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM mail_choices c JOIN users u ON u.id = c.user_id
			WHERE c.user_id = $1 AND c.notice IN ('ready', 'failed') AND c.wanted = 1 AND u.deactivated_at IS NULL)`, t.UserID).Scan(&wanted)
	if err != nil || !wanted {
		return about("notices of "+user(t.UserID), err)
	}
	m := team.NewMail(team.MailVideos, t.UserID, now)
	m.NextAt = now.Add(mailPause)
	m.Details = team.MailDetails{Batch: t.Batch, TaskID: t.ID}
	m.Topic = "videos of " + strconv.FormatInt(t.UserID, 10) + " " + cmp.Or(t.Batch, strconv.FormatInt(t.ID, 10))
	return putMail(ctx, tx, m)
}

const (
	// mailPause is the delay of a mail about ended videos, so that it covers the videos
	// of a batch that end at about the same time.
	mailPause = 15 * time.Second
	// mailParked is how long a mail waits for the rest of its batch before it is tried
	// again. It is tried sooner whenever another video of the batch ends.
	mailParked = 10 * time.Minute
)

// AddMail queues a mail that does not tell of a change.
func (s *Store) AddMail(ctx context.Context, m team.Mail) error {
	return s.write(ctx, func(tx *sql.Tx) error { return putMail(ctx, tx, m) })
}

const mailColumns = `
	m.id, m.name, m.kind, coalesce(m.user_id, 0), coalesce(u.email, m.address), coalesce(u.name, ''), m.topic, m.details, m.sealed, m.changes,
	m.tries, m.problem, m.created_at, m.until, m.tried_at, m.next_at, m.sent_at`

func scanMail(rows *sql.Rows) (m team.Mail, err error) {
	err = rows.Scan(&m.ID, &m.Name, &m.Kind, &m.UserID, &m.Address, &m.Person, &m.Topic, asJSON(&m.Details), &m.Sealed, &m.Changes,
		&m.Tries, &m.Problem, (*instant)(&m.CreatedAt), (*instant)(&m.Until), (*instant)(&m.TriedAt), (*instant)(&m.NextAt), (*instant)(&m.SentAt))
	return m, err
}

// ClaimMails leases to the owner, until the time until, at most limit mails that are
// due, the oldest first. Due mails to closed accounts are deleted.
func (s *Store) ClaimMails(ctx context.Context, owner string, now, until time.Time, limit int) ([]team.Mail, error) {
	var waits bool
	if err := s.reads.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM mails WHERE next_at <= $1)`, instant(now)).Scan(&waits); err != nil || !waits {
		return nil, about("due mails", err) // a read costs far less than the write below
	}
	var due []team.Mail
	err := s.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `
			DELETE FROM mails WHERE next_at <= $1 AND (leased_until IS NULL OR leased_until <= $1)
				AND user_id IN (SELECT id FROM users WHERE deactivated_at IS NOT NULL)`, instant(now)); err != nil {
			return err
		}
		ids, err := all(ctx, tx, scanValue[int64], `
			UPDATE mails SET leased_by = $1, leased_until = $3
			WHERE id IN (
				SELECT id FROM mails WHERE next_at <= $2 AND (leased_until IS NULL OR leased_until <= $2)
				ORDER BY next_at, id LIMIT $4 + 0)
			RETURNING id`, owner, instant(now), instant(until), max(0, limit))
		if err != nil || len(ids) == 0 {
			return err
		}
		due, err = all(ctx, tx, scanMail, `
			SELECT `+mailColumns+` FROM mails m LEFT JOIN users u ON u.id = m.user_id
			WHERE m.id IN (SELECT CAST(value AS BIGINT) FROM json_each($1) listed)`, listed(ids))
		return err
	})
	slices.SortFunc(due, func(a, b team.Mail) int { return cmp.Compare(a.ID, b.ID) })
	return due, about("due mails", err)
}

// SettleMail records the outcome of the owner's attempt to send the mail, and ends the
// lease. If the mail will not be tried again, its contents are erased. If the mail was
// updated meanwhile (see putMail), it stays due as the update says. It returns
// db.ErrConflict if the owner no longer holds the lease.
func (s *Store) SettleMail(ctx context.Context, owner string, m team.Mail) error {
	return about("mail "+m.Name, s.write(ctx, func(tx *sql.Tx) error {
		return held(tx.ExecContext(ctx, `
			UPDATE mails SET problem = $1, tries = $2, tried_at = $3, sent_at = CASE WHEN changes = $7 THEN CAST($4 AS BIGINT) END,
				next_at = CASE WHEN changes = $7 THEN CAST($5 AS BIGINT) ELSE next_at END,
				details = CASE WHEN changes = $7 AND CAST($5 AS BIGINT) IS NULL THEN '{}' ELSE details END,
				sealed = CASE WHEN changes = $7 AND CAST($5 AS BIGINT) IS NULL THEN NULL ELSE sealed END,
				leased_by = '', leased_until = NULL
			WHERE id = $6 AND leased_by = $8 AND leased_until IS NOT NULL`,
			m.Problem, m.Tries, instant(m.TriedAt), instant(m.SentAt), instant(m.NextAt), m.ID, m.Changes, owner))
	}))
}

// ParkMail makes a mail wait for the other videos of its batch.
func (s *Store) ParkMail(ctx context.Context, owner string, m team.Mail, now time.Time) error {
	m.NextAt = now.Add(mailParked)
	return about("mail "+m.Name, s.write(ctx, func(tx *sql.Tx) error {
		return held(tx.ExecContext(ctx, `
			UPDATE mails SET next_at = CASE WHEN changes = $2 THEN CAST($1 AS BIGINT) ELSE next_at END,
				until = CASE WHEN until < CAST($3 AS BIGINT) THEN CAST($3 AS BIGINT) ELSE until END, leased_by = '', leased_until = NULL
			WHERE id = $4 AND leased_by = $5 AND leased_until IS NOT NULL`,
			instant(m.NextAt), m.Changes, instant(now.Add(team.MailLife)), m.ID, owner))
	}))
}

// DropMail deletes a mail that is not wanted, or that is replaced by others. It returns
// db.ErrConflict if the owner no longer holds the lease.
func (s *Store) DropMail(ctx context.Context, owner string, m team.Mail) error {
	return about("mail "+m.Name, s.write(ctx, func(tx *sql.Tx) error { return dropMail(ctx, tx, owner, m) }))
}

func dropMail(ctx context.Context, tx *sql.Tx, owner string, m team.Mail) error {
	return held(tx.ExecContext(ctx, `DELETE FROM mails WHERE id = $1 AND leased_by = $2 AND leased_until IS NOT NULL`, m.ID, owner))
}

// ForgotMail adds the link r, which sets a new password, and queues the mail m with it
// in place of asked, the mail that recorded the request. If an admin or the operator of
// the server has made a link that is still open, that one stays and nothing is sent,
// because anybody can request a link for any address.
func (s *Store) ForgotMail(ctx context.Context, owner string, asked team.Mail, r db.Reset, m team.Mail) error {
	return about("mail "+asked.Name, s.write(ctx, func(tx *sql.Tx) error {
		if err := dropMail(ctx, tx, owner, asked); err != nil {
			return err
		}
		open, err := count(ctx, tx, `SELECT 1 FROM resets WHERE user_id = $1 AND expires_at > $2 AND by_server <> $3`,
			[]any{r.UserID, instant(r.CreatedAt), byAsking})
		if err != nil || open > 0 {
			return err
		}
		r.Asked = true
		if err := putReset(ctx, tx, r); err != nil {
			return err
		}
		return putMail(ctx, tx, m)
	}))
}

// Ended counts the videos that the mail is about, by their outcome.
func (s *Store) Ended(ctx context.Context, m team.Mail) (e team.Ended, err error) {
	err = s.reads.QueryRowContext(ctx, `
		SELECT coalesce(sum(CASE WHEN state IN ('queued', 'sending', 'pending', 'processing') THEN 1 ELSE 0 END), 0),
			coalesce(sum(CASE WHEN state = 'success' THEN 1 ELSE 0 END), 0),
			coalesce(sum(CASE WHEN state IN ('failed', 'canceled', 'rejected') THEN 1 ELSE 0 END), 0),
			coalesce(sum(CASE WHEN state = 'unconfirmed' THEN 1 ELSE 0 END), 0),
			coalesce(min(id), 0), coalesce(min(title), '')
		FROM tasks
		WHERE user_id = $1 AND purged_at IS NULL
			AND (id = $2 OR (CAST($3 AS TEXT) <> '' AND batch = $3))`,
		m.UserID, m.Details.TaskID, m.Details.Batch).Scan(&e.Running, &e.Ready, &e.Failed, &e.Unsure, &e.TaskID, &e.Title)
	return e, about("videos of a mail", err)
}

// WantedNotices returns which notices the person wants by mail.
func (s *Store) WantedNotices(ctx context.Context, userID int64) (map[team.Notice]bool, error) {
	wanted := map[team.Notice]bool{}
	err := s.read(ctx, func(tx *sql.Tx) error {
		for _, n := range team.Notices() {
			wants, err := wantsNotice(ctx, tx, userID, n)
			if err != nil {
				return err
			}
			wanted[n] = wants
		}
		return nil
	})
	return wanted, err
}

// SetNotices stores which notices the person wants by mail.
func (s *Store) SetNotices(ctx context.Context, userID int64, wanted map[team.Notice]bool) error {
	return about("notices of "+user(userID), s.write(ctx, func(tx *sql.Tx) error {
		var before, after []string
		for _, n := range team.Notices() {
			wants, err := wantsNotice(ctx, tx, userID, n)
			if err != nil {
				return err
			}
			if wants {
				before = append(before, string(n))
			}
			if wanted[n] {
				after = append(after, string(n))
			}
			_, err = tx.ExecContext(ctx, `
				INSERT INTO mail_choices (user_id, notice, wanted) VALUES ($1, $2, $3)
				ON CONFLICT (user_id, notice) DO UPDATE SET wanted = excluded.wanted`, userID, n, wanted[n])
			if err != nil {
				return err
			}
		}
		if slices.Equal(before, after) {
			return nil
		}
		e := team.Entry{Action: team.NoticesChosen, UserID: userID, Before: strings.Join(before, ", "), After: strings.Join(after, ", ")}
		return record(asUser(ctx, userID), tx, e)
	}))
}

// Mails returns the latest mails, the newest first.
func (s *Store) Mails(ctx context.Context, limit int) ([]team.Mail, error) {
	mails, err := all(ctx, s.reads, scanMail, `
		SELECT `+mailColumns+` FROM mails m LEFT JOIN users u ON u.id = m.user_id
		WHERE m.kind <> 'forgot' ORDER BY m.id DESC LIMIT $1 + 0`, max(0, limit))
	return mails, about("mails", err)
}

// mailsKept is for how long the record of a sent or abandoned mail is kept.
const mailsKept = 30 * 24 * time.Hour

// SweepMails abandons mails that have waited for too long, for example because no mail
// server is configured, and deletes old records.
func (s *Store) SweepMails(ctx context.Context, now time.Time) error {
	abandon := func() (n int, err error) {
		err = counted(&n)(s.writes.ExecContext(ctx, `
			UPDATE mails SET next_at = NULL, details = '{}', sealed = NULL, leased_by = '', leased_until = NULL,
				problem = CASE WHEN problem = '' THEN 'It waited for too long.' ELSE problem END
			WHERE id IN (
				SELECT id FROM mails WHERE next_at IS NOT NULL AND until <= $1 AND (leased_until IS NULL OR leased_until <= $1) LIMIT $2 + 0)`,
			instant(now), batchSize))
		return n, err
	}
	forget := func() (n int, err error) {
		err = counted(&n)(s.writes.ExecContext(ctx, `
			DELETE FROM mails WHERE id IN (SELECT id FROM mails WHERE next_at IS NULL AND created_at <= $1 LIMIT $2 + 0)`,
			instant(now.Add(-mailsKept)), batchSize))
		return n, err
	}
	if err := inBatches(abandon); err != nil {
		return about("old mails", err)
	}
	return about("old mails", inBatches(forget))
}
