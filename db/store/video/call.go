package video

import (
	"context"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/schedule"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Calls stores the create calls with which tasks are sent, and the keys they are sent
// with.
type Calls struct {
	db    *kit.DB
	tasks *Tasks
}

// callColumns are the columns for callFields, of create calls c and their tasks t.
const callColumns = `c.task_id, t.user_id, maker.name, coalesce(k.name, ''), coalesce(k.last_four, own.last_four, ''),
	t.payer, payer.name, t.sent_at, c.frees_at`

// callTables are the tables that callColumns are in.
const callTables = `create_calls c
	JOIN tasks t ON t.id = c.task_id
	JOIN users maker ON maker.id = t.user_id
	JOIN users payer ON payer.id = t.payer
	LEFT JOIN team_keys k ON k.id = t.key_id AND t.key_id <> 0
	LEFT JOIN keys own ON own.owner = t.payer AND t.key_id = 0 AND own.service_id = t.service_id AND hex(own.fingerprint) = c.lane`

func callFields(c *schedule.Call) []any {
	return []any{&c.TaskID, &c.UserID, &c.Maker, &c.KeyName, &c.KeyEnd, &c.PayerID, &c.Payer, (*engine.Instant)(&c.SentAt), (*engine.Instant)(&c.FreesAt)}
}

// BlockingCalls returns the create calls that block their keys for longer than calls
// normally do, the oldest first.
func (s *Calls) BlockingCalls(ctx context.Context, now time.Time) ([]schedule.Call, error) {
	return engine.ReadAll(ctx, s.db.Reads, "create calls that block their keys", engine.ScanFields(callFields), `
		SELECT `+callColumns+` FROM `+callTables+`
		WHERE c.frees_at IS NOT NULL OR t.sent_at <= $1
		ORDER BY t.sent_at, t.id`, engine.Instant(now.Add(-schedule.LateCall)))
}

// NextLateCall returns when the next create call begins to block its key for longer than
// calls normally do, if it is not answered before. It returns the zero time if no call is
// being made.
func (s *Calls) NextLateCall(ctx context.Context, now time.Time) (at time.Time, err error) {
	err = s.db.Reads.QueryRowContext(ctx, `
		SELECT min(t.sent_at) FROM create_calls c JOIN tasks t ON t.id = c.task_id
		WHERE c.frees_at IS NULL AND t.sent_at > $1`, engine.Instant(now.Add(-schedule.LateCall))).Scan((*engine.Instant)(&at))
	if !at.IsZero() {
		at = at.Add(schedule.LateCall)
	}
	return at, engine.About("create calls that are being made", err)
}

// BlockingCall is like BlockingCalls, for the key with which the person's next video is
// sent. It returns the zero Call if nothing blocks it.
func (s *Calls) BlockingCall(ctx context.Context, userID int64, now time.Time) (schedule.Call, error) {
	calls, err := engine.ReadAll(ctx, s.db.Reads, "create call with the key of "+engine.User(userID), engine.ScanFields(callFields), `
		SELECT `+callColumns+` FROM `+callTables+`
		WHERE (c.frees_at IS NOT NULL OR t.sent_at <= $1)
			AND c.lane = coalesce((SELECT nullif(hex(u.fingerprint), '') FROM keys_in_use u WHERE u.user_id = $2), 'user ' || CAST($2 AS BIGINT))`,
		engine.Instant(now.Add(-schedule.LateCall)), userID)
	if len(calls) == 0 {
		return schedule.Call{}, err
	}
	return calls[0], nil
}

// MarkStopped records of each create call of another process whether that process has
// stopped and, if so, when its key will be free. It returns the calls whose process was
// not known to have stopped before, and the earliest time at which a key will be free,
// or the zero time.
func (s *Calls) MarkStopped(ctx context.Context) (found []schedule.Call, next time.Time, err error) {
	var changed bool
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		var stopped []stoppedCall
		stopped, next = s.stoppedCalls(tx)
		changed = len(stopped) > 0
	})
	if err == nil && changed {
		err = s.db.Write(ctx, func(tx *engine.Tx) { found, next = s.markStopped(tx) })
	}
	return found, next, engine.About("create calls of processes that have stopped", err)
}

func (s *Calls) markStopped(tx *engine.Tx) (found []schedule.Call, next time.Time) {
	stopped, next := s.stoppedCalls(tx)
	for _, c := range stopped {
		tx.Exec(`UPDATE create_calls SET frees_at = $1 WHERE task_id = $2`, engine.Instant(c.freesAt), c.taskID)
		if tx.OK() && c.was.IsZero() {
			found = append(found, engine.One(tx, engine.ScanFields(callFields), `SELECT `+callColumns+` FROM `+callTables+` WHERE c.task_id = $1`, c.taskID))
		}
	}
	return found, next
}

// A stoppedCall is a create call whose frees_at is no longer right.
type stoppedCall struct {
	taskID       int64
	process      string
	was, freesAt time.Time
}

