package video

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/teamdb"
)

// Calls stores the create calls with which tasks are sent, and the keys they are sent
// with.
type Calls struct {
	db    *teamdb.DB
	tasks *Tasks
}

// createCalls are the columns of create calls c and their tasks t.
var createCalls = engine.NewTable("c", func(call *schedule.Call, c *engine.Columns) {
	c.Add("task_id", &call.TaskID).Computed("t.user_id", &call.UserID).Computed("maker.name", &call.Maker)
	c.Computed("coalesce(k.name, '')", &call.KeyName).Computed("coalesce(k.last_four, own.last_four, '')", &call.KeyEnd)
	c.Computed("t.payer", &call.PayerID).Computed("payer.name", &call.Payer)
	c.Computed("t.sent_at", (*engine.Instant)(&call.SentAt)).Time("frees_at", &call.FreesAt)
})

// callTables are the tables that the columns are in.
const callTables = `create_calls c
	JOIN tasks t ON t.id = c.task_id
	JOIN users maker ON maker.id = t.user_id
	JOIN users payer ON payer.id = t.payer
	LEFT JOIN team_keys k ON k.id = t.key_id AND t.key_id <> 0
	LEFT JOIN keys own ON own.owner = t.payer AND t.key_id = 0 AND own.service_id = t.service_id AND hex(own.fingerprint) = c.lane`

