package video

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Bin stores which videos are in the bin, until they are purged.
type Bin struct {
	db    *teamdb.DB
	tasks *Tasks
}

// Tasks returns the tasks in the bin that the viewer may restore (see
// db.Task.DeletableBy), the newest first: those with an ID smaller than before, or from
// the newest on if before is 0.
func (s *Bin) Tasks(ctx context.Context, viewer db.User, before int64, limit int) ([]db.Task, error) {
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
	return engine.Read(ctx, s.db, "bin of "+engine.User(viewer.ID), func(tx *engine.Tx) []db.Task {
		return LoadSelected(tx, query+` ORDER BY id DESC LIMIT $3 + 0`, viewer.ID, before, max(0, limit))
	})
}

// binned is the condition for tasks that are in the bin.
const binned = `deleted_at IS NOT NULL AND purged_at IS NULL`

// BinnedBy returns how many tasks EmptyBin would purge.
func (s *Bin) BinnedBy(ctx context.Context, userID int64, until time.Time) (int, error) {
	return engine.ReadValue[int](ctx, s.db.Reads, "bin of "+engine.User(userID),
		`SELECT count(*) FROM tasks INDEXED BY tasks_binned_of_maker WHERE `+binnedBy, userID, engine.Instant(until))
}

// binnedBy is the condition for the tasks of a person that were in the bin at a time
// and still are.
const binnedBy = binned + ` AND user_id = $1 AND deleted_at <= $2`

// EmptyBin is like Purge, for at most limit tasks that the person made and that were in
// the bin at the time until, whether or not they are due.
func (s *Bin) EmptyBin(ctx context.Context, userID int64, until, now time.Time, limit int) (n int, err error) {
	_, n, err = s.purgeSelected(ctx, now, true,
		`SELECT id FROM tasks INDEXED BY tasks_binned_of_maker WHERE `+binnedBy+` ORDER BY id LIMIT $3 + 0`,
		userID, engine.Instant(until), limit)
	return n, err
}

// Purge removes, for good, the contents of at most limit tasks that have been in the
// bin for db.BinLife, with their tags, shared links and places in collections. It
// returns how many these were, and the hashes of files to which nothing refers any
// more: they are leftovers until DropLeftover. A power cut does not undo it.
func (s *Bin) Purge(ctx context.Context, now time.Time, limit int) (gone []string, n int, err error) {
	return s.purgeSelected(ctx, now, false, `
		SELECT id FROM tasks WHERE deleted_at IS NOT NULL AND purged_at IS NULL AND deleted_at <= $1
		ORDER BY deleted_at, id LIMIT $2 + 0`, engine.Instant(now.Add(-db.BinLife)), limit)
}

// purgeSelected is Purge for the tasks whose IDs the query selects, due or, if early is
// set, before that.
func (s *Bin) purgeSelected(ctx context.Context, now time.Time, early bool, query string, args ...any) (gone []string, n int, err error) {
	err = s.db.WriteDurably(ctx, teamdb.AsActor(db.User.Makes, func(tx *engine.Tx) {
		tasks := LoadSelected(tx, query, args...)
		if !tx.OK() || len(tasks) == 0 {
			return
		}
		var hashes []string
		for _, t := range tasks {
			for _, m := range t.Media {
				hashes = append(hashes, m.Hash)
			}
			s.purge(tx, t, now, early)
		}
		n = len(tasks)
		gone = leaveOver(tx, hashes, now)
	}))
	if err != nil {
		return nil, 0, engine.About("what is in the bin", err)
	}
	return gone, n, nil
}

func (s *Bin) purge(tx *engine.Tx, t db.Task, now time.Time, early bool) {
	before := t
	tx.Check(t.Purge(now, early))
	s.tasks.SaveTask(tx.About(engine.Task(t.ID)), before, &t)
	for statement := range schema.Purge() { // after SaveTask, which writes back whatever Purge has left in t
		tx.About(engine.Task(t.ID)).Exec(statement, t.ID)
	}
}

// DeleteTasks puts those of the tasks into the bin that the viewer may delete and that
// are done, and returns the IDs of these. Tasks that were in the bin already are not
// among them, so that undoing the deletion leaves them there.
func (s *Bin) DeleteTasks(ctx context.Context, viewer db.User, ids []int64, now time.Time) (deleted []int64, err error) {
	return s.tasks.eachOf(ctx, viewer, db.User.Makes, ids, func(tx *engine.Tx, viewer db.User, t db.Task) bool {
		at := DeletionTime(tx, now)
		if !tx.OK() || !t.DeletedAt.IsZero() || !t.DeletableBy(viewer) || t.Delete(viewer.ID, at) != nil {
			return false
		}
		saveBin(tx, t)
		return true
	})
}

// RestoreTasks takes those of the tasks out of the bin that the viewer may delete, and
// returns the IDs of these.
func (s *Bin) RestoreTasks(ctx context.Context, viewer db.User, ids []int64) (restored []int64, err error) {
	return s.tasks.eachOf(ctx, viewer, db.User.Makes, ids, func(tx *engine.Tx, viewer db.User, t db.Task) bool {
		if t.DeletedAt.IsZero() || !t.DeletableBy(viewer) || t.Restore() != nil {
			return false
		}
		saveBin(tx, t)
		return true
	})
}

func saveBin(tx *engine.Tx, t db.Task) {
	tx.Exec(`
		UPDATE tasks SET deleted_at = $1, deleted_by = nullif($2, 0) WHERE id = $3`, engine.Instant(t.DeletedAt), t.DeletedBy, t.ID)
}
