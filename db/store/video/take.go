package video

import (
	"context"
	"fmt"
	"slices"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/store/engine"
	"dailies/db/store/teamdb"
)

// Takes stores which videos are takes of one another: those that have the same stack. They
// are numbered in the order in which they were made. Everybody counts only those that they
// may see, so that no number tells of a video that is closed to them.
type Takes struct {
	db *teamdb.DB
}

// mostTakes limits how many takes of a video are read, the newest ones.
const mostTakes = 100

// counted is the condition for a task t to be a take: it has a video, or may still get one.
const counted = `t.state NOT IN ('failed', 'rejected', 'canceled')`

// Of returns the takes of the stack that the viewer may see, the oldest first: at most the
// 100 newest, with no more than their IDs, makers, states, times and files. Those in the bin are
// left out.
func (s *Takes) Of(ctx context.Context, viewer, stack int64) ([]db.Task, error) {
	if stack == 0 {
		return nil, nil
	}
	return engine.Read(ctx, s.db, fmt.Sprintf("takes of stack %d", stack), func(tx *engine.Tx) []db.Task {
		takes := engine.All(tx, engine.ScanFields(func(t *db.Task) []any {
			return []any{&t.ID, &t.UserID, &t.State, &t.Private, &t.Stack, (*engine.Instant)(&t.CreatedAt)}
		}), `
			SELECT t.id, t.user_id, t.state, t.private, t.stack, t.created_at`+ofStack, viewer, mostTakes, stack)
		withMedia(tx, takes)
		slices.Reverse(takes)
		return takes
	})
}

// ofStack selects the takes t of the stack $3 that the viewer $1 may see, the newest first, up
// to $2.
const ofStack = `
	FROM tasks t JOIN users u ON u.id = t.user_id JOIN gallery g ON g.id = t.id
	WHERE t.stack = $3 AND ` + counted + ` AND ` + visible + `
	ORDER BY t.created_at DESC, t.id DESC LIMIT $2 + 0`

func takesFor(tx *engine.Tx, viewer, stack int64) []db.Task {
	takes := selectTasks(tx, ofStack, viewer, mostTakes, stack)
	slices.Reverse(takes)
	return takes
}

// Ready returns the IDs of the finished takes of each stack that the viewer may see, the
// oldest first.
func (s *Takes) Ready(ctx context.Context, viewer int64, stacks []int64) (map[int64][]int64, error) {
	if len(stacks) == 0 {
		return nil, nil
	}
	type take struct{ stack, id int64 }
	takes, err := engine.ReadAll(ctx, s.db.Reads, "takes", engine.ScanFields(func(t *take) []any { return []any{&t.stack, &t.id} }), `
		SELECT t.stack, t.id
		FROM (SELECT DISTINCT CAST(value AS BIGINT) AS stack FROM json_each($2)) asked
		CROSS JOIN tasks t ON t.stack = asked.stack
		JOIN gallery g ON g.id = t.id
		WHERE g.state = 'success' AND `+visible+`
		ORDER BY t.created_at, t.id`, viewer, engine.AsJSON(&stacks))
	found := map[int64][]int64{}
	for _, t := range takes {
		found[t.stack] = append(found[t.stack], t.id)
	}
	return found, err
}

// Stack makes the task a take of the video with, and takes it out of the stack in which it
// was. If with is 0, it is a take of no other video then. It returns db.ErrNotFound unless
// the person may see both, and both are takes of no other than themselves.
func (s *Takes) Stack(ctx context.Context, person db.User, id, with int64) error {
	return engine.About("stack of "+engine.Task(id), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		t := listed(tx, person.ID, id)
		if with == 0 {
			if tx.OK() && t.Stack != 0 {
				unstack(tx, t)
				teamdb.Record(tx, audit.Entry{Action: audit.Unstacked, What: fmt.Sprintf("video %d", id),
					Before: fmt.Sprintf("takes of video %d", t.Stack)})
			}
			return
		}
		other := listed(tx, person.ID, with)
		tx.Require(id != with, db.ErrNotFound)
		if !tx.OK() || t.Stack != 0 && t.Stack == other.Stack {
			return
		}
		if t.Stack != 0 {
			unstack(tx, t)
		}
		stack := stackOf(tx, with)
		tx.Exec(`UPDATE tasks SET stack = $1 WHERE id = $2`, stack, id)
		teamdb.Record(tx, audit.Entry{Action: audit.Stacked, What: fmt.Sprintf("video %d", id),
			After: fmt.Sprintf("takes of video %d", stack)})
	}))
}

