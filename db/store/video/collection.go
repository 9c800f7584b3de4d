package video

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Collections stores collections and the videos in them.
type Collections struct {
	db *teamdb.DB
}

// collectionCount is how many videos of collection c the viewer $1 may see.
const collectionCount = `(SELECT CAST(coalesce(sum(k.videos), 0) AS BIGINT) FROM collection_counts k
	WHERE k.collection_id = c.id AND k.user_id IN (0, $1))`

func count(c *gallery.Collection) []any { return []any{&c.Count} }

var collectionPage = `
	SELECT ` + schema.Collections.Columns + `, ` + collectionCount + `
	FROM collections c JOIN users u ON u.id = c.created_by
	WHERE c.deleted_at IS NULL
		AND (NOT EXISTS (SELECT 1 FROM collections WHERE id = CAST($2 AS BIGINT))
			OR (lower(c.name), c.id) > (SELECT lower(name), id FROM collections WHERE id = $2))
	ORDER BY lower(c.name), c.id LIMIT $3 + 0`

// Page returns up to limit of the team's collections by name, starting after the
// one with the ID after, or with the first if there is no such collection (any more).
// Each has the number of videos in it that the viewer may see, and the first of those as
// covers.
func (s *Collections) Page(ctx context.Context, viewer, after int64, limit int) ([]gallery.Collection, error) {
	var list []gallery.Collection
	err := s.db.Read(ctx, func(tx *engine.Tx) {
		list = engine.All(tx, schema.Collections.Scan(count), collectionPage, viewer, after, max(0, limit))
		withCovers(tx, viewer, list)
	})
	return list, engine.About("collections", err)
}

var countedCollection = `
	SELECT ` + schema.Collections.Columns + `, ` + collectionCount + `
	FROM collections c JOIN users u ON u.id = c.created_by
	WHERE c.id = $2 AND c.deleted_at IS NULL`

// Collection returns one collection, with the same details as Page.
func (s *Collections) Collection(ctx context.Context, viewer, id int64) (gallery.Collection, error) {
	list := make([]gallery.Collection, 1)
	err := s.db.Read(ctx, func(tx *engine.Tx) {
		list[0] = engine.One(tx, schema.Collections.Scan(count), countedCollection, viewer, id)
		withCovers(tx, viewer, list)
	})
	return list[0], engine.About(collection(id), err)
}

// bareCollection selects collections without the number of their videos.
var bareCollection = `
	SELECT ` + schema.Collections.Columns + `
	FROM collections c JOIN users u ON u.id = c.created_by`

var namedCollections = bareCollection + `
	WHERE c.deleted_at IS NULL ORDER BY c.changed_at DESC, c.id DESC LIMIT $1 + 0`

// CollectionNames returns up to limit of the team's collections, the last changed
// first, without counts and covers, for a list to choose from.
func (s *Collections) CollectionNames(ctx context.Context, limit int) ([]gallery.Collection, error) {
	return engine.ReadAll(ctx, s.db.Reads, "collections", schema.Collections.Scan(), namedCollections, limit)
}

var listedCollections = bareCollection + `
	JOIN json_each($1) wanted ON c.id = CAST(wanted.value AS BIGINT)
	ORDER BY c.changed_at DESC, c.id DESC LIMIT $2 + 0`

// FindCollections returns the collections in whose name every word of the query is the
// beginning of a word, those that were changed last first, at most as many as the limit.
// They have no counts and no covers.
func (s *Collections) FindCollections(ctx context.Context, query string, limit int) ([]gallery.Collection, error) {
	return engine.Read(ctx, s.db, "collections by name", func(tx *engine.Tx) []gallery.Collection {
		ids := teamdb.Found(teamdb.Listed(tx, teamdb.CollectionNames), query)
		return engine.All(tx, schema.Collections.Scan(), listedCollections, engine.AsJSON(&ids), limit)
	})
}

