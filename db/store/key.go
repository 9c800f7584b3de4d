package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/team"
)

// KeyInUse returns the key with which the person's next video is sent: their own or
// one of the team's.
func (s *Store) KeyInUse(ctx context.Context, userID int64) (k db.Key, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		k, err = one(ctx, tx, scanFields(keyInUseFields), `SELECT `+keyInUseColumns+` FROM keys_in_use WHERE user_id = $1`, userID)
		return err
	})
	return k, about(key(userID), err)
}

// keyInUseColumns are the columns for keyInUseFields.
const keyInUseColumns = `user_id, team_key_id, sealed, last_four, fingerprint, created_at, checked_at, accepted`

func keyInUseFields(k *db.Key) []any {
	return []any{&k.UserID, &k.TeamKeyID, &k.Sealed, &k.LastFour, &k.Fingerprint,
		(*instant)(&k.CreatedAt), (*instant)(&k.CheckedAt), &k.Accepted}
}

// Key returns the person's own key for the video service, even if they currently use
// one of the team's.
func (s *Store) Key(ctx context.Context, userID int64) (db.Key, error) {
	var k db.Key
	err := s.reads.QueryRowContext(ctx, `
		SELECT user_id, sealed, last_four, fingerprint, created_at, checked_at, accepted
		FROM keys WHERE user_id = $1`, userID,
	).Scan(&k.UserID, &k.Sealed, &k.LastFour, &k.Fingerprint,
		(*instant)(&k.CreatedAt), (*instant)(&k.CheckedAt), &k.Accepted)
	return k, about(key(userID), err)
}

// PutKey stores the key as the person's own, in place of any earlier one.
func (s *Store) PutKey(ctx context.Context, k db.Key) error {
	return about(key(k.UserID), s.writeAsMaker(ctx, func(tx *sql.Tx) error {
		before, err := ownKeyEnd(ctx, tx, k.UserID)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO keys (user_id, sealed, last_four, fingerprint, created_at, checked_at, accepted)
			VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (user_id) DO UPDATE SET
				sealed = excluded.sealed, last_four = excluded.last_four, fingerprint = excluded.fingerprint,
				created_at = excluded.created_at, checked_at = excluded.checked_at, accepted = excluded.accepted`,
			k.UserID, k.Sealed, k.LastFour, k.Fingerprint, instant(k.CreatedAt), instant(k.CheckedAt), k.Accepted); err != nil {
			return err
		}
		return record(asUser(ctx, k.UserID), tx, team.Entry{Action: team.KeySaved, UserID: k.UserID, What: ownKey, Before: before, After: keyEnd(k.LastFour)})
	}))
}

// ownKey is the name of a person's own key in the audit.
const ownKey = "own key"

// ownKeyEnd returns the last characters of the person's own key, or an empty string if
// there is none.
func ownKeyEnd(ctx context.Context, tx *sql.Tx, userID int64) (string, error) {
	var end string
	err := tx.QueryRowContext(ctx, `SELECT last_four FROM keys WHERE user_id = $1`, userID).Scan(&end)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return keyEnd(end), err
}

func keyEnd(lastFour string) string { return "…" + lastFour }

// DeleteKey deletes the person's own key, if there is one.
func (s *Store) DeleteKey(ctx context.Context, userID int64) error {
	return about(key(userID), s.write(ctx, func(tx *sql.Tx) error {
		before, err := ownKeyEnd(ctx, tx, userID)
		if err != nil || before == "" {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM keys WHERE user_id = $1`, userID); err != nil {
			return err
		}
		return record(ctx, tx, team.Entry{Action: team.KeyDeleted, UserID: userID, What: ownKey, Before: before})
	}))
}

// SetKeyChecked records whether the service accepted the key when it was tested. It
// returns db.ErrConflict if the person's key is no longer the sealed one.
func (s *Store) SetKeyChecked(ctx context.Context, userID int64, sealed []byte, at time.Time, accepted bool) error {
	return about(key(userID), held(s.writes.ExecContext(ctx, `
		UPDATE keys SET checked_at = $1, accepted = $2 WHERE user_id = $3 AND sealed = $4`,
		instant(at), accepted, userID, sealed)))
}

// RunningWithOwnKey counts the unfinished videos that were sent with the person's own
// key.
func (s *Store) RunningWithOwnKey(ctx context.Context, userID int64) (n int, err error) {
	err = s.reads.QueryRowContext(ctx, `
		SELECT count(*) FROM task_keys k JOIN tasks t ON t.id = k.task_id
		WHERE t.payer = $1 AND k.team_key_id = 0`, userID).Scan(&n)
	return n, about("videos under way with the "+key(userID), err)
}

func key(userID int64) string { return "key of " + user(userID) }

