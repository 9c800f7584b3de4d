package store

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/video"
)

// A Stuck counts what Unstick has corrected, which would have waited for ever, or far
// too long.
type Stuck struct {
	Early  int       // work that was scheduled too far ahead, and is due now
	Leases int       // leases that were too long
	Lost   []db.Task // tasks that were marked as being sent, but that no process is sending
}

// Unstick corrects what a wrong clock, or a process that ended, has left behind. A task
// that is scheduled more than longest after now becomes due now, and so does a webhook
// notice, a mail or a thumbnail that is scheduled too far ahead. A lease on a task or a
// notice that would last longer than lease from now is shortened, and so is one on a
// mail or a job that would last longer than longest. A task that was being sent under
// an expired lease becomes unconfirmed, unless the owner still works on it, which held
// lists, or another process that is not gone has it. Expired jobs are deleted.
//
// It writes only if a look at the indexes has found something, because a write holds up
// all others.
func (s *Store) Unstick(ctx context.Context, owner string, now time.Time, longest, lease time.Duration, held []int64) (Stuck, error) {
	var found Stuck
	if is, err := s.isStuck(ctx, owner, now, longest, lease, held); err != nil || !is {
		return found, engine.About("what is stuck", err)
	}
	err := s.db.Write(ctx, func(tx *engine.Tx) {
		found.Early = makeDue(tx, now, longest)
		found.Leases = shorten(tx, now, longest, lease)
		others := s.Leases.Others(tx)
		tx.Exec(`DELETE FROM create_calls WHERE `+unmade, others, owner, engine.Listed(held))
		tx.Exec(`DELETE FROM jobs WHERE leased_until <= $1`, engine.Instant(now))
		found.Lost = video.LoadSelected(tx, unsent+` ORDER BY id + 0`, engine.Instant(now), others, engine.Listed(held))
		s.Tasks.Lose(tx, found.Lost, now)
	})
	return found, engine.About("what is stuck", err)
}

// unmade is the condition for the create calls that no process is making: neither one of
// the others in $1, nor the process $2, which makes those of the tasks in $3.
const unmade = `
	process NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))
	AND NOT (process = $2 AND task_id IN (SELECT CAST(value AS BIGINT) FROM json_each($3)))`

// unsent selects the tasks that are marked as being sent, but that no process is
// sending at the time $1: neither one of the others in $2, nor this one, which sends
// those in $3.
const unsent = `
	SELECT id FROM tasks INDEXED BY tasks_sending
	WHERE state = 'sending' AND (leased_until IS NULL OR leased_until <= $1)
		AND leased_by NOT IN (SELECT CAST(value AS TEXT) FROM json_each($2))
		AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each($3))`

// isStuck reports whether Unstick may have something to correct.
func (s *Store) isStuck(ctx context.Context, owner string, now time.Time, longest, lease time.Duration, held []int64) (is bool, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		others := s.Leases.Others(tx)
		for _, look := range []struct {
			query string
			args  []any
		}{
			{`SELECT 1 FROM tasks WHERE state = 'queued' AND next_at > $1`, []any{engine.Instant(now.Add(longest))}},
			{`SELECT 1 FROM tasks WHERE state IN ('pending', 'processing') AND next_at > $1`, []any{engine.Instant(now.Add(longest))}},
			{`SELECT 1 FROM tasks WHERE keeping = 'saving' AND next_at > $1`, []any{engine.Instant(now.Add(longest))}},
			{`SELECT 1 FROM mails WHERE next_at > $1`, []any{engine.Instant(now.Add(longest))}},
			{`SELECT 1 FROM media WHERE thumb_due > $1`, []any{engine.Instant(now.Add(longest))}},
			{`SELECT 1 FROM media WHERE kind = 'video' AND film = '{}' AND lost_at IS NULL AND film_due > $1`,
				[]any{engine.Instant(now.Add(longest))}},
			{`SELECT 1 FROM deliveries WHERE next_at > $1`, []any{engine.Instant(now.Add(time.Minute))}},
			{`SELECT 1 FROM webhooks WHERE quiet_until > $1`, []any{engine.Instant(now.Add(outbox.LongestQuiet + time.Minute))}},
			{`SELECT 1 FROM tasks WHERE leased_until > $1`, []any{engine.Instant(now.Add(lease))}},
			{`SELECT 1 FROM deliveries WHERE leased_until > $1`, []any{engine.Instant(now.Add(lease))}},
			{`SELECT 1 FROM mails WHERE leased_until > $1`, []any{engine.Instant(now.Add(longest))}},
			{`SELECT 1 FROM jobs WHERE leased_until > $1 OR leased_until <= $2`,
				[]any{engine.Instant(now.Add(longest)), engine.Instant(now)}},
			{`SELECT 1 FROM create_calls WHERE ` + unmade, []any{others, owner, engine.Listed(held)}},
			{unsent, []any{engine.Instant(now), others, engine.Listed(held)}},
		} {
			if is = engine.Value[bool](tx, `SELECT EXISTS (`+look.query+`)`, look.args...); !tx.OK() || is {
				return
			}
		}
	})
	return is, err
}

// makeDue makes tasks, notices, mails and thumbnails due now that are scheduled too far
// ahead, and returns how many.
func makeDue(tx *engine.Tx, now time.Time, longest time.Duration) (n int) {
	for _, update := range []string{
		`UPDATE tasks SET next_at = $1 WHERE state = 'queued' AND next_at > $2`,
		`UPDATE tasks SET next_at = $1 WHERE state IN ('pending', 'processing') AND next_at > $2`,
		`UPDATE tasks SET next_at = $1 WHERE keeping = 'saving' AND next_at > $2`,
		`UPDATE mails SET next_at = $1 WHERE next_at > $2`,
		`UPDATE media SET thumb_due = $1 WHERE thumb_due > $2`,
		`UPDATE media SET film_due = $1 WHERE kind = 'video' AND film = '{}' AND lost_at IS NULL AND film_due > $2`,
	} {
		n += tx.Exec(update, engine.Instant(now), engine.Instant(now.Add(longest)))
	}
	notices := engine.All(tx, schema.Deliveries.Scan(), `
		SELECT `+schema.Deliveries.Columns+` FROM deliveries WHERE next_at > $1`, engine.Instant(now.Add(time.Minute)))
	for _, d := range notices {
		if d.TooFarAhead(now) {
			n += tx.Exec(`UPDATE deliveries SET next_at = $1 WHERE id = $2`, engine.Instant(now), d.ID)
		}
	}
	return n + tx.Exec(`UPDATE webhooks SET quiet_until = NULL WHERE quiet_until > $1`,
		engine.Instant(now.Add(outbox.LongestQuiet+time.Minute)))
}

// shorten shortens leases on tasks and notices that would last longer than lease from
// now, and those on mails and jobs, which may be longer, that would last longer than
// longest. It returns how many.
func shorten(tx *engine.Tx, now time.Time, longest, lease time.Duration) (n int) {
	for _, l := range []struct {
		table string
		most  time.Duration
	}{{"tasks", lease}, {"deliveries", lease}, {"mails", longest}, {"jobs", longest}} {
		n += tx.Exec(`
			UPDATE `+l.table+` SET leased_until = $1 WHERE leased_until > $2`, engine.Instant(now.Add(lease)),
			engine.Instant(now.Add(l.most)))
	}
	return n
}
