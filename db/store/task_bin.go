package store

import (
	"context"
	"database/sql"
	"time"

	"dailies/db"
)

// Bin returns the tasks in the bin that the viewer may restore (see
// db.Task.DeletableBy), the newest first: those with an ID smaller than before, or from
// the newest on if before is 0.
func (s *Store) Bin(ctx context.Context, viewer db.User, before int64, limit int) (tasks []db.Task, err error) {
	if before == 0 {
		before = newest
	}
	// The person's own tasks and those of the team are read separately, because each
	// have an index in which the newest of them are next to each other.
	query := `
		SELECT id FROM (SELECT id FROM tasks INDEXED BY tasks_binned_of_maker
			WHERE ` + binned + ` AND user_id = $1 AND id < $2
			ORDER BY id DESC LIMIT $3 + 0) own`
	if viewer.IsAdmin() {
		query += `
		UNION
		SELECT id FROM (SELECT id FROM tasks INDEXED BY tasks_binned_of_team
			WHERE ` + binned + ` AND state = 'success' AND private = 0 AND id < $2
			ORDER BY id DESC LIMIT $3 + 0) team`
	}
	err = s.read(ctx, func(tx *sql.Tx) (err error) {
		tasks, err = loadSelected(ctx, tx, query+` ORDER BY id DESC LIMIT $3 + 0`, viewer.ID, before, max(0, limit))
		return err
	})
	return tasks, about("bin of "+user(viewer.ID), err)
}

// binned is the condition for tasks that are in the bin.
const binned = `deleted_at IS NOT NULL AND purged_at IS NULL`

// BinnedBy returns how many tasks EmptyBin would purge.
func (s *Store) BinnedBy(ctx context.Context, userID int64, until time.Time) (n int, err error) {
	err = s.reads.QueryRowContext(ctx, `SELECT count(*) FROM tasks INDEXED BY tasks_binned_of_maker WHERE `+binnedBy, userID, instant(until)).Scan(&n)
	return n, about("bin of "+user(userID), err)
}

// binnedBy is the condition for the tasks of a person that were in the bin at a time
// and still are.
const binnedBy = binned + ` AND user_id = $1 AND deleted_at <= $2`

// EmptyBin is like Purge, for at most limit tasks that the person made and that were in
// the bin at the time until, whether or not they are due.
func (s *Store) EmptyBin(ctx context.Context, userID int64, until, now time.Time, limit int) (n int, err error) {
	_, n, err = s.purgeSelected(ctx, now, true, `SELECT id FROM tasks INDEXED BY tasks_binned_of_maker WHERE `+binnedBy+` ORDER BY id LIMIT $3 + 0`, userID, instant(until), limit)
	return n, err
}

// Purge removes, for good, the contents of at most limit tasks that have been in the
// bin for db.BinLife, with their tags, shared links and places in collections. It
// returns how many these were, and the hashes of files to which nothing refers any
// more: they are leftovers until DropLeftover. A power cut does not undo it.
func (s *Store) Purge(ctx context.Context, now time.Time, limit int) (gone []string, n int, err error) {
	return s.purgeSelected(ctx, now, false, `
		SELECT id FROM tasks WHERE deleted_at IS NOT NULL AND purged_at IS NULL AND deleted_at <= $1
		ORDER BY deleted_at, id LIMIT $2 + 0`, instant(now.Add(-db.BinLife)), limit)
}

// purgeSelected is Purge for the tasks whose IDs the query selects, due or, if early is
// set, before that.
func (s *Store) purgeSelected(ctx context.Context, now time.Time, early bool, query string, args ...any) (gone []string, n int, err error) {
	err = s.writeDurably(ctx, asActor(ctx, db.User.Makes, func(tx *sql.Tx) error {
		tasks, err := loadSelected(ctx, tx, query, args...)
		if err != nil || len(tasks) == 0 {
			return err
		}
		var hashes []string
		for _, t := range tasks {
			for _, m := range t.Media {
				hashes = append(hashes, m.Hash)
			}
			if err := s.purge(ctx, tx, t, now, early); err != nil {
				return err
			}
		}
		n = len(tasks)
		gone, err = leaveOver(ctx, tx, hashes, now)
		return err
	}))
	if err != nil {
		return nil, 0, about("what is in the bin", err)
	}
	return gone, n, nil
}

