package video

import (
	"context"
	"database/sql"
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
	return engine.About("lease of "+engine.Task(id), engine.Held(s.db.Writes.ExecContext(ctx, `
		UPDATE tasks SET leased_until = $1
		WHERE id = $2 AND leased_by = $3 AND leased_until IS NOT NULL`, engine.Instant(until), id, owner)))
}

// EndLease ends the owner's lease of the task, if the owner holds it, unless the task
// is being sent.
func (s *Leases) EndLease(ctx context.Context, owner string, id int64) error {
	_, err := s.db.Writes.ExecContext(ctx, `
		UPDATE tasks SET leased_by = '', leased_until = NULL
		WHERE id = $1 AND leased_by = $2 AND leased_until IS NOT NULL AND state <> 'sending'`, id, owner)
	return engine.About("lease of "+engine.Task(id), err)
}

// Recover settles, before the first Claim, what processes that are gone have left
// unfinished: their leases end, and every task that they were sending becomes
// unconfirmed, except for those in answered, whose answer is known and still has to be
// stored. It returns the tasks that became unconfirmed.
func (s *Leases) Recover(ctx context.Context, now time.Time, answered ...int64) (lost []db.Task, err error) {
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		others, err := s.Others(ctx, tx)
		if err != nil {
			return err
		}
		for _, statement := range []string{
			`UPDATE tasks SET leased_by = CASE WHEN state = 'sending' THEN leased_by ELSE '' END, leased_until = NULL
				WHERE leased_until IS NOT NULL AND leased_by NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))`,
			`DELETE FROM create_calls WHERE process NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))`,
		} {
			if _, err := tx.ExecContext(ctx, statement, others); err != nil {
				return err
			}
		}
		if err := s.endJobs(ctx, tx, others); err != nil {
			return err
		}
		lost, err = LoadSelected(ctx, tx, `
			SELECT id FROM tasks INDEXED BY tasks_sending
			WHERE state = 'sending' AND leased_by NOT IN (SELECT CAST(value AS TEXT) FROM json_each($1))
				AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each($2))
			ORDER BY id + 0`, others, engine.Listed(answered))
		if err != nil {
			return err
		}
		return s.tasks.Lose(ctx, tx, lost, now)
	})
	return lost, engine.About("tasks that were being sent", err)
}

// Others returns the names of the other processes that are not gone, as a JSON array.
func (s *Leases) Others(ctx context.Context, tx *sql.Tx) (any, error) {
	others, err := s.db.Others(ctx, tx)
	names := []string{}
	for _, p := range others {
		names = append(names, p.Name)
	}
	return engine.AsJSON(&names), err
}
