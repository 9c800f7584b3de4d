package video

import (
	"context"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

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
		tx.Require((k.ServiceID == 0 || k.ServiceID == t.ServiceID) && kit.Service(tx).ID == t.ServiceID, ErrOtherService)
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
func (s *Calls) FollowTask(ctx context.Context, id int64, remoteID string, k secrets.Key, change func(*db.Task) error, answers ...db.Answer) (db.Task, error) {
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
func (s *Calls) AddAnswered(ctx context.Context, like int64, remoteID string, change func(*db.Task) error, answers ...db.Answer) (added db.Task, err error) {
	err = s.db.WriteDurably(ctx, func(tx *engine.Tx) {
		other, taken := taskOfRemote(tx, remoteID)
		tx.Require(!taken, fmt.Errorf("%s has this id: %w", engine.Task(other), db.ErrTaken))
		t := LoadTask(tx, like)
		t.FormToken, t.NextAt = "answer "+remoteID, time.Time{}
		id, _ := s.tasks.insertTask(tx, t)
		if tx.OK() && (t.KeyID != 0 || t.PayerID != 0) {
			tx.Exec(`
				UPDATE tasks SET key_id = CAST($1 AS BIGINT), payer_id = nullif(CAST($2 AS BIGINT), 0) WHERE id = $3`, t.KeyID, t.PayerID, id)
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
