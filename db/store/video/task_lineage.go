package video

import (
	"context"
	"slices"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/engine"
	"dailies/db/store/teamdb"
)

// Lineage stores which video was made from which.
type Lineage struct {
	db *teamdb.DB
}

const (
	mostRelatives = 24 // children, and others of the batch
	mostScenes    = 50 // in a storyline
)

// Of returns the task's parent, its children and the others of its batch, as far
// as the viewer may see them and they are not in the bin: at most 24 of each kind, the
// oldest first.
func (s *Lineage) Of(ctx context.Context, viewer int64, t db.Task) (gallery.Lineage, error) {
	var l gallery.Lineage
	err := s.db.Read(ctx, func(tx *engine.Tx) {
		if t.ParentID != 0 {
			if parent := relatives(tx, viewer, `t.id = $3`, t.ParentID); tx.OK() && len(parent) > 0 {
				l.Parent = &parent[0]
			}
		}
		l.Children = relatives(tx, viewer, `t.parent_id = $3`, t.ID)
		if t.Batch != "" {
			l.Batch = relatives(tx, viewer, `t.batch = $3 AND t.batch <> '' AND t.id <> $4`, t.Batch, t.ID)
		}
	})
	return l, engine.About("lineage of "+engine.Task(t.ID), err)
}

// relatives returns the oldest tasks that meet the condition and that the viewer may
// see. The arguments of the condition begin with $3.
func relatives(tx *engine.Tx, viewer int64, where string, args ...any) []db.Task {
	return selectTasks(tx, `
		FROM tasks t JOIN users u ON u.id = t.user_id JOIN gallery g ON g.id = t.id
		WHERE `+where+` AND `+visible+`
		ORDER BY t.id LIMIT $2 + 0`, slices.Concat([]any{viewer, mostRelatives}, args)...)
}

// Alone reports whether the task is not part of a storyline: then Chain would return
// only the task itself, and take many times as long to find that out.
func (s *Lineage) Alone(ctx context.Context, t db.Task) (bool, error) {
	if t.ParentID != 0 && (t.Reuse == db.Continued || t.Reuse == db.Retried) {
		return false, nil
	}
	return engine.ReadValue[bool](ctx, s.db.Reads, "storyline of "+engine.Task(t.ID), `
		SELECT NOT EXISTS (SELECT 1 FROM tasks WHERE parent_id = $1 AND bond IN ('next', 'retry'))`, t.ID)
}

// Chain returns the scenes of the storyline that contains the task, in the order that
// SetCuts has set or else from the first scene on. It follows the parents back from the
// task, and goes forward from it; if several scenes continue one, it takes the newest
// that has a video. A retry counts as the scene whose failed attempt it replaced.
// Scenes that have no video, are in the bin, or are hidden from the viewer are left
// out. Chain returns at most 50 scenes, and none if the viewer may not see the task.
func (s *Lineage) Chain(ctx context.Context, viewer int64, id int64) ([]db.Task, error) {
	return engine.Read(ctx, s.db, "storyline of "+engine.Task(id), func(tx *engine.Tx) []db.Task { return chain(tx, viewer, id) })
}

func chain(tx *engine.Tx, viewer int64, id int64) []db.Task {
	// A parent is older than its children, whatever the row says: this ends every
	// recursion.
	tasks := LoadSelected(tx, `
		WITH RECURSIVE
		back (id, place) AS (
			SELECT CAST($2 AS BIGINT), 0
			UNION ALL
			SELECT t.parent_id, place - 1 FROM back JOIN tasks t ON t.id = back.id
			WHERE t.bond IN ('next', 'retry') AND t.parent_id < t.id AND place > 1 - $3
		),
		ahead (id, place) AS (
			SELECT CAST($2 AS BIGINT), 0
			UNION ALL
			SELECT (
				SELECT t.id FROM tasks t LEFT JOIN gallery g ON g.id = t.id
				WHERE t.parent_id = ahead.id AND t.bond IN ('next', 'retry') AND t.id > ahead.id
				ORDER BY coalesce(g.state = 'success' AND `+visible+`, FALSE) DESC, t.id DESC
				LIMIT 1), place + 1
			FROM ahead WHERE ahead.id IS NOT NULL AND place < $3 - 1
		)
		SELECT id FROM (SELECT * FROM back UNION SELECT * FROM ahead) scene LEFT JOIN cuts ON task_id = id
		WHERE id IS NOT NULL ORDER BY cuts.place IS NULL, cuts.place, scene.place`, viewer, id, mostScenes)
	out := func(t db.Task) bool {
		return !t.VisibleTo(viewer) || t.ID != id && !t.Ready()
	}
	tasks = slices.DeleteFunc(tasks, out)
	if !tx.OK() || !slices.ContainsFunc(tasks, func(t db.Task) bool { return t.ID == id }) {
		return nil
	}
	return tasks[:min(len(tasks), mostScenes)]
}

