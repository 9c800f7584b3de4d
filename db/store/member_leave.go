package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
	"dailies/db/store/people"
	"dailies/db/store/schema"
	"dailies/db/store/video"
	"dailies/db/team"
)

// Belongings counts what the person has at the time now.
func (s *Store) Belongings(ctx context.Context, id int64, now time.Time) (b team.Belongings, err error) {
	err = s.db.Read(ctx, func(tx *sql.Tx) error {
		b, err = belongings(ctx, tx, id, now)
		return err
	})
	return b, engine.About("belongings of "+engine.User(id), err)
}

func belongings(ctx context.Context, tx *sql.Tx, id int64, now time.Time) (b team.Belongings, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT
			(SELECT count(*) FROM gallery WHERE user_id = $1 AND state = 'success'),
			(SELECT count(*) FROM gallery WHERE user_id = $1 AND state = 'success' AND team = 0),
			(SELECT count(*) FROM tasks WHERE user_id = $1 AND state IN ('sending', 'pending', 'processing')),
			(SELECT count(*) FROM tasks WHERE user_id = $1 AND state = 'queued'),
			(SELECT count(*) FROM tasks WHERE user_id = $1 AND state = 'unconfirmed' AND decided_at IS NULL),
			(SELECT count(*) FROM recipes WHERE created_by = $1 AND deleted_at IS NULL),
			(SELECT count(*) FROM collections WHERE created_by = $1 AND deleted_at IS NULL),
			(SELECT count(*) FROM shares WHERE created_by = $1 AND revoked_at IS NULL AND expires_at > $2),
			(SELECT count(*) FROM invites WHERE created_by = $1 AND used_at IS NULL AND expires_at > $2),
			(SELECT count(*) FROM sessions WHERE user_id = $1 AND expires_at > $2),
			EXISTS (SELECT 1 FROM keys WHERE user_id = $1), EXISTS (SELECT 1 FROM webhooks WHERE user_id = $1)`, id, engine.Instant(now),
	).Scan(&b.Videos, &b.Private, &b.Running, &b.Waiting, &b.Unsettled, &b.Recipes, &b.Collections, &b.Links, &b.JoinLinks, &b.Browsers, &b.HasKey, &b.HasWebhook)
	return b, err
}

// Leave closes the account and hands over what the person has, in one transaction. It
// ends their sessions, deletes their webhook, their key, and their links that set a new
// password or let somebody join. Queued videos are not sent. Videos that were sent are
// followed to their end with the key that they were sent with, and their cost stays
// with the person.
//
// It returns what the person had. It returns db.ErrConflict if the account is closed
// already, team.ErrLastAdmin if they are the last admin, team.ErrNoHeir if the
// colleague who gets everything is missing or unsuitable, and team.ErrUnfinished if
// private videos are unfinished and nobody gets them.
func (s *Store) Leave(ctx context.Context, l team.Leaving) (had team.Belongings, err error) {
	err = s.db.WriteAsAdmin(ctx, func(tx *sql.Tx) error {
		u, err := kit.Account(ctx, tx, l.UserID)
		if err != nil {
			return err
		}
		if !u.IsActive() {
			return db.ErrConflict
		}
		if u.IsAdmin() {
			if err := people.OtherAdmin(ctx, tx, u.ID); err != nil {
				return err
			}
		}
		heir, err := heir(ctx, tx, l)
		if err != nil {
			return err
		}
		if had, err = belongings(ctx, tx, u.ID, l.At); err != nil {
			return err
		}
		if had.Private > 0 && l.HandTo == 0 && !l.Bin {
			return team.ErrNoHeir
		}
		if unfinished, err := hasUnfinished(ctx, tx, u.ID); err != nil || unfinished && l.HandTo == 0 {
			return cmp.Or(err, team.ErrUnfinished)
		}
		if err := s.Tasks.EndWaiting(ctx, tx, u.ID, "Its maker left the team before it was sent", l.At); err != nil {
			return err
		}
		if err := endAccess(ctx, tx, u.ID, l); err != nil {
			return err
		}
		if l.Bin {
			if err := binPrivate(ctx, tx, u.ID, team.ActorIn(ctx).UserID, l.At); err != nil {
				return err
			}
		}
		if l.HandTo != 0 {
			if err := handOver(ctx, tx, l); err != nil {
				return err
			}
			if err := kit.Record(ctx, tx, team.Entry{Action: team.MemberLeft, UserID: heir.ID, What: fmt.Sprintf("what %s left", db.Isolated(u.Name)), After: team.Tally(had)}); err != nil {
				return err
			}
		}
		return kit.Record(ctx, tx, team.Entry{Action: team.MemberDeactivated, UserID: u.ID, What: leftTo(l, heir), Before: string(u.Role), After: team.Tally(had)})
	})
	return had, engine.About("leaving of "+engine.User(l.UserID), err)
}

// hasUnfinished reports whether private videos of the person are being made or saved,
// or are unconfirmed and undecided. Those cannot be put into the bin.
func hasUnfinished(ctx context.Context, tx *sql.Tx, id int64) (has bool, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT EXISTS (
			SELECT 1 FROM tasks WHERE user_id = $1 AND private = 1 AND deleted_at IS NULL
				AND (state IN ('sending', 'pending', 'processing') OR keeping = 'saving' OR (state = 'unconfirmed' AND decided_at IS NULL)))`, id).Scan(&has)
	return has, err
}

