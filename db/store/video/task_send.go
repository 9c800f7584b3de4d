package video

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
)

// SendTask records that the owner begins the create call for the queued task with the
// key, which is kept with the task until that ends. Like SettleTask it survives a power
// cut. It returns db.ErrConflict if another owner holds the lease of the task, or while
// another create call with the key is under way in any process.
func (s *Calls) SendTask(ctx context.Context, owner string, id int64, k db.Key, now time.Time) (db.Task, error) {
	var t db.Task
	err := s.tasks.taskWriter(true, id)(ctx, func(tx *sql.Tx) (err error) {
		if t, err = LoadTask(ctx, tx, id); err != nil {
			return engine.About(engine.Task(id), err)
		}
		before := t
		if err := t.Begin(now); err != nil {
			return err
		}
		t.KeyID = k.TeamKeyID
		if err := beginCall(ctx, tx, owner, t, k); err != nil {
			return engine.About("create call of "+engine.Task(id), err)
		}
		if err := s.tasks.SaveTask(ctx, tx, before, &t); err != nil {
			return engine.About(engine.Task(id), err)
		}
		return engine.About(taskKey(id), putTaskKey(ctx, tx, id, k))
	})
	if err != nil {
		return db.Task{}, err
	}
	return t, nil
}

// beginCall reserves the key for the create call. The row in create_calls, whose column
// lane identifies the key, stays until EndCall, or until the process is gone.
func beginCall(ctx context.Context, tx *sql.Tx, owner string, t db.Task, k db.Key) error {
	err := engine.Held(tx.ExecContext(ctx, `
		UPDATE tasks SET leased_by = $1, key_id = CAST($3 AS BIGINT) WHERE id = $2 AND leased_by IN ('', $1)`, owner, t.ID, k.TeamKeyID))
	if err != nil {
		return err
	}
	return engine.Held(tx.ExecContext(ctx, `
		INSERT INTO create_calls (lane, task_id, process)
		VALUES (coalesce(nullif(hex(CAST($1 AS BLOB)), ''), 'user ' || CAST($2 AS BIGINT)), $3, $4)
		ON CONFLICT DO NOTHING`, append([]byte{}, k.Fingerprint...), t.UserID, t.ID, owner))
}

// EndCall frees the key for the next create call, because the task's call that began at
// sentAt is over although its outcome is not recorded. A later call for the same task
// is left alone.
func (s *Calls) EndCall(ctx context.Context, id int64, sentAt time.Time) error {
	return engine.About("create call of "+engine.Task(id), s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			DELETE FROM create_calls WHERE task_id = (SELECT id FROM tasks WHERE id = $1 AND sent_at = $2)`, id, engine.Instant(sentAt))
		return err
	}))
}

func endCall(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM create_calls WHERE task_id = $1`, id)
	return err
}

// SettleCall is like SettleTask, for the outcome of the task's create call: it also
// frees the key for the next call.
func (s *Calls) SettleCall(ctx context.Context, id int64, change func(*db.Task) error, answers ...db.Answer) (db.Task, error) {
	write := func(ctx context.Context, do func(*sql.Tx) error) error {
		return s.tasks.taskWriter(true, id)(ctx, func(tx *sql.Tx) error {
			if err := endCall(ctx, tx, id); err != nil {
				return err
			}
			return do(tx)
		})
	}
	return s.tasks.updateTask(ctx, write, id, change, answers)
}

// FollowTask applies change, which gives an unconfirmed task the service's ID that its
// maker has found, and stores the key with which the service was asked. It returns
// db.ErrTaken if another task has that ID already.
func (s *Calls) FollowTask(ctx context.Context, id int64, remoteID string, k db.Key, change func(*db.Task) error, answers ...db.Answer) (db.Task, error) {
	write := func(ctx context.Context, do func(*sql.Tx) error) error {
		return s.db.WriteDurably(ctx, func(tx *sql.Tx) error {
			other, err := taskOfRemote(ctx, tx, remoteID)
			if err == nil && other != id {
				return fmt.Errorf("%s has this id already: %w", engine.Task(other), db.ErrTaken)
			}
			if err != nil && err != sql.ErrNoRows {
				return engine.About(engine.Task(id), err)
			}
			// The key is put between the two, because a trigger deletes that of a task
			// that has ended, or was decided about, whenever the task is updated.
			if _, err := tx.ExecContext(ctx, `UPDATE tasks SET key_id = CAST($1 AS BIGINT) WHERE id = $2`, k.TeamKeyID, id); err != nil {
				return engine.About(engine.Task(id), err)
			}
			if err := putTaskKey(ctx, tx, id, k); err != nil {
				return engine.About(taskKey(id), err)
			}
			return do(tx)
		})
	}
	return s.tasks.updateTask(ctx, write, id, change, answers)
}

// AddAnswered adds a copy of the task with the ID like, which was given another of the
// service's IDs (see FollowTask) before its create call was answered after all: both
// videos are paid. change applies the answer to the new, queued task. It returns
// db.ErrTaken if a task has the remoteID already.
func (s *Calls) AddAnswered(ctx context.Context, like int64, remoteID string, change func(*db.Task) error, answers ...db.Answer) (added db.Task, err error) {
	err = s.db.WriteDurably(ctx, func(tx *sql.Tx) error {
		if other, err := taskOfRemote(ctx, tx, remoteID); err != sql.ErrNoRows {
			return errors.Join(err, fmt.Errorf("%s has this id: %w", engine.Task(other), db.ErrTaken))
		}
		t, err := LoadTask(ctx, tx, like)
		if err != nil {
			return err
		}
		t.FormToken, t.NextAt = "answer "+remoteID, time.Time{}
		id, _, err := s.tasks.insertTask(ctx, tx, t)
		if err == nil && (t.KeyID != 0 || t.PayerID != 0) {
			_, err = tx.ExecContext(ctx, `
				UPDATE tasks SET key_id = CAST($1 AS BIGINT), payer_id = nullif(CAST($2 AS BIGINT), 0) WHERE id = $3`, t.KeyID, t.PayerID, id)
		}
		if err != nil {
			return err
		}
		// A task that ends with the change keeps no key.
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO task_keys (task_id, sealed, fingerprint, team_key_id)
			SELECT CAST($1 AS BIGINT), sealed, fingerprint, team_key_id FROM task_keys WHERE task_id = $2`, id, like); err != nil {
			return err
		}
		if added, err = LoadTask(ctx, tx, id); err != nil {
			return err
		}
		before := added
		if err := change(&added); err != nil {
			return err
		}
		if err := s.tasks.SaveTask(ctx, tx, before, &added); err != nil {
			return err
		}
		for _, a := range answers {
			if err == nil {
				err = putAnswer(ctx, tx, id, a)
			}
		}
		return err
	})
	return added, engine.About("late answer to "+engine.Task(like), err)
}

// taskOfRemote returns the ID of the task that has the service's ID, or sql.ErrNoRows.
func taskOfRemote(ctx context.Context, tx *sql.Tx, remoteID string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT id FROM tasks WHERE remote_id = $1 AND remote_id <> '' ORDER BY id LIMIT 1`, remoteID).Scan(&id)
	return id, err
}

// RemoteKnown reports whether a task has the service's ID.
func (s *Calls) RemoteKnown(ctx context.Context, remoteID string) (bool, error) {
	var known bool
	err := s.db.Reads.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM tasks WHERE remote_id = $1 AND remote_id <> '')`, remoteID).Scan(&known)
	return known, engine.About("task by the service's id", err)
}
