package video

import (
	"context"
	"database/sql"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
)

// EndWaiting rejects the person's queued tasks, with the reason why.
func (s *Tasks) EndWaiting(ctx context.Context, tx *sql.Tx, id int64, why string, now time.Time) error {
	waiting, err := LoadSelected(ctx, tx, `SELECT id FROM tasks WHERE user_id = $1 AND state = 'queued' ORDER BY id`, id)
	if err != nil {
		return err
	}
	for _, t := range waiting {
		before := t
		if err := t.Reject(db.NoBlame, why, now); err != nil {
			return err
		}
		if err := s.SaveTask(ctx, tx, before, &t); err != nil {
			return engine.About(engine.Task(t.ID), err)
		}
	}
	return nil
}
