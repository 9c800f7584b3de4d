package video

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/engine"
)

// Collected lists the videos of the collection that the viewer may see.
func (s *Collections) Collected(ctx context.Context, viewer, id int64) (gallery.Collected, error) {
	type member struct {
		id           int64
		kept, shared bool
	}
	members, err := engine.ReadAll(ctx, s.db.Reads, "videos of "+collection(id), engine.ScanFields(func(m *member) []any { return []any{&m.id, &m.kept, &m.shared} }), `
		SELECT g.id, EXISTS (SELECT 1 FROM media m WHERE m.task_id = g.id AND m.kind = 'video' AND m.lost_at IS NULL), g.team = 1
		FROM collection_tasks k JOIN gallery g ON g.id = k.task_id
		WHERE k.collection_id = $2 AND `+visible+`
			AND EXISTS (SELECT 1 FROM collections WHERE id = $2 AND deleted_at IS NULL)
		ORDER BY k.position, k.task_id
		LIMIT $3 + 0`, viewer, id, gallery.MaxCollection)
	var list gallery.Collected
	for _, m := range members {
		list.IDs = append(list.IDs, m.id)
		if m.kept {
			list.Kept = append(list.Kept, m.id)
		}
		list.Shareable = list.Shareable || m.kept && m.shared
	}
	return list, err
}

// collected returns the IDs of the videos of the collection that the viewer may see:
// the first ones, up to most.
func collected(tx *engine.Tx, viewer, id int64, most int) []int64 {
	return engine.All(tx, engine.ScanValue[int64], `
		SELECT g.id
		FROM collection_tasks k JOIN gallery g ON g.id = k.task_id
		WHERE k.collection_id = $2 AND `+visible+`
			AND EXISTS (SELECT 1 FROM collections WHERE id = $2 AND deleted_at IS NULL)
		ORDER BY k.position, k.task_id
		LIMIT $3 + 0`, viewer, id, most)
}

// AddToCollection appends those of the tasks that the person may see to the collection,
// in the order of the IDs, and returns how many of them were not in it before. If the
// collection would exceed gallery.MaxCollection, it adds nothing and returns db.ErrConflict.
func (s *Collections) AddToCollection(ctx context.Context, id, by int64, taskIDs []int64, now time.Time) (added int, err error) {
	err = s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		changed(tx, id, now)
		added = tx.Exec(`
			INSERT INTO collection_tasks (collection_id, task_id, position, added_by, added_at)
			SELECT $2, g.id, wanted.key + (SELECT coalesce(max(position), 0) + 1 FROM collection_tasks WHERE collection_id = $2), $1, $4
			FROM json_each($3) wanted JOIN gallery g ON g.id = CAST(wanted.value AS BIGINT)
			WHERE `+visible+`
			ORDER BY wanted.key
			ON CONFLICT DO NOTHING`, by, id, engine.AsJSON(&taskIDs), engine.Instant(now))
		all := engine.Value[int](tx, `SELECT count(*) FROM collection_tasks WHERE collection_id = $1`, id)
		tx.Require(all <= gallery.MaxCollection, db.ErrConflict)
	})
	return added, engine.About(collection(id), err)
}

// changed records that the collection changes now.
func changed(tx *engine.Tx, id int64, now time.Time) {
	tx.ExecOr(db.ErrNotFound, `UPDATE collections SET changed_at = $1 WHERE id = $2 AND deleted_at IS NULL`, engine.Instant(now), id)
}

// RemoveFromCollection removes those of the tasks that the person may see from the
// collection, and returns how many of them were in it.
func (s *Collections) RemoveFromCollection(ctx context.Context, id, by int64, taskIDs []int64, now time.Time) (removed int, err error) {
	err = s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		changed(tx, id, now)
		removed = tx.Exec(`
			DELETE FROM collection_tasks
			WHERE collection_id = $2 AND task_id IN (
				SELECT g.id FROM json_each($3) wanted JOIN gallery g ON g.id = CAST(wanted.value AS BIGINT) WHERE `+visible+`)`,
			by, id, engine.AsJSON(&taskIDs))
	})
	return removed, engine.About(collection(id), err)
}

// MoveInCollection swaps the task with the previous or next one in the collection, as
// the person sees it. It does nothing at either end.
func (s *Collections) MoveInCollection(ctx context.Context, id, by, taskID int64, earlier bool, now time.Time) error {
	return engine.About(fmt.Sprintf("%s in %s", engine.Task(taskID), collection(id)), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		ids := collected(tx, by, id, gallery.MaxCollection)
		at, to := neighbour(ids, taskID, earlier)
		tx.Require(at >= 0, db.ErrNotFound)
		if !tx.OK() || to < 0 || to >= len(ids) {
			return
		}
		changed(tx, id, now)
		// Both positions are read before either is written.
		tx.Exec(`
			UPDATE collection_tasks SET position = other.position
			FROM (SELECT task_id, position FROM collection_tasks WHERE collection_id = $1 AND task_id IN ($2, $3)) other
			WHERE collection_id = $1 AND collection_tasks.task_id IN ($2, $3) AND collection_tasks.task_id <> other.task_id`,
			id, taskID, ids[to])
	}))
}

// neighbour returns the index of the task among the IDs, or -1, and the index before it
// (earlier) or after it, which may be out of range.
func neighbour(ids []int64, taskID int64, earlier bool) (at, to int) {
	at = slices.Index(ids, taskID)
	if earlier {
		return at, at - 1
	}
	return at, at + 1
}
