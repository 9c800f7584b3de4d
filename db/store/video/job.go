package video

import (
	"context"
	"time"

	"dailies/db/secrets"
	"dailies/db/store/engine"
)

// endJobs ends the jobs of processes that are gone. It spares those of this process,
// whose requests may have begun some already.
func (s *Leases) endJobs(tx *engine.Tx, others any) {
	tx.Exec(`
		DELETE FROM jobs WHERE NOT EXISTS (
			SELECT 1 FROM (SELECT CAST(value AS TEXT) AS name FROM json_each($1) UNION SELECT CAST($2 AS TEXT)) live
			WHERE jobs.leased_by = live.name OR jobs.leased_by LIKE live.name || ' %')`, others, s.db.Process())
}

// NewOwner returns an owner of jobs that no other goroutine uses. Its jobs end when
// this process is gone.
func (s *Leases) NewOwner() string { return s.db.Process() + " " + secrets.NewToken() }

// TakeJob leases the job, which only one owner may do at a time, to the owner until the
// time until, and reports whether the owner has it now. The owner is the name of this
// process, or a NewOwner. A further call renews the lease.
func (s *Leases) TakeJob(ctx context.Context, name, owner string, now, until time.Time) (mine bool, err error) {
	taken, err := s.db.Exec(ctx, `
		INSERT INTO jobs (name, leased_by, leased_until) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET leased_by = excluded.leased_by, leased_until = excluded.leased_until
		WHERE jobs.leased_by = excluded.leased_by OR jobs.leased_until <= $4`, name, owner, engine.Instant(until), engine.Instant(now))
	return taken > 0, engine.About("job "+name, err)
}

// EndJob ends the owner's lease of the job, so that another owner may take it.
func (s *Leases) EndJob(ctx context.Context, name, owner string) error {
	_, err := s.db.Exec(ctx, `DELETE FROM jobs WHERE name = $1 AND leased_by = $2`, name, owner)
	return engine.About("job "+name, err)
}
