package store

import (
	"context"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/people"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
	"dailies/db/store/video"
	"dailies/db/team"
)

// Belongings counts what the person has at the time now.
func (s *Store) Belongings(ctx context.Context, id int64, now time.Time) (team.Belongings, error) {
	return engine.Read(ctx, s.db, "belongings of "+engine.User(id), func(tx *engine.Tx) team.Belongings { return belongings(tx, id, now) })
}

func belongings(tx *engine.Tx, id int64, now time.Time) (b team.Belongings) {
	tx.Row(`
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
			(SELECT count(*) FROM programs WHERE user_id = $1 AND ended_at IS NULL AND ends_at > $2),
			(SELECT count(*) FROM webhooks WHERE user_id = $1),
			(SELECT count(*) FROM webhooks WHERE made_by = $1 AND user_id IS NULL),
			EXISTS (SELECT 1 FROM keys WHERE owner = $1)`, id, engine.Instant(now),
	).Scan(&b.Videos, &b.Private, &b.Running, &b.Waiting, &b.Unsettled, &b.Recipes, &b.Collections, &b.Links, &b.JoinLinks, &b.Browsers,
		&b.Tokens, &b.Webhooks, &b.TeamHooks, &b.HasKey)
	return b
}

// Leave closes the account and hands over what the person has, in one transaction. It
// ends their sessions, deletes their tokens, their webhooks, their key, and their links that
// set a new password or let somebody join. Webhooks of the team that they have made stay,
// and the admins are told of them. Queued videos are not sent. Videos that were sent are
// followed to their end with the key that they were sent with, and their cost stays
// with the person.
//
// It returns what the person had. It returns db.ErrConflict if the account is closed
// already, team.ErrLastAdmin if they are the last admin, team.ErrNoHeir if the
// colleague who gets everything is missing or unsuitable, and team.ErrUnfinished if
// private videos are unfinished and nobody gets them.
func (s *Store) Leave(ctx context.Context, l team.Leaving) (had team.Belongings, err error) {
	err = s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		u := teamdb.Account(tx, l.UserID)
		tx.Require(u.IsActive(), db.ErrConflict)
		if tx.OK() && u.IsAdmin() {
			people.OtherAdmin(tx, u.ID)
		}
		heir := heir(tx, l)
		had = belongings(tx, u.ID, l.At)
		tx.Require(had.Private == 0 || l.HandTo != 0 || l.Bin, team.ErrNoHeir)
		tx.Require(!hasUnfinished(tx, u.ID) || l.HandTo != 0, team.ErrUnfinished)
		s.Tasks.EndWaiting(tx, u.ID, "Its maker left the team before it was sent", l.At)
		endAccess(tx, u.ID, l)
		people.TellOfMaker(tx, u, l.At)
		if l.Bin {
			binPrivate(tx, u.ID, audit.ActorIn(ctx).UserID, l.At)
		}
		if l.HandTo != 0 {
			handOver(tx, l)
			teamdb.Record(tx, audit.Entry{Action: audit.MemberLeft, UserID: heir.ID,
				What: fmt.Sprintf("what %s left", naming.Isolated(u.Name)), After: team.Tally(had)})
		}
		teamdb.Record(tx, audit.Entry{Action: audit.MemberDeactivated, UserID: u.ID, What: leftTo(l, heir),
			Before: string(u.Role), After: team.Tally(had)})
	})
	return had, engine.About("leaving of "+engine.User(l.UserID), err)
}

// hasUnfinished reports whether private videos of the person are being made or saved,
// or are unconfirmed and undecided. Those cannot be put into the bin.
func hasUnfinished(tx *engine.Tx, id int64) bool {
	return engine.Value[bool](tx, `
		SELECT EXISTS (
			SELECT 1 FROM tasks WHERE user_id = $1 AND private = 1 AND deleted_at IS NULL
				AND (state IN ('sending', 'pending', 'processing') OR keeping = 'saving' OR (state = 'unconfirmed' AND decided_at IS NULL)))`, id)
}

