package video

import (
	"context"
	"slices"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// StarTasks stars, or unstars, those of the tasks that the viewer may see, and returns
// the IDs of these. A star is for the whole team.
func (s *Tasks) StarTasks(ctx context.Context, viewer db.User, ids []int64, on bool) (changed []int64, err error) {
	return s.eachOf(ctx, viewer, db.User.IsActive, ids, func(tx *engine.Tx, _ db.User, t db.Task) bool {
		if !t.ListedFor(viewer.ID) {
			return false
		}
		tx.Exec(`UPDATE tasks SET starred = $1 WHERE id = $2 AND starred <> $1`, on, t.ID)
		return true
	})
}

// PrivateTasks hides those of the tasks that are the viewer's own from the team, or
// shows them to it again, and returns the IDs of these.
func (s *Tasks) PrivateTasks(ctx context.Context, viewer db.User, ids []int64, on bool) (changed []int64, err error) {
	return s.eachOf(ctx, viewer, db.User.Makes, ids, func(tx *engine.Tx, viewer db.User, t db.Task) bool {
		if t.UserID != viewer.ID || !t.ListedFor(viewer.ID) {
			return false
		}
		tx.Exec(`UPDATE tasks SET private = $1 WHERE id = $2 AND private <> $1`, on, t.ID)
		return true
	})
}

// TitleTask sets the title of the task, or removes it if title is empty. A title is for
// the whole team. It returns db.ErrNotFound if lists do not show the task to the
// viewer.
func (s *Tasks) TitleTask(ctx context.Context, viewer db.User, id int64, title string) error {
	done, err := s.eachOf(ctx, viewer, db.User.Makes, []int64{id}, func(tx *engine.Tx, viewer db.User, t db.Task) bool {
		if !t.ListedFor(viewer.ID) {
			return false
		}
		t.Title = naming.Clean(title)
		tx.Exec(`UPDATE tasks SET title = $1, words = $2 WHERE id = $3`, t.Title, s.WordsOf(t), t.ID)
		return true
	})
	if err == nil && len(done) == 0 {
		err = db.ErrNotFound
	}
	return engine.About("title of "+engine.Task(id), err)
}

// eachOf calls do for each of the tasks that exist, all in one transaction, and returns
// the IDs of those for which it returned true. It does not write the task back. do has
// to update single columns only, because the watcher may be working on the task.
//
// If the viewer is the actor in the context, do gets their account as it is now, and
// eachOf returns db.ErrNotFound if that no longer meets the condition is.
func (s *Tasks) eachOf(ctx context.Context, viewer db.User, is func(db.User) bool, ids []int64, do func(*engine.Tx, db.User, db.Task) bool) (done []int64, err error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	err = s.db.Write(ctx, kit.AsActor(is, func(tx *engine.Tx) {
		if viewer.ID != 0 && viewer.ID == audit.ActorIn(ctx).UserID {
			viewer = kit.Account(tx, viewer.ID)
		}
		for _, t := range loadTasks(tx, ids) {
			if changed := do(tx.About(engine.Task(t.ID)), viewer, t); tx.OK() && changed {
				done = append(done, t.ID)
			}
		}
	}))
	if err != nil {
		return nil, err
	}
	return done, nil
}
