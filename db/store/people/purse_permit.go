package people

import (
	"context"
	"database/sql"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/team"
)

// A permit allows a person to make videos whose price is unknown. It is an answered row
// of asks whose unpriced is set.
type permit struct {
	ID      int64
	Credits float64 // reserved for the videos
	Once    bool    // it ends with one submission
}

// permitted returns the permit that the person has in the month, or sql.ErrNoRows.
func permitted(ctx context.Context, tx *sql.Tx, userID int64, month team.Month) (p permit, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT id, credits, CASE WHEN answer = 'once' THEN 1 ELSE 0 END FROM asks
		WHERE user_id = $1 AND unpriced = 1 AND ended_at IS NULL
			AND (answer = 'always' OR month = $2 AND (answer = 'month' OR answer = 'once' AND used_at IS NULL))
		ORDER BY answer = 'once', id DESC LIMIT 1`, userID, month).Scan(&p.ID, (*engine.Amount)(&p.Credits), &p.Once)
	return p, err
}

// usePermit reserves the permit's credits for the tasks, in equal parts.
func (s *Limits) usePermit(ctx context.Context, tx *sql.Tx, p permit, tasks []int64) error {
	whole := thousandths(p.Credits)
	each := whole / int64(len(tasks))
	for i, id := range tasks {
		held := each
		if i == 0 {
			held = whole - each*int64(len(tasks)-1)
		}
		if _, err := tx.ExecContext(ctx, `UPDATE tasks SET held = $1 WHERE id = $2`, held, id); err != nil {
			return err
		}
	}
	if !p.Once {
		return nil
	}
	_, err := tx.ExecContext(ctx, `UPDATE asks SET used_at = $1, task_id = $2 WHERE id = $3`, engine.Instant(s.db.Now()), tasks[0], p.ID)
	return err
}

// useOnce records that the submission of the task has used the largest amount that the
// person was allowed to spend once beyond the limit.
func (s *Limits) useOnce(ctx context.Context, tx *sql.Tx, t db.Task, month team.Month) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE asks SET used_at = $1, task_id = $2 WHERE id = (
			SELECT id FROM asks
			WHERE user_id = $3 AND month = $4 AND answer = 'once' AND unpriced = 0 AND used_at IS NULL AND ended_at IS NULL
			ORDER BY credits DESC, id LIMIT 1)`, engine.Instant(s.db.Now()), t.ID, t.UserID, month)
	return err
}