// BlockingCalls returns the create calls that block their keys for longer than calls
// normally do, the oldest first.
func (s *Calls) BlockingCalls(ctx context.Context, now time.Time) ([]schedule.Call, error) {
	return engine.ReadAll(ctx, s.db.Reads, "create calls that block their keys", createCalls.Scan(), `
		SELECT `+createCalls.Columns+` FROM `+callTables+`
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
	calls, err := engine.ReadAll(ctx, s.db.Reads, "create call with the key of "+engine.User(userID), createCalls.Scan(), `
		SELECT `+createCalls.Columns+` FROM `+callTables+`
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
			found = append(found,
				engine.One(tx, createCalls.Scan(), `SELECT `+createCalls.Columns+` FROM `+callTables+` WHERE c.task_id = $1`, c.taskID))
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
	calls := engine.All(tx,
		engine.ScanFields(func(c *stoppedCall) []any { return []any{&c.taskID, &c.process, (*engine.Instant)(&c.was)} }),
		`SELECT task_id, process, frees_at FROM create_calls WHERE process <> $1 OR frees_at IS NOT NULL`, s.db.Process())
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
		freed = engine.One(tx, createCalls.Scan(), `SELECT `+createCalls.Columns+` FROM `+callTables+` WHERE c.task_id = $1`, taskID)
		tx.Require(freed.Blocks(now), fmt.Errorf("its answer is awaited: %w", db.ErrConflict))
		endCall(tx, taskID)
		if tx.OK() && freed.Stopped() {
			s.loseOne(tx, taskID, now)
		}
		e := audit.Entry{Action: audit.KeyFreed, What: freed.KeyName, Before: fmt.Sprintf("blocked by video %d", taskID), After: "free"}
		if freed.KeyName == "" {
			e.What, e.UserID = teamdb.OwnKey, freed.PayerID
		}
		teamdb.Record(tx, e)
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
			UPDATE tasks SET key_id = CAST($1 AS BIGINT), payer_id = nullif(nullif(CAST($2 AS BIGINT), 0), user_id) WHERE id = $3`,
			t.KeyID, payer, id)
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

// TaskKeys returns the keys under which the service may know the task, the likeliest
// first: the key it was sent with, which is kept until the task ends; the current
// version of that key of the team, or else its payer's own key; and the key that its
// payer uses now. All are keys for the service that the task was sent to.
func (s *Calls) TaskKeys(ctx context.Context, t db.Task) ([]secrets.Key, error) {
	return engine.ReadAll(ctx, s.db.Reads, taskKey(t.ID), scanTaskKey, `
		SELECT 1 AS place, payer, k.team_key_id, sealed, fingerprint
		FROM task_keys k JOIN tasks ON id = task_id WHERE task_id = $1
		UNION ALL
		SELECT 2, CAST($2 AS BIGINT), id, sealed, fingerprint FROM team_keys WHERE id = $3 AND deleted_at IS NULL AND service_id = $4
		UNION ALL
		SELECT 3, owner, 0, sealed, fingerprint FROM keys WHERE owner = $2 AND $3 = 0 AND service_id = $4
		UNION ALL
		SELECT 4, user_id, team_key_id, sealed, fingerprint FROM keys_in_use WHERE user_id = $2 AND service_id = $4
		ORDER BY place`, t.ID, t.PayerID, t.KeyID, t.ServiceID)
}

func scanTaskKey(rows *sql.Rows) (k secrets.Key, err error) {
	var place int
	err = rows.Scan(&place, &k.UserID, &k.TeamKeyID, &k.Sealed, &k.Fingerprint)
	return k, err
}

// TaskKey returns the key that the task was sent with. It returns db.ErrNotFound if the
// task was never sent, or has ended.
func (s *Calls) TaskKey(ctx context.Context, taskID int64) (secrets.Key, error) {
	return engine.ReadOne(ctx, s.db.Reads, taskKey(taskID), engine.ScanFields(func(k *secrets.Key) []any {
		return []any{&k.UserID, &k.TeamKeyID, &k.Sealed, &k.Fingerprint}
	}), `
		SELECT t.payer, k.team_key_id, k.sealed, k.fingerprint
		FROM task_keys k JOIN tasks t ON t.id = k.task_id WHERE k.task_id = $1`, taskID)
}

// SetTaskKey replaces the key with which the service is asked about the running task.
func (s *Calls) SetTaskKey(ctx context.Context, taskID int64, k secrets.Key) error {
	return engine.About(taskKey(taskID), s.db.Write(ctx, func(tx *engine.Tx) { putTaskKey(tx, taskID, k) }))
}

func putTaskKey(tx *engine.Tx, taskID int64, k secrets.Key) {
	tx.Exec(`
		INSERT INTO task_keys (task_id, sealed, fingerprint, team_key_id)
		SELECT id, $2, CAST($3 AS BLOB), CAST($4 AS BIGINT) FROM tasks
		WHERE id = $1 AND (state IN ('sending', 'pending', 'processing', 'unconfirmed') OR keeping = 'saving')
		ON CONFLICT (task_id) DO UPDATE SET sealed = excluded.sealed, fingerprint = excluded.fingerprint, team_key_id = excluded.team_key_id`,
		taskID, k.Sealed, append([]byte{}, k.Fingerprint...), k.TeamKeyID)
}

func taskKey(id int64) string { return "key of " + engine.Task(id) }

// SendTask records that the owner begins the create call for the queued task with the
// key, which is kept with the task until that ends. Like SettleTask it survives a power
// cut. It returns db.ErrConflict if another owner holds the lease of the task, or while
// another create call with the key is under way in any process; ErrOtherService is such an
// error, if the key or the task is not for the service that the team uses, and so is
// ErrAwaitsPrice. It returns a *spending.Reached if a limit leaves too little for the task.
func (s *Calls) SendTask(ctx context.Context, owner string, id int64, k secrets.Key, now time.Time) (db.Task, error) {
	var t db.Task
	err := s.tasks.taskWriter(true, id)(ctx, func(tx *engine.Tx) {
		about := tx.About(engine.Task(id))
		t = LoadTask(about, id)
		before := t
		tx.Require((k.ServiceID == 0 || k.ServiceID == t.ServiceID) && teamdb.Service(tx).ID == t.ServiceID, ErrOtherService)
		s.admit(about, &t)
		tx.Check(t.Begin(now))
		t.KeyID = k.TeamKeyID
		beginCall(tx.About("create call of "+engine.Task(id)), owner, t, k)
		s.tasks.SaveTask(about, before, &t)
		putTaskKey(tx.About(taskKey(id)), id, k)
	})
	if err != nil {
		return db.Task{}, err
	}
	return t, nil
}

// beginCall reserves the key for the create call. The row in create_calls, whose column
// lane identifies the key, stays until EndCall, or until the process is gone.
func beginCall(tx *engine.Tx, owner string, t db.Task, k secrets.Key) {
	tx.ExecOr(db.ErrConflict, `
		UPDATE tasks SET leased_by = $1, key_id = CAST($3 AS BIGINT) WHERE id = $2 AND leased_by IN ('', $1)`, owner, t.ID, k.TeamKeyID)
	tx.ExecOr(db.ErrConflict, `
		INSERT INTO create_calls (lane, task_id, process)
		VALUES (coalesce(nullif(hex(CAST($1 AS BLOB)), ''), 'user ' || CAST($2 AS BIGINT)), $3, $4)
		ON CONFLICT DO NOTHING`, append([]byte{}, k.Fingerprint...), t.UserID, t.ID, owner)
}

// EndCall frees the key for the next create call, because the task's call that began at
// sentAt is over although its outcome is not recorded. A later call for the same task
// is left alone.
func (s *Calls) EndCall(ctx context.Context, id int64, sentAt time.Time) error {
	return engine.About("create call of "+engine.Task(id), s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Exec(`
			DELETE FROM create_calls WHERE task_id = (SELECT id FROM tasks WHERE id = $1 AND sent_at = $2)`, id, engine.Instant(sentAt))
	}))
}

func endCall(tx *engine.Tx, id int64) {
	tx.Exec(`DELETE FROM create_calls WHERE task_id = $1`, id)
}

// SettleCall is like SettleTask, for the outcome of the task's create call: it also
// frees the key for the next call.
func (s *Calls) SettleCall(ctx context.Context, id int64, change func(*db.Task) error, answers ...db.Answer) (db.Task, error) {
	write := func(ctx context.Context, do func(*engine.Tx)) error {
		return s.tasks.taskWriter(true, id)(ctx, func(tx *engine.Tx) {
			endCall(tx, id)
			do(tx)
		})
	}
	return s.tasks.updateTask(ctx, write, id, change, answers)
}

// FollowTask applies change, which gives an unconfirmed task the service's ID that its
// maker has found, and stores the key with which the service was asked. It returns
// db.ErrTaken if another task has that ID already.
func (s *Calls) FollowTask(ctx context.Context, id int64, remoteID string, k secrets.Key, change func(*db.Task) error,
	answers ...db.Answer) (db.Task, error) {
	write := func(ctx context.Context, do func(*engine.Tx)) error {
		return s.db.WriteDurably(ctx, func(tx *engine.Tx) {
			about := tx.About(engine.Task(id))
			other, taken := taskOfRemote(about, remoteID)
			tx.Require(!taken || other == id, fmt.Errorf("%s has this id already: %w", engine.Task(other), db.ErrTaken))
			// The key is put between the two, because a trigger deletes that of a task
			// that has ended, or was decided about, whenever the task is updated.
			about.Exec(`UPDATE tasks SET key_id = CAST($1 AS BIGINT) WHERE id = $2`, k.TeamKeyID, id)
			putTaskKey(tx.About(taskKey(id)), id, k)
			do(tx)
		})
	}
	return s.tasks.updateTask(ctx, write, id, change, answers)
}

// AddAnswered adds a copy of the task with the ID like, which was given another of the
// service's IDs (see FollowTask) before its create call was answered after all: both
// videos are paid. change applies the answer to the new, queued task. It returns
// db.ErrTaken if a task has the remoteID already.
func (s *Calls) AddAnswered(ctx context.Context, like int64, remoteID string, change func(*db.Task) error,
	answers ...db.Answer) (added db.Task, err error) {
	err = s.db.WriteDurably(ctx, func(tx *engine.Tx) {
		other, taken := taskOfRemote(tx, remoteID)
		tx.Require(!taken, fmt.Errorf("%s has this id: %w", engine.Task(other), db.ErrTaken))
		t := LoadTask(tx, like)
		t.FormToken, t.NextAt = "answer "+remoteID, time.Time{}
		id, _ := s.tasks.insertTask(tx, t)
		if tx.OK() && (t.KeyID != 0 || t.PayerID != 0) {
			tx.Exec(`
				UPDATE tasks SET key_id = CAST($1 AS BIGINT), payer_id = nullif(CAST($2 AS BIGINT), 0) WHERE id = $3`, t.KeyID, t.PayerID,
				id)
		}
		// A task that ends with the change keeps no key.
		tx.Exec(`
			INSERT INTO task_keys (task_id, sealed, fingerprint, team_key_id)
			SELECT CAST($1 AS BIGINT), sealed, fingerprint, team_key_id FROM task_keys WHERE task_id = $2`, id, like)
		if added = LoadTask(tx, id); !tx.OK() {
			return
		}
		before := added
		tx.Check(change(&added))
		s.tasks.SaveTask(tx, before, &added)
		for _, a := range answers {
			putAnswer(tx, id, a)
		}
	})
	return added, engine.About("late answer to "+engine.Task(like), err)
}

// taskOfRemote returns the ID of the task that has the service's ID, if there is one.
func taskOfRemote(tx *engine.Tx, remoteID string) (id int64, found bool) {
	found = tx.Row(`SELECT id FROM tasks WHERE remote_id = $1 AND remote_id <> '' ORDER BY id LIMIT 1`, remoteID).Find(&id)
	return id, found
}

// RemoteKnown reports whether a task has the service's ID.
func (s *Calls) RemoteKnown(ctx context.Context, remoteID string) (bool, error) {
	return engine.ReadValue[bool](ctx, s.db.Reads, "task by the service's id", `
		SELECT EXISTS (SELECT 1 FROM tasks WHERE remote_id = $1 AND remote_id <> '')`, remoteID)
}