// SendTask records that the owner begins the create call for the queued task with the
// key, which is kept with the task until that ends. Like SettleTask it survives a power
// cut. It returns db.ErrConflict if another owner holds the lease of the task, or while
// another create call with the key is under way in any process.
func (s *Store) SendTask(ctx context.Context, owner string, id int64, k db.Key, now time.Time) (db.Task, error) {
	var t db.Task
	err := s.taskWriter(true, id)(ctx, func(tx *sql.Tx) (err error) {
		if t, err = loadTask(ctx, tx, id); err != nil {
			return about(task(id), err)
		}
		before := t
		if err := t.Begin(now); err != nil {
			return err
		}
		t.KeyID = k.TeamKeyID
		if err := beginCall(ctx, tx, owner, t, k); err != nil {
			return about("create call of "+task(id), err)
		}
		if err := s.saveTask(ctx, tx, before, &t); err != nil {
			return about(task(id), err)
		}
		return about(taskKey(id), putTaskKey(ctx, tx, id, k))
	})
	if err != nil {
		return db.Task{}, err
	}
	return t, nil
}

// beginCall reserves the key for the create call. The row in create_calls, whose column
// lane identifies the key, stays until EndCall, or until the process is gone.
func beginCall(ctx context.Context, tx *sql.Tx, owner string, t db.Task, k db.Key) error {
	err := held(tx.ExecContext(ctx, `
		UPDATE tasks SET leased_by = $1, key_id = CAST($3 AS BIGINT) WHERE id = $2 AND leased_by IN ('', $1)`, owner, t.ID, k.TeamKeyID))
	if err != nil {
		return err
	}
	return held(tx.ExecContext(ctx, `
		INSERT INTO create_calls (lane, task_id, process)
		VALUES (coalesce(nullif(hex(CAST($1 AS BLOB)), ''), 'user ' || CAST($2 AS BIGINT)), $3, $4)
		ON CONFLICT DO NOTHING`, append([]byte{}, k.Fingerprint...), t.UserID, t.ID, owner))
}

// EndCall frees the key for the next create call, because the task's call that began at
// sentAt is over although its outcome is not recorded. A later call for the same task
// is left alone.
func (s *Store) EndCall(ctx context.Context, id int64, sentAt time.Time) error {
	return about("create call of "+task(id), s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			DELETE FROM create_calls WHERE task_id = (SELECT id FROM tasks WHERE id = $1 AND sent_at = $2)`, id, instant(sentAt))
		return err
	}))
}

func endCall(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM create_calls WHERE task_id = $1`, id)
	return err
}

// SettleCall is like SettleTask, for the outcome of the task's create call: it also
// frees the key for the next call.
func (s *Store) SettleCall(ctx context.Context, id int64, change func(*db.Task) error, answers ...db.Answer) (db.Task, error) {
	write := func(ctx context.Context, do func(*sql.Tx) error) error {
		return s.taskWriter(true, id)(ctx, func(tx *sql.Tx) error {
			if err := endCall(ctx, tx, id); err != nil {
				return err
			}
			return do(tx)
		})
	}
	return s.updateTask(ctx, write, id, change, answers)
}

// FollowTask applies change, which gives an unconfirmed task the service's ID that its
// maker has found, and stores the key with which the service was asked. It returns
// db.ErrTaken if another task has that ID already.
func (s *Store) FollowTask(ctx context.Context, id int64, remoteID string, k db.Key, change func(*db.Task) error, answers ...db.Answer) (db.Task, error) {
	write := func(ctx context.Context, do func(*sql.Tx) error) error {
		return s.writeDurably(ctx, func(tx *sql.Tx) error {
			other, err := taskOfRemote(ctx, tx, remoteID)
			if err == nil && other != id {
				return fmt.Errorf("%s has this id already: %w", task(other), db.ErrTaken)
			}
			if err != nil && err != sql.ErrNoRows {
				return about(task(id), err)
			}
			// The key is put between the two, because a trigger deletes that of a task
			// that has ended, or was decided about, whenever the task is updated.
			if _, err := tx.ExecContext(ctx, `UPDATE tasks SET key_id = CAST($1 AS BIGINT) WHERE id = $2`, k.TeamKeyID, id); err != nil {
				return about(task(id), err)
			}
			if err := putTaskKey(ctx, tx, id, k); err != nil {
				return about(taskKey(id), err)
			}
			return do(tx)
		})
	}
	return s.updateTask(ctx, write, id, change, answers)
}