var collectionsOfTask = bareCollection + `
	WHERE c.deleted_at IS NULL AND c.id IN (SELECT collection_id FROM collection_tasks WHERE task_id = $1)
	ORDER BY lower(c.name), c.id`

// CollectionsOf returns the collections that contain the task, by name, without counts
// and covers.
func (s *Collections) CollectionsOf(ctx context.Context, taskID int64) ([]gallery.Collection, error) {
	return engine.ReadAll(ctx, s.db.Reads, "collections of "+engine.Task(taskID), schema.Collections.Scan(), collectionsOfTask, taskID)
}

// NamedCollection returns the collection whose name has the same naming.Key, without
// counts and covers.
func (s *Collections) NamedCollection(ctx context.Context, name string) (gallery.Collection, error) {
	list, err := engine.ReadAll(ctx, s.db.Reads, "collection by its name", schema.Collections.Scan(),
		bareCollection+` WHERE c.deleted_at IS NULL ORDER BY c.id`)
	at := slices.IndexFunc(list, func(c gallery.Collection) bool { return naming.Key(c.Name) == naming.Key(name) })
	if err == nil && at < 0 {
		err = engine.About("collection by its name", db.ErrNotFound)
	}
	if err != nil {
		return gallery.Collection{}, err
	}
	return list[at], nil
}

// isFreeName reports whether no other collection has a name that cannot be told from this
// one.
func isFreeName(tx *engine.Tx, name string, id int64) bool {
	return engine.IsFree(tx, name, `SELECT name FROM collections WHERE deleted_at IS NULL AND id <> $1`, id)
}

// withCovers fills in the covers of the collections. A video may be in several of them.
func withCovers(tx *engine.Tx, viewer int64, list []gallery.Collection) {
	first, wanted := make([][]int64, len(list)), map[int64]db.Task{}
	for i, c := range list {
		first[i] = collected(tx, viewer, c.ID, gallery.MostCovers)
		for _, id := range first[i] {
			wanted[id] = db.Task{}
		}
	}
	for _, t := range loadTasks(tx, slices.Collect(maps.Keys(wanted))) {
		wanted[t.ID] = t
	}
	for i := range list {
		for _, id := range first[i] {
			list[i].Covers = append(list[i].Covers, wanted[id])
		}
	}
}

var addedCollection = schema.Collections.Part(schema.Added)

var insertCollection = `
	INSERT INTO collections (` + addedCollection.Names + `) VALUES (` + addedCollection.Places(1) + `)
	RETURNING id`

// AddCollection adds the collection and sets its ID. It returns db.ErrConflict if the
// name is taken, and db.ErrFull if there are gallery.MaxCollections already.
func (s *Collections) AddCollection(ctx context.Context, c *gallery.Collection) error {
	c.Name, c.Note = naming.Clean(c.Name), naming.CleanLines(c.Note)
	return engine.About("collection of "+engine.User(c.CreatedBy), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		tx.Require(isFreeName(tx, c.Name, 0), db.ErrConflict)
		added := *c
		added.ChangedAt = c.CreatedAt
		tx.Insert(&c.ID, insertCollection, addedCollection.Values(&added)...)
		fewCollections(tx)
	}))
}

// SetCollection changes the collection's name and note. It returns db.ErrConflict if
// the name is taken.
func (s *Collections) SetCollection(ctx context.Context, id int64, name, note string, now time.Time) error {
	name, note = naming.Clean(name), naming.CleanLines(note)
	return engine.About(collection(id), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		tx.Require(isFreeName(tx, name, id), db.ErrConflict)
		tx.ExecOr(db.ErrNotFound, `
			UPDATE collections SET name = $1, note = $2, changed_at = $3 WHERE id = $4 AND deleted_at IS NULL`, name, note,
			engine.Instant(now), id)
	}))
}

func collection(id int64) string { return fmt.Sprintf("collection %d", id) }

