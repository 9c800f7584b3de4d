package people

import (
	"dailies/db"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// A permit allows a person to make videos whose price is unknown. It is an answered row
// of asks whose unpriced is set. It makes no price known: such videos wait for one another
// (see video.Calls.SendTask).
type permit struct {
	ID   int64
	Once bool // it ends with one submission
}

// permitted returns the permit that the person has in the month, if there is one.
func permitted(tx *engine.Tx, userID int64, month spending.Month) (p permit, found bool) {
	found = tx.Row(`
		SELECT id, CASE WHEN answer = 'once' THEN 1 ELSE 0 END FROM asks
		WHERE user_id = $1 AND unpriced = 1 AND ended_at IS NULL AND `+kit.Counted+`
			AND (answer = 'always' OR month = $2 AND (answer = 'month' OR answer = 'once' AND used_at IS NULL))
		ORDER BY answer = 'once', id DESC LIMIT 1`, userID, month).Find(&p.ID, &p.Once)
	return p, found
}

// usePermit records that the submission of the task has used the permit.
func (s *Limits) usePermit(tx *engine.Tx, p permit, taskID int64) {
	if p.Once {
		tx.Exec(`UPDATE asks SET used_at = $1, task_id = $2 WHERE id = $3`, engine.Instant(s.db.Now()), taskID, p.ID)
	}
}

// useOnce records that the submission of the task has used the largest amount that the
// person was allowed to spend once beyond the limit.
func (s *Limits) useOnce(tx *engine.Tx, t db.Task, month spending.Month) {
	tx.Exec(`
		UPDATE asks SET used_at = $1, task_id = $2 WHERE id = (
			SELECT id FROM asks
			WHERE user_id = $3 AND month = $4 AND answer = 'once' AND unpriced = 0 AND used_at IS NULL AND ended_at IS NULL AND `+kit.Counted+`
			ORDER BY credits DESC, id LIMIT 1)`, engine.Instant(s.db.Now()), t.ID, t.UserID, month)
}