// heir returns the account of the colleague who gets everything, or the zero User if
// there is none.
func heir(ctx context.Context, tx *sql.Tx, l team.Leaving) (db.User, error) {
	if l.HandTo == 0 {
		return db.User{}, nil
	}
	u, err := kit.Account(ctx, tx, l.HandTo)
	if errors.Is(err, sql.ErrNoRows) || err == nil && (!u.IsActive() || !u.Makes() || u.ID == l.UserID) {
		err = team.ErrNoHeir
	}
	return u, err
}

// endAccess closes the account and ends all access of the person and of their programs.
func endAccess(ctx context.Context, tx *sql.Tx, id int64, l team.Leaving) error {
	if err := people.EndLinks(ctx, tx, id); err != nil {
		return err
	}
	for _, statement := range []string{
		`UPDATE users SET deactivated_at = $2 WHERE id = $1`,
		`UPDATE asks SET answer = 'no', reason = 'They left the team.', answered_at = $2 WHERE user_id = $1 AND answer = ''`,
	} {
		if _, err := tx.ExecContext(ctx, statement, id, engine.Instant(l.At)); err != nil {
			return err
		}
	}
	for statement := range schema.Leaving(schema.Ends) {
		if _, err := tx.ExecContext(ctx, statement, id); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM deliveries WHERE user_id = $1 AND next_at IS NOT NULL`, id); err != nil || !l.EndLinks {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE shares SET revoked_at = $2 WHERE created_by = $1 AND revoked_at IS NULL`, id, engine.Instant(l.At))
	return err
}

// binPrivate puts the person's private videos into the bin, except for those that
// db.Task.Delete refuses.
func binPrivate(ctx context.Context, tx *sql.Tx, id, by int64, now time.Time) error {
	at, err := video.DeletionTime(ctx, tx, now)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE tasks SET deleted_at = $2, deleted_by = nullif(CAST($3 AS BIGINT), 0)
		WHERE user_id = $1 AND private = 1 AND deleted_at IS NULL AND purged_at IS NULL AND keeping <> 'saving'
			AND state NOT IN ('queued', 'sending', 'pending', 'processing') AND (state <> 'unconfirmed' OR decided_at IS NOT NULL)`, id, engine.Instant(at), by)
	return err
}

// handOver gives what the person has to the colleague. The person stays the payer of
// their tasks, so that the team's accounts do not change. The tasks get new form
// tokens, because the colleague may have used the same ones. Private videos that are
// unfinished, and therefore not in the bin, are handed over, too.
func handOver(ctx context.Context, tx *sql.Tx, l team.Leaving) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE tasks SET payer_id = coalesce(payer_id, user_id), user_id = $2, form_token = CAST($3 AS TEXT) || ' ' || CAST(id AS TEXT)
		WHERE user_id = $1 AND NOT (private = 1 AND deleted_at IS NOT NULL AND CAST($4 AS BIGINT) = 1)`, l.UserID, l.HandTo, db.NewToken(), l.Bin)
	if err != nil {
		return err
	}
	for statement := range schema.Leaving(schema.Handed) {
		if _, err := tx.ExecContext(ctx, statement, l.UserID, l.HandTo); err != nil {
			return err
		}
	}
	return handShares(ctx, tx, l)
}

// handShares gives the colleague the shared links, except for those to videos that stay
// with the person.
func handShares(ctx context.Context, tx *sql.Tx, l team.Leaving) error {
	type link struct {
		id     int64
		sealed []byte
	}
	links, err := engine.All(ctx, tx, func(rows *sql.Rows) (s link, err error) {
		err = rows.Scan(&s.id, &s.sealed)
		return s, err
	}, `
		SELECT id, sealed FROM shares WHERE created_by = $1
			AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id = shares.task_id AND t.user_id = $1)`, l.UserID)
	if err != nil {
		return err
	}
	for _, s := range links {
		if l.Reseal != nil {
			// A token that cannot be unsealed keeps working but cannot be shown again,
			// as before.
			if sealed, err := l.Reseal(s.sealed); err == nil {
				s.sealed = sealed
			}
		}
		if _, err := tx.ExecContext(ctx, `UPDATE shares SET created_by = $1, sealed = $2 WHERE id = $3`, l.HandTo, s.sealed, s.id); err != nil {
			return err
		}
	}
	return nil
}

// leftTo describes for the audit where everything went.
func leftTo(l team.Leaving, heir db.User) string {
	what := "everything stays under their name"
	if l.HandTo != 0 {
		what = fmt.Sprintf("everything goes to %s", db.Isolated(heir.Name))
	}
	if l.Bin {
		what += ", private videos to the bin"
	}
	if l.EndLinks {
		what += ", shared links end"
	}
	return what
}
