package video

import (
	"context"
	"time"

	"dailies/db/store/engine"
)

// unused is the condition that nothing refers to the hash in the column value.
const unused = `
	NOT EXISTS (SELECT 1 FROM media WHERE media.hash = value) AND NOT EXISTS (SELECT 1 FROM pictures WHERE pictures.hash = value)`

// LeaveOver records the files with these hashes as leftovers, except for those to which
// something refers.
func (s *Files) LeaveOver(ctx context.Context, now time.Time, hashes ...string) error {
	return engine.About("leftovers", s.db.Write(ctx, func(tx *engine.Tx) { leaveOver(tx, hashes, now) }))
}

func leaveOver(tx *engine.Tx, hashes []string, now time.Time) []string {
	if len(hashes) == 0 {
		return nil
	}
	return engine.All(tx, engine.ScanValue[string], `
		INSERT INTO leftovers (hash, at) SELECT DISTINCT value, CAST($1 AS BIGINT) FROM json_each($2) WHERE`+unused+`
		ORDER BY 1
		ON CONFLICT (hash) DO UPDATE SET at = excluded.at
		RETURNING hash`, engine.Instant(now), engine.AsJSON(&hashes))
}

// Leftovers returns the hashes of the leftovers that were recorded up to the time
// until: files to which nothing referred, and which were not removed yet.
func (s *Files) Leftovers(ctx context.Context, until time.Time) ([]string, error) {
	return engine.ReadAll(ctx, s.db.Reads, "leftovers", engine.ScanValue[string], `SELECT hash FROM leftovers WHERE at <= $1 ORDER BY at, hash`, engine.Instant(until))
}

// removalTimeout is how long the removal of a file may take. Its lease lasts twice as
// long, so that a process that waits for the end of the lease waits long enough.
const removalTimeout = 30 * time.Second

// removal returns the name of the job that removes the file.
func removal(hash string) string { return "removal of " + hash }

// DropLeftover deletes the record of the leftover. If still nothing refers to the file,
// it first calls remove; if that reports false, the file stays a leftover. remove must
// spare a file that was stored recently, because a new reference to it may be about to
// be recorded. Meanwhile IsRemoving returns true: whoever stores the file at that time
// must store it again afterwards. A removal that has failed may still take effect
// later, so its lease is left to expire.
func (s *Files) DropLeftover(ctx context.Context, hash string, remove func(context.Context) (bool, error)) error {
	owner, now := s.leases.NewOwner(), s.db.Now()
	mine, err := s.leases.TakeJob(ctx, removal(hash), owner, now, now.Add(2*removalTimeout))
	if !mine || err != nil {
		return err
	}
	bounded, stop := context.WithTimeout(ctx, removalTimeout)
	defer stop()
	look := s.db.Reading(ctx)
	unreferenced := engine.Value[bool](look, `SELECT `+unused+` FROM (SELECT CAST($1 AS TEXT) AS value) file`, hash)
	gone, err := true, look.Err()
	if err == nil && unreferenced {
		gone, err = remove(bounded)
	}
	if err == nil && gone {
		err = s.db.Write(ctx, func(tx *engine.Tx) { tx.Exec(`DELETE FROM leftovers WHERE hash = $1`, hash) })
	}
	if err == nil {
		err = s.leases.EndJob(ctx, removal(hash), owner)
	}
	return engine.About("leftover "+hash, err)
}

// IsRemoving reports whether a process is removing the file at this moment.
func (s *Files) IsRemoving(ctx context.Context, hash string) (bool, error) {
	return engine.ReadValue[bool](ctx, s.db.Reads, "leftover "+hash, `
		SELECT EXISTS (SELECT 1 FROM jobs WHERE name = $1 AND leased_until > $2)`, removal(hash), engine.Instant(s.db.Now()))
}