// DeleteCollection deletes the collection for everybody, so that shared links to it
// show nothing; its videos stay. It can be restored until the person has deleted
// gallery.BinnedCollections others.
func (s *Collections) DeleteCollection(ctx context.Context, id, by int64, now time.Time) error {
	return engine.About(collection(id), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		tx.ExecOr(db.ErrNotFound, `
			UPDATE collections SET deleted_at = $1, deleted_by = $2 WHERE id = $3 AND deleted_at IS NULL`, engine.Instant(now), by, id)
		// The oldest go by number rather than by age, because the clock may be wrong.
		tx.Exec(`
			DELETE FROM collections WHERE id IN (
				SELECT id FROM collections WHERE deleted_by = $1 AND deleted_at IS NOT NULL
				ORDER BY deleted_at DESC, id DESC LIMIT 1000000 OFFSET $2 + 0)`, by, gallery.BinnedCollections)
	}))
}

// RestoreCollection restores the deleted collection with its videos and its shared
// links. If its name has been taken meanwhile, a number is appended. It returns
// db.ErrFull if there are gallery.MaxCollections already.
func (s *Collections) RestoreCollection(ctx context.Context, id int64) (gallery.Collection, error) {
	var c gallery.Collection
	err := s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		c = engine.One(tx, schema.Collections.Scan(), bareCollection+` WHERE c.id = $1 AND c.deleted_at IS NOT NULL`, id)
		c.Name = freeName(tx, c.Name, id)
		tx.Exec(`
			UPDATE collections SET name = $1, deleted_at = NULL, deleted_by = NULL WHERE id = $2`, c.Name, id)
		fewCollections(tx)
	})
	return c, engine.About(collection(id), err)
}

// freeName returns the name for the collection with the ID, with a number appended if
// another collection has it already.
func freeName(tx *engine.Tx, name string, id int64) string {
	for n := 1; ; n++ {
		free := name
		if n > 1 {
			number := fmt.Sprintf(" (%d)", n)
			free = naming.Short(name, gallery.MaxCollectionName-len(number)) + number
		}
		if isFreeName(tx, free, id) || !tx.OK() {
			return free
		}
	}
}

// BinnedCollection returns the deleted collection, without counts and covers.
func (s *Collections) BinnedCollection(ctx context.Context, id int64) (gallery.Collection, error) {
	return engine.ReadOne(ctx, s.db.Reads, collection(id), schema.Collections.Scan(),
		bareCollection+` WHERE c.id = $1 AND c.deleted_at IS NOT NULL`, id)
}

// BinnedCollections returns the collections that the person made and that are deleted,
// or everybody's if of is 0, without counts and covers: up to gallery.BinnedCollections, the
// last deleted first.
func (s *Collections) BinnedCollections(ctx context.Context, of int64) ([]gallery.Collection, error) {
	return engine.ReadAll(ctx, s.db.Reads, "deleted collections", schema.Collections.Scan(), bareCollection+`
		WHERE c.deleted_at IS NOT NULL AND ($1 = 0 OR c.created_by = $1)
		ORDER BY c.deleted_at DESC, c.id DESC LIMIT $2 + 0`, of, gallery.BinnedCollections)
}

// fewCollections fails with db.ErrFull if the team has more than gallery.MaxCollections.
func fewCollections(tx *engine.Tx) {
	n := engine.Value[int](tx, `SELECT count(*) FROM collections WHERE deleted_at IS NULL`)
	tx.Require(n <= gallery.MaxCollections, db.ErrFull)
}

// Collected lists the videos of the collection that the viewer may see.
func (s *Collections) Collected(ctx context.Context, viewer, id int64) (gallery.Collected, error) {
	type member struct {
		id           int64
		kept, shared bool
	}
	members, err := engine.ReadAll(ctx, s.db.Reads, "videos of "+collection(id),
		engine.ScanFields(func(m *member) []any { return []any{&m.id, &m.kept, &m.shared} }), `
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