// stoppedCalls returns the calls of other processes whose frees_at is not right, and the
// earliest right one.
func (s *Calls) stoppedCalls(tx *engine.Tx) (changed []stoppedCall, next time.Time) {
	calls := engine.All(tx, engine.ScanFields(func(c *stoppedCall) []any { return []any{&c.taskID, &c.process, (*engine.Instant)(&c.was)} }), `SELECT task_id, process, frees_at FROM create_calls WHERE process <> $1 OR frees_at IS NOT NULL`, s.db.Process())
	if !tx.OK() || len(calls) == 0 {
		return nil, next
	}
	others := s.db.Others(tx)
	gone := map[string]time.Time{s.db.Process(): {}}
	for _, p := range others {
		gone[p.Name] = p.GoneAt
	}
	now := s.db.Now()
	for _, c := range calls {
		at, there := gone[c.process]
		switch {
		case !there && !c.was.IsZero() && c.was.Before(now): // it waits for Unstick
			at = c.was
		case !there:
			at = now
		}
		if c.freesAt = at; !at.Equal(c.was) {
			changed = append(changed, c)
		}
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return changed, next
}

// FreeKey frees the key that the task's create call blocks, so that other videos are sent
// with it. If the process that made the call has stopped, the task becomes unconfirmed. If
// the process still waits for the answer, it goes on waiting, and records the answer.
// FreeKey returns the call as it was. It returns db.ErrNotFound if there is none, and
// db.ErrConflict if the call blocks its key no longer than calls normally do.
func (s *Calls) FreeKey(ctx context.Context, taskID int64) (freed schedule.Call, err error) {
	now := s.db.Now()
	err = s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		freed = engine.One(tx, engine.ScanFields(callFields), `SELECT `+callColumns+` FROM `+callTables+` WHERE c.task_id = $1`, taskID)
		tx.Require(freed.Blocks(now), fmt.Errorf("its answer is awaited: %w", db.ErrConflict))
		endCall(tx, taskID)
		if tx.OK() && freed.Stopped() {
			s.loseOne(tx, taskID, now)
		}
		e := audit.Entry{Action: audit.KeyFreed, What: freed.KeyName, Before: fmt.Sprintf("blocked by video %d", taskID), After: "free"}
		if freed.KeyName == "" {
			e.What, e.UserID = kit.OwnKey, freed.PayerID
		}
		kit.Record(tx, e)
	})
	return freed, engine.About("create call of "+engine.Task(taskID), err)
}

// loseOne marks the task as unconfirmed, if it is still being sent.
func (s *Calls) loseOne(tx *engine.Tx, id int64, now time.Time) {
	if t := LoadTask(tx, id); tx.OK() && t.State == db.Sending {
		s.tasks.Lose(tx, []db.Task{t}, now)
	}
}

// RecallTask records that the create call for the task, which began at sentAt, was made,
// if the database has lost that: if the task is missing, it is added again, and if it
// still waits to be sent, it is not sent. The task then has the outcome in reply or, if
// reply is nil, becomes unconfirmed. RecallTask reports whether anything was lost.
func (s *Calls) RecallTask(ctx context.Context, t db.Task, sentAt time.Time, reply *db.Reply) (found db.Task, lost bool, err error) {
	now := s.db.Now()
	err = s.db.WriteDurably(ctx, func(tx *engine.Tx) {
		id, added := s.findOrAdd(tx, t)
		if found = LoadTask(tx, id); !tx.OK() || found.State != db.Queued {
			return
		}
		payer := found.PayerID
		if lost = true; added {
			payer = t.PayerID
		}
		tx.Exec(`
			UPDATE tasks SET key_id = CAST($1 AS BIGINT), payer_id = nullif(nullif(CAST($2 AS BIGINT), 0), user_id) WHERE id = $3`, t.KeyID, payer, id)
		before := found
		tx.Check(recall(&found, sentAt, now, reply))
		s.tasks.SaveTask(tx, before, &found)
	})
	return found, lost, engine.About("lost "+engine.Task(t.ID), err)
}

// findOrAdd returns the ID of the task, which may have changed hands since t was read, and
// adds the task if it is missing.
func (s *Calls) findOrAdd(tx *engine.Tx, t db.Task) (id int64, added bool) {
	var same bool // not another task, which was given the ID after the loss
	tx.Row(`SELECT created_at = $1 FROM tasks WHERE id = $2`, engine.Instant(t.CreatedAt), t.ID).Find(&same)
	if !tx.OK() || same {
		return t.ID, false
	}
	t.NextAt = time.Time{}
	return s.tasks.insertTask(tx, t)
}

// recall changes the queued task as its create call, which began at sentAt, has done
// before.
func recall(t *db.Task, sentAt, now time.Time, reply *db.Reply) error {
	if err := t.Begin(sentAt); err != nil {
		return err
	}
	if reply == nil {
		return t.Lose("The storage has lost what was known about this video, which was being sent.", now)
	}
	return reply.Apply(t)
}