// AddAnswered adds a copy of the task with the ID like, which was given another of the
// service's IDs (see FollowTask) before its create call was answered after all: both
// videos are paid. change applies the answer to the new, queued task. It returns
// db.ErrTaken if a task has the remoteID already.
func (s *Store) AddAnswered(ctx context.Context, like int64, remoteID string, change func(*db.Task) error, answers ...db.Answer) (added db.Task, err error) {
	err = s.writeDurably(ctx, func(tx *sql.Tx) error {
		if other, err := taskOfRemote(ctx, tx, remoteID); err != sql.ErrNoRows {
			return errors.Join(err, fmt.Errorf("%s has this id: %w", task(other), db.ErrTaken))
		}
		t, err := loadTask(ctx, tx, like)
		if err != nil {
			return err
		}
		t.FormToken, t.NextAt = "answer "+remoteID, time.Time{}
		id, _, err := s.insertTask(ctx, tx, t)
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
		if added, err = loadTask(ctx, tx, id); err != nil {
			return err
		}
		before := added
		if err := change(&added); err != nil {
			return err
		}
		if err := s.saveTask(ctx, tx, before, &added); err != nil {
			return err
		}
		for _, a := range answers {
			if err == nil {
				err = putAnswer(ctx, tx, id, a)
			}
		}
		return err
	})
	return added, about("late answer to "+task(like), err)
}

// taskOfRemote returns the ID of the task that has the service's ID, or sql.ErrNoRows.
func taskOfRemote(ctx context.Context, tx *sql.Tx, remoteID string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT id FROM tasks WHERE remote_id = $1 AND remote_id <> '' ORDER BY id LIMIT 1`, remoteID).Scan(&id)
	return id, err
}

// RemoteKnown reports whether a task has the service's ID.
func (s *Store) RemoteKnown(ctx context.Context, remoteID string) (bool, error) {
	var known bool
	err := s.reads.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM tasks WHERE remote_id = $1 AND remote_id <> '')`, remoteID).Scan(&known)
	return known, about("task by the service's id", err)
}

// TaskKeys returns the keys under which the service may know the task, the likeliest
// first: the key it was sent with, which is kept until the task ends; the current
// version of that key of the team, or else its payer's own key; and the key that its
// payer uses now.
func (s *Store) TaskKeys(ctx context.Context, t db.Task) ([]db.Key, error) {
	keys, err := all(ctx, s.reads, scanTaskKey, `
		SELECT 1 AS place, payer, k.team_key_id, sealed, fingerprint
		FROM task_keys k JOIN tasks ON id = task_id WHERE task_id = $1
		UNION ALL
		SELECT 2, CAST($2 AS BIGINT), id, sealed, fingerprint FROM team_keys WHERE id = $3 AND deleted_at IS NULL
		UNION ALL
		SELECT 3, user_id, 0, sealed, fingerprint FROM keys WHERE user_id = $2 AND $3 = 0
		UNION ALL
		SELECT 4, user_id, team_key_id, sealed, fingerprint FROM keys_in_use WHERE user_id = $2
		ORDER BY place`, t.ID, t.PayerID, t.KeyID)
	return keys, about(taskKey(t.ID), err)
}

func scanTaskKey(rows *sql.Rows) (k db.Key, err error) {
	var place int
	err = rows.Scan(&place, &k.UserID, &k.TeamKeyID, &k.Sealed, &k.Fingerprint)
	return k, err
}

// TaskKey returns the key that the task was sent with. It returns db.ErrNotFound if the
// task was never sent, or has ended.
func (s *Store) TaskKey(ctx context.Context, taskID int64) (db.Key, error) {
	var k db.Key
	err := s.reads.QueryRowContext(ctx, `
		SELECT t.payer, k.team_key_id, k.sealed, k.fingerprint
		FROM task_keys k JOIN tasks t ON t.id = k.task_id WHERE k.task_id = $1`, taskID,
	).Scan(&k.UserID, &k.TeamKeyID, &k.Sealed, &k.Fingerprint)
	return k, about(taskKey(taskID), err)
}

// SetTaskKey replaces the key with which the service is asked about the running task.
func (s *Store) SetTaskKey(ctx context.Context, taskID int64, k db.Key) error {
	return about(taskKey(taskID), s.write(ctx, func(tx *sql.Tx) error { return putTaskKey(ctx, tx, taskID, k) }))
}

func putTaskKey(ctx context.Context, tx *sql.Tx, taskID int64, k db.Key) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO task_keys (task_id, sealed, fingerprint, team_key_id)
		SELECT id, $2, CAST($3 AS BLOB), CAST($4 AS BIGINT) FROM tasks
		WHERE id = $1 AND (state IN ('sending', 'pending', 'processing', 'unconfirmed') OR keeping = 'saving')
		ON CONFLICT (task_id) DO UPDATE SET sealed = excluded.sealed, fingerprint = excluded.fingerprint, team_key_id = excluded.team_key_id`,
		taskID, k.Sealed, append([]byte{}, k.Fingerprint...), k.TeamKeyID)
	return err
}

func taskKey(id int64) string { return "key of " + task(id) }