// SetCuts stores the order of the scenes of a storyline, which frames of each are shown,
// and which scenes are left out.
func (s *Lineage) SetCuts(ctx context.Context, cuts []gallery.Cut) error {
	return engine.About("cuts", s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		for place, c := range cuts {
			tx.About(engine.Task(c.TaskID)).Exec(`
				INSERT INTO cuts (task_id, place, start, finish, left_out) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (task_id) DO UPDATE SET place = excluded.place, start = excluded.start, finish = excluded.finish, left_out = excluded.left_out`,
				c.TaskID, place, c.Start, c.Finish, c.Out)
		}
	}))
}

// Cuts returns the cuts of those scenes that have one, by task ID.
func (s *Lineage) Cuts(ctx context.Context, ids []int64) (map[int64]gallery.Cut, error) {
	return engine.Read(ctx, s.db, "cuts", func(tx *engine.Tx) map[int64]gallery.Cut { return cutsOf(tx, ids) })
}

func cutsOf(tx *engine.Tx, ids []int64) map[int64]gallery.Cut {
	cuts := engine.All(tx, engine.ScanFields(func(c *gallery.Cut) []any { return []any{&c.TaskID, &c.Start, &c.Finish, &c.Out} }), `
		SELECT task_id, start, finish, left_out FROM cuts WHERE task_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))`,
		engine.AsJSON(&ids))
	found := map[int64]gallery.Cut{}
	for _, c := range cuts {
		found[c.TaskID] = c
	}
	return found
}

// scenesOf returns the scenes of the storyline of the video, as far as the viewer may see
// them, without those that were left out.
func scenesOf(tx *engine.Tx, viewer int64, id int64) []db.Task {
	tasks := chain(tx, viewer, id)
	cuts := cutsOf(tx, idsOf(tasks))
	return slices.DeleteFunc(tasks, func(t db.Task) bool { return cuts[t.ID].Out })
}

func idsOf(tasks []db.Task) []int64 {
	ids := make([]int64, len(tasks))
	for i, t := range tasks {
		ids[i] = t.ID
	}
	return ids
}

// Batches returns what the viewer may see of each batch. Videos in the bin are left out.
func (s *Lineage) Batches(ctx context.Context, viewer int64, batches []string) (map[string]gallery.Group, error) {
	if len(batches) == 0 {
		return nil, nil
	}
	type member struct {
		batch, outcome, recipe string
		id                     int64
	}
	members, err := engine.ReadAll(ctx, s.db.Reads, "batches",
		engine.ScanFields(func(m *member) []any { return []any{&m.batch, &m.id, &m.outcome, &m.recipe} }), `
		SELECT t.batch, t.id, t.outcome, coalesce(r.name, '')
		FROM (SELECT DISTINCT value AS batch FROM json_each($2)) asked
		CROSS JOIN tasks t ON t.batch = asked.batch
		JOIN gallery g ON g.id = t.id
		LEFT JOIN recipes r ON r.id = t.recipe_id
		WHERE t.batch <> '' AND `+visible+`
		ORDER BY t.id`, viewer, engine.AsJSON(&batches))
	found := map[string]gallery.Group{}
	for _, m := range members {
		group := found[m.batch]
		group.Videos++
		group.RecipeName = m.recipe
		switch m.outcome {
		case "success":
			group.Ready = append(group.Ready, m.id)
		case "running":
			group.Running++
		}
		found[m.batch] = group
	}
	return found, err
}

// BatchTasks returns the tasks of a batch, that is, of one submission, in the order in
// which they were requested, with their media.
func (s *Lineage) BatchTasks(ctx context.Context, batch string, limit int) ([]db.Task, error) {
	return engine.Read(ctx, s.db, "batch", func(tx *engine.Tx) []db.Task {
		return selectTasks(tx, `
			FROM tasks t JOIN users u ON u.id = t.user_id
			WHERE t.batch = $1 AND t.batch <> ''
			ORDER BY t.id LIMIT $2 + 0`, batch, max(0, limit))
	})
}

// OwnBatches returns the batches that the person has made with recipes, the newest
// first.
func (s *Lineage) OwnBatches(ctx context.Context, userID int64, limit int) ([]gallery.Batch, error) {
	return engine.ReadAll(ctx, s.db.Reads, "batches of "+engine.User(userID), engine.ScanFields(func(b *gallery.Batch) []any {
		return []any{&b.Name, &b.RecipeName, &b.Videos, &b.Ready, &b.Running, (*engine.Amount)(&b.Spent), (*engine.Instant)(&b.CreatedAt)}
	}), `
		SELECT t.batch, min(r.name), count(*), count(*) FILTER (WHERE t.outcome = 'success'), count(*) FILTER (WHERE t.outcome = 'running'),
			CAST(sum(t.paid) - sum(t.refunded) AS BIGINT), min(t.created_at)
		FROM tasks t JOIN gallery g ON g.id = t.id JOIN recipes r ON r.id = t.recipe_id
		WHERE t.user_id = $1 AND t.batch <> '' AND t.recipe_id IS NOT NULL
		GROUP BY t.batch ORDER BY min(t.id) DESC LIMIT $2 + 0`, userID, max(0, limit))
}
