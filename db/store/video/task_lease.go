package video

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Leases stores which process works on which task or job.
type Leases struct {
	db    *kit.DB
	tasks *Tasks
}

// Renew extends the owner's lease of the task to the time until. It returns
// db.ErrConflict if the owner no longer holds the lease.
func (s *Leases) Renew(ctx context.Context, owner string, id int64, until time.Time) error {
	return engine.About("lease of "+engine.Task(id), s.db.ExecOr(ctx, db.ErrConflict, `
		UPDATE tasks SET leased_until = $1
		WHERE id = $2 AND leased_by = $3 AND leased_until IS NOT NULL`, engine.Instant(until), id, owner))
}

// EndLease ends the owner's lease of the task, if the owner holds it, unless the task
// is being sent.
func (s *Leases) EndLease(ctx context.Context, owner string, id int64) error {
	_, err := s.db.Exec(ctx, `
		UPDATE tasks SET leased_by = '', leased_until = NULL
		WHERE id = $1 AND leased_by = $2 AND leased_until IS NOT NULL AND state <> 'sending'`, id, owner)
	return engine.About("lease of "+engine.Task(id), err)
}

// Recover settles, before the first Claim, what processes that are gone have left
// unfinished: their leases end, and every task that they were sending becomes
// unconfirmed, except for those in answered, whose answer is known and still has to be
// stored. It returns the tasks that became unconfirmed.
func (s *Leases) Recover(ctx context.Context, now time.Time, answered ...int64) (lost []db.Task, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		others := s.Others(tx)
		for _, statement := range []string{
			`UPDATE tasks SET leased_by = CASE WHEN state = 'sending' THEN leased_by ELSE '' END, leased_until = NULL
				WHERE leased_until IS NOT NULL AND leased_by NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))`,
			`DELETE FROM create_calls WHERE process NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))`,
		} {
			tx.Exec(statement, others)
		}
		s.endJobs(tx, others)
		lost = LoadSelected(tx, `
			SELECT id FROM tasks INDEXED BY tasks_sending
			WHERE state = 'sending' AND leased_by NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))
				AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each($2))
			ORDER BY id + 0`, others, engine.Listed(answered))
		s.tasks.Lose(tx, lost, now)
	})
	return lost, engine.About("tasks that were being sent", err)
}

// Others returns the names of the other processes that are not gone, as a JSON array.
func (s *Leases) Others(tx *engine.Tx) any {
	names := []string{}
	for _, p := range s.db.Others(tx) {
		names = append(names, p.Name)
	}
	return engine.AsJSON(&names)
}
