package video

import (
	"time"

	"dailies/db"
	"dailies/db/store/engine"
)

// EndWaiting rejects the person's queued tasks, with the reason why.
func (s *Tasks) EndWaiting(tx *engine.Tx, id int64, why string, now time.Time) {
	for _, t := range LoadSelected(tx, `SELECT id FROM tasks WHERE user_id = $1 AND state = 'queued' ORDER BY id`, id) {
		before := t
		tx.Check(t.Reject(db.NoBlame, why, now))
		s.SaveTask(tx.About(engine.Task(t.ID)), before, &t)
	}
}
