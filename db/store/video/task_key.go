package video

import (
	"context"
	"database/sql"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store/engine"
)

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
