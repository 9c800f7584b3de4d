package video

import (
	"dailies/db"
	"dailies/db/store/engine"
)

// giveBackOnce makes what was allowed once available again after the service has
// rejected the task and all others of its batch, so that they cost nothing. It looks at
// the few permits of the payer before it looks at the batch, which may be large, and at
// the batch from its end, because its tasks are sent in order.
func giveBackOnce(tx *engine.Tx, t db.Task) {
	used := engine.All(tx, engine.ScanValue[int64], `
		SELECT a.id FROM asks a JOIN tasks t ON t.id = a.task_id
		WHERE a.user_id = $1 AND (t.id = $2 OR t.batch = $3 AND $3 <> '')`, t.PayerID, t.ID, t.Batch)
	if !tx.OK() || len(used) == 0 {
		return
	}
	if t.Batch != "" {
		paid := engine.Value[bool](tx, `
			SELECT EXISTS (
				SELECT 1 FROM tasks INDEXED BY tasks_batch WHERE batch = $1 AND batch <> '' AND state <> 'rejected'
				ORDER BY id DESC LIMIT 1)`, t.Batch)
		if !tx.OK() || paid {
			return
		}
	}
	tx.Exec(`
		UPDATE asks SET used_at = NULL, task_id = NULL WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))`, engine.Listed(used))
}