func (s *Store) purge(ctx context.Context, tx *sql.Tx, t db.Task, now time.Time, early bool) error {
	before := t
	if err := t.Purge(now, early); err != nil {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM answers WHERE task_id = $1`,
		`DELETE FROM media WHERE task_id = $1`,
		`DELETE FROM task_tags WHERE task_id = $1`,
		`DELETE FROM collection_tasks WHERE task_id = $1`,
		`DELETE FROM shares WHERE task_id = $1`,
	} {
		if _, err := tx.ExecContext(ctx, statement, t.ID); err != nil {
			return about(task(t.ID), err)
		}
	}
	return about(task(t.ID), s.saveTask(ctx, tx, before, &t))
}

// unused is the condition that nothing refers to the hash in the column value.
const unused = `
	NOT EXISTS (SELECT 1 FROM media WHERE media.hash = value) AND NOT EXISTS (SELECT 1 FROM pictures WHERE pictures.hash = value)`

// LeaveOver records the files with these hashes as leftovers, except for those to which
// something refers.
func (s *Store) LeaveOver(ctx context.Context, now time.Time, hashes ...string) error {
	return about("leftovers", s.write(ctx, func(tx *sql.Tx) error {
		_, err := leaveOver(ctx, tx, hashes, now)
		return err
	}))
}

func leaveOver(ctx context.Context, tx *sql.Tx, hashes []string, now time.Time) ([]string, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	return all(ctx, tx, scanValue[string], `
		INSERT INTO leftovers (hash, at) SELECT DISTINCT value, CAST($1 AS BIGINT) FROM json_each($2) WHERE`+unused+`
		ORDER BY 1
		ON CONFLICT (hash) DO UPDATE SET at = excluded.at
		RETURNING hash`, instant(now), asJSON(&hashes))
}

// Leftovers returns the hashes of the leftovers that were recorded up to the time
// until: files to which nothing referred, and which were not removed yet.
func (s *Store) Leftovers(ctx context.Context, until time.Time) ([]string, error) {
	hashes, err := all(ctx, s.reads, scanValue[string], `SELECT hash FROM leftovers WHERE at <= $1 ORDER BY at, hash`, instant(until))
	return hashes, about("leftovers", err)
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
func (s *Store) DropLeftover(ctx context.Context, hash string, remove func(context.Context) (bool, error)) error {
	owner, now := s.NewOwner(), s.Now()
	mine, err := s.TakeJob(ctx, removal(hash), owner, now, now.Add(2*removalTimeout))
	if !mine || err != nil {
		return err
	}
	bounded, stop := context.WithTimeout(ctx, removalTimeout)
	defer stop()
	var unreferenced bool
	err = s.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT `+unused+` FROM (SELECT CAST($1 AS TEXT) AS value) file`, hash).Scan(&unreferenced)
	})
	gone := true
	if err == nil && unreferenced {
		gone, err = remove(bounded)
	}
	if err == nil && gone {
		err = s.write(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, `DELETE FROM leftovers WHERE hash = $1`, hash)
			return err
		})
	}
	if err == nil {
		err = s.EndJob(ctx, removal(hash), owner)
	}
	return about("leftover "+hash, err)
}

// IsRemoving reports whether a process is removing the file at this moment.
func (s *Store) IsRemoving(ctx context.Context, hash string) (is bool, err error) {
	err = s.reads.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM jobs WHERE name = $1 AND leased_until > $2)`, removal(hash), instant(s.Now())).Scan(&is)
	return is, about("leftover "+hash, err)
}
