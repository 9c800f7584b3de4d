package video

import (
	"context"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/engine"
	"dailies/db/store/teamdb"
)

// Tags stores the tags of videos.
type Tags struct {
	db    *teamdb.DB
	tasks *Tasks
}

// tagsOfTask is how many tags a task may have.
const tagsOfTask = 20

// TagTasks adds and removes the named tags of those tasks that the viewer may see, and
// returns the IDs of these. A new name becomes a new tag. If a task would have more
// than 20 tags, nothing is changed and it returns db.ErrConflict.
func (s *Tags) TagTasks(ctx context.Context, viewer db.User, ids []int64, add, remove []string,
	now time.Time) (changed []int64, err error) {
	return s.tasks.eachOf(ctx, viewer, db.User.Makes, ids, func(tx *engine.Tx, viewer db.User, t db.Task) bool {
		if !t.ListedFor(viewer.ID) {
			return false
		}
		removeTags(tx, t.ID, remove)
		for _, name := range add {
			if name = gallery.TagName(name); name == "" {
				continue
			}
			addTag(tx, t.ID, name, viewer.ID, now)
		}
		fewTags(tx, t.ID)
		return true
	})
}

func addTag(tx *engine.Tx, taskID int64, name string, by int64, now time.Time) {
	tx.Exec(`
		INSERT INTO tags (name, name_key, created_by, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (name_key) DO NOTHING`, name, gallery.TagKey(name), by, engine.Instant(now))
	tx.Exec(`
		INSERT INTO task_tags (task_id, tag_id) SELECT $1, id FROM tags WHERE name_key = $2
		ON CONFLICT DO NOTHING`, taskID, gallery.TagKey(name))
}

// removeTags removes the tags from the task, and deletes those that no task has any
// more, because every list of tags reads them all.
func removeTags(tx *engine.Tx, taskID int64, names []string) {
	if len(names) == 0 {
		return
	}
	var keys []string
	for _, name := range names {
		keys = append(keys, gallery.TagKey(gallery.TagName(name)))
	}
	tx.Exec(`
		DELETE FROM task_tags WHERE task_id = $1 AND tag_id IN (
			SELECT id FROM tags WHERE name_key IN (SELECT value FROM json_each($2)))`, taskID, engine.AsJSON(&keys))
	tx.Exec(`
		DELETE FROM tags WHERE name_key IN (SELECT value FROM json_each($1))
			AND NOT EXISTS (SELECT 1 FROM task_tags WHERE tag_id = tags.id)`, engine.AsJSON(&keys))
}

// fewTags fails with db.ErrConflict if the task has more than tagsOfTask tags.
func fewTags(tx *engine.Tx, taskID int64) {
	n := engine.Value[int](tx, `SELECT count(*) FROM task_tags WHERE task_id = $1`, taskID)
	tx.Require(n <= tagsOfTask, fmt.Errorf("%d tags: %w", n, db.ErrConflict))
}

// mostTags is how many tags are suggested.
const mostTags = 200

// VisibleTo returns the tags of the videos that the viewer may see, in alphabetical order:
// the 200 that the newest videos have.
func (s *Tags) VisibleTo(ctx context.Context, viewer int64) ([]gallery.Tag, error) {
	return engine.ReadAll(ctx, s.db.Reads, "tags", engine.ScanFields(tagFields), `
		SELECT id, name FROM (
			SELECT id, name, name_key FROM (
				SELECT id, name, name_key, CASE
					WHEN (SELECT count(*) FROM tags) <= $2 AND EXISTS (SELECT 1 FROM tag_counts c WHERE c.tag_id = tags.id AND c.videos > 0) THEN 0
					ELSE (
						SELECT k.task_id FROM task_tags k JOIN gallery g ON g.id = k.task_id
						WHERE k.tag_id = tags.id AND `+visible+`
						ORDER BY k.task_id DESC LIMIT 1) END AS newest
				FROM tags
			) used WHERE newest IS NOT NULL ORDER BY newest DESC LIMIT $2 + 0
		) newest ORDER BY name_key`, viewer, mostTags)
}

// FindTags returns the tags in whose name every word of the query is the beginning of a
// word, as far as videos that the viewer may see have them: those that the newest videos
// have come first, at most as many as the limit.
func (s *Tags) FindTags(ctx context.Context, viewer int64, query string, limit int) ([]gallery.Tag, error) {
	return engine.Read(ctx, s.db, "tags by name", func(tx *engine.Tx) []gallery.Tag {
		ids := teamdb.Found(s.db.Names(tx).Tags, query)
		return visibleTags(tx, viewer, ids, limit)
	})
}

// visibleTags returns those of the tags that videos have which the viewer may see, in the
// order of the newest of these.
func visibleTags(tx *engine.Tx, viewer int64, ids []int64, limit int) []gallery.Tag {
	return engine.All(tx, engine.ScanFields(tagFields), `
		SELECT id, name FROM (
			SELECT tags.id, tags.name, (
				SELECT k.task_id FROM task_tags k JOIN gallery g ON g.id = k.task_id
				WHERE k.tag_id = tags.id AND `+visible+`
				ORDER BY k.task_id DESC LIMIT 1) AS newest
			FROM json_each($2) wanted JOIN tags ON tags.id = CAST(wanted.value AS BIGINT)
		) used WHERE newest IS NOT NULL ORDER BY newest DESC LIMIT $3 + 0`, viewer, engine.AsJSON(&ids), limit)
}

func tagFields(t *gallery.Tag) []any {
	return []any{&t.ID, (*engine.Named)(&t.Name)}
}