// listed returns the task, and fails with db.ErrNotFound if lists do not show it to the viewer.
func listed(tx *engine.Tx, viewer, id int64) db.Task {
	tasks := loadTasks(tx, []int64{id})
	tx.Require(len(tasks) > 0 && tasks[0].ListedFor(viewer), db.ErrNotFound)
	if !tx.OK() {
		return db.Task{}
	}
	return tasks[0]
}

// unstack takes the task out of its stack. A stack is always named after one of its takes: so
// the task can have another one later. A single video that is left is a take of no other.
func unstack(tx *engine.Tx, t db.Task) {
	tx.Exec(`UPDATE tasks SET stack = NULL WHERE id = $1`, t.ID)
	left := engine.All(tx, engine.ScanValue[int64], `SELECT id FROM tasks WHERE stack = $1 ORDER BY id`, t.Stack)
	switch {
	case !tx.OK() || len(left) == 0:
	case len(left) == 1:
		tx.Exec(`UPDATE tasks SET stack = NULL WHERE id = $1`, left[0])
	case t.Stack == t.ID:
		tx.Exec(`UPDATE tasks SET stack = $1 WHERE stack = $2`, left[0], t.Stack)
	}
}

// stackOf returns the stack of the task, which gets one if it has none yet.
func stackOf(tx *engine.Tx, id int64) int64 {
	tx.Exec(`UPDATE tasks SET stack = id WHERE id = $1 AND stack IS NULL`, id)
	return engine.Value[int64](tx, `SELECT stack FROM tasks WHERE id = $1`, id)
}

// stackNew puts the new task t, which has the ID, into the stack of the video of which it is
// a take, and notes which notes it answers. groups has the first task of those with the same
// TakeGroup.
func stackNew(tx *engine.Tx, id int64, t db.Task, groups map[string]int64) {
	of := t.ParentID
	if !t.Reuse.MakesTake() {
		of = 0
	}
	if t.TakeGroup != "" && of == 0 {
		of = groups[t.TakeGroup]
		if of == 0 {
			groups[t.TakeGroup] = id
		}
	}
	if of != 0 {
		tx.Exec(`UPDATE tasks SET stack = $1 WHERE id = $2`, stackOf(tx, of), id)
	}
	if t.Reuse == db.Answered && len(t.NoteIDs) > 0 {
		tx.Exec(`
			INSERT INTO note_takes (note_id, task_id)
			SELECT n.id, CAST($1 AS BIGINT) FROM notes n
			WHERE n.task_id = $2 AND n.parent_id IS NULL AND n.id IN (SELECT CAST(value AS BIGINT) FROM json_each($3))`, id, t.ParentID,
			engine.AsJSON(&t.NoteIDs))
	}
}

// Answers returns, by the ID of each note on the video, the IDs of the takes that were made
// to answer it, the oldest first.
func (s *Takes) Answers(ctx context.Context, taskID int64) (map[int64][]int64, error) {
	type answer struct{ note, task int64 }
	answers, err := engine.ReadAll(ctx, s.db.Reads, "answers to notes on "+engine.Task(taskID),
		engine.ScanFields(func(a *answer) []any { return []any{&a.note, &a.task} }), `
		SELECT a.note_id, a.task_id FROM notes n JOIN note_takes a ON a.note_id = n.id WHERE n.task_id = $1 ORDER BY a.task_id`, taskID)
	found := map[int64][]int64{}
	for _, a := range answers {
		found[a.note] = append(found[a.note], a.task)
	}
	return found, err
}