// heir returns the account of the colleague who gets everything, or the zero User if
// there is none.
func heir(tx *engine.Tx, l team.Leaving) db.User {
	if l.HandTo == 0 {
		return db.User{}
	}
	u, found := teamdb.FindAccount(tx, l.HandTo)
	tx.Require(found && u.IsActive() && u.Makes() && u.ID != l.UserID, team.ErrNoHeir)
	return u
}

// endAccess closes the account and ends all access of the person and of their programs.
func endAccess(tx *engine.Tx, id int64, l team.Leaving) {
	people.EndLinks(tx, id)
	for _, statement := range []string{
		`UPDATE users SET deactivated_at = $2 WHERE id = $1`,
		`UPDATE asks SET answer = 'no', reason = 'They left the team.', answered_at = $2 WHERE user_id = $1 AND answer = ''`,
	} {
		tx.Exec(statement, id, engine.Instant(l.At))
	}
	for statement := range schema.Leaving(schema.Ends) {
		tx.Exec(statement, id)
	}
	if l.EndLinks {
		tx.Exec(`UPDATE shares SET revoked_at = $2 WHERE created_by = $1 AND revoked_at IS NULL`, id, engine.Instant(l.At))
	}
}

// binPrivate puts the person's private videos into the bin, except for those that
// db.Task.Delete refuses.
func binPrivate(tx *engine.Tx, id, by int64, now time.Time) {
	at := video.DeletionTime(tx, now)
	tx.Exec(`
		UPDATE tasks SET deleted_at = $2, deleted_by = nullif(CAST($3 AS BIGINT), 0)
		WHERE user_id = $1 AND private = 1 AND deleted_at IS NULL AND purged_at IS NULL AND keeping <> 'saving'
			AND state NOT IN ('queued', 'sending', 'pending', 'processing') AND (state <> 'unconfirmed' OR decided_at IS NOT NULL)`, id,
		engine.Instant(at), by)
}

// handOver gives what the person has to the colleague. The person stays the payer of
// their tasks, so that the team's accounts do not change. The tasks get new form
// tokens, because the colleague may have used the same ones. Private videos that are
// unfinished, and therefore not in the bin, are handed over, too.
func handOver(tx *engine.Tx, l team.Leaving) {
	tx.Exec(`
		UPDATE tasks SET payer_id = coalesce(payer_id, user_id), user_id = $2, form_token = CAST($3 AS TEXT) || ' ' || CAST(id AS TEXT)
		WHERE user_id = $1 AND NOT (private = 1 AND deleted_at IS NOT NULL AND CAST($4 AS BIGINT) = 1)`, l.UserID, l.HandTo,
		secrets.NewToken(), l.Bin)
	for statement := range schema.Leaving(schema.Handed) {
		tx.Exec(statement, l.UserID, l.HandTo)
	}
	handShares(tx, l)
}

// handShares gives the colleague the shared links, except for those to videos that stay
// with the person.
func handShares(tx *engine.Tx, l team.Leaving) {
	type link struct {
		id     int64
		sealed []byte
	}
	links := engine.All(tx, engine.ScanFields(func(s *link) []any { return []any{&s.id, &s.sealed} }), `
		SELECT id, sealed FROM shares WHERE created_by = $1
			AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id = shares.task_id AND t.user_id = $1)`, l.UserID)
	for _, s := range links {
		if l.Reseal != nil {
			// A token that cannot be unsealed keeps working but cannot be shown again,
			// as before.
			if sealed, err := l.Reseal(s.sealed); err == nil {
				s.sealed = sealed
			}
		}
		tx.Exec(`UPDATE shares SET created_by = $1, sealed = $2 WHERE id = $3`, l.HandTo, s.sealed, s.id)
	}
}

// leftTo describes for the audit where everything went.
func leftTo(l team.Leaving, heir db.User) string {
	what := []string{"everything stays under their name"}
	if l.HandTo != 0 {
		what[0] = fmt.Sprintf("everything goes to %s", naming.Isolated(heir.Name))
	}
	if l.Bin {
		what = append(what, "private videos to the bin")
	}
	if l.EndLinks {
		what = append(what, "shared links end")
	}
	return format.List(what)
}
