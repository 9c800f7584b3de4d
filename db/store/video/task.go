package video

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Tasks stores the tasks that make videos.
type Tasks struct {
	db *teamdb.DB
}

// Resent returns the tasks that have replaced the old one, have the same inputs as t,
// and have not failed.
func Resent(tx *engine.Tx, old, t db.Task) []db.Task {
	if old.DecidedAt.IsZero() {
		return nil
	}
	return selectTasks(tx, `
		FROM tasks t JOIN users u ON u.id = t.user_id
		WHERE t.parent_id = $1 AND t.bond = 'retry' AND t.user_id = $2
			AND t.state NOT IN ('failed', 'rejected', 'canceled') AND t.deleted_at IS NULL
			AND t.model = $3 AND t.prompt = $4 AND t.pictures = $5 AND t.options = $6
		ORDER BY t.id`, old.ID, t.UserID, t.Model, t.Prompt, engine.AsJSON(&t.Pictures), engine.AsJSON(&t.Options))
}

// ErrOtherService says that the team has changed the service in the meantime.
var ErrOtherService = fmt.Errorf("the team uses another service: %w", db.ErrConflict)

// Enqueue queues the tasks of one person, and returns them as they are stored, and those
// of them that are new. They are for the service that the team uses; tasks that name
// another one, or have a picture with an address that was made for another one, fail with
// ErrOtherService. The caller has locked the person's purse.
func (s *Tasks) Enqueue(tx *engine.Tx, tasks []db.Task) (kept, added []db.Task) {
	if len(tasks) > 0 {
		u := teamdb.Account(tx, tasks[0].UserID)
		// The account may have changed since the request began.
		tx.Require(u.IsActive() && u.Makes(), fmt.Errorf("tasks of %s: %w", engine.User(u.ID), db.ErrConflict))
	}
	current, groups, prices := teamdb.Service(tx), map[string]int64{}, map[string]float64{}
	for _, t := range tasks {
		tx.Require(t.FormToken != "", fmt.Errorf("task of %s: it has no form token", engine.User(t.UserID)))
		// What was shown and agreed to, such as the price, was about this service.
		tx.Require(t.ServiceID == 0 || t.ServiceID == current.ID, ErrOtherService)
		t.ServiceID = current.ID
		t.Reserved = s.raise(tx, t, prices)
		id, isNew := s.insertTask(tx, t)
		tx.Require(!isNew || !isOfOthers(tx, t.Pictures, current.ID), ErrOtherService)
		if tx.OK() && isNew {
			addAppearances(tx, id, t.Cast)
			stackNew(tx, id, t, groups)
		}
		t = LoadTask(tx, id)
		if !tx.OK() {
			return nil, nil
		}
		if kept = append(kept, t); isNew {
			added = append(added, t)
		}
	}
	if len(added) > 0 {
		s.db.Notify(tx, Queued)
	}
	return kept, added
}

var addedTask = schema.Tasks.Part(schema.Added)

var insertTask = `
	INSERT INTO tasks (words, day, service_id, ` + addedTask.Names + `)
	VALUES ($1, $2, coalesce(nullif(CAST($3 AS BIGINT), 0), ` + schema.CurrentService + `), ` + addedTask.Places(4) + `)
	ON CONFLICT (user_id, form_token) DO NOTHING
	RETURNING id`

// insertTask adds the task and returns its ID, or the ID of the task that has the same
// form token.
func (s *Tasks) insertTask(tx *engine.Tx, t db.Task) (id int64, added bool) {
	zone := s.db.Zone(tx)
	if t.NextAt.IsZero() {
		t.NextAt = t.CreatedAt
		if now := s.db.Now(); now.Before(t.CreatedAt) { // this machine's clock is ahead
			t.NextAt = now
		}
	}
	t.State = db.Queued
	added = tx.Row(insertTask, addedTask.Values(&t, s.WordsOf(t), db.DayOf(t.CreatedAt, zone), t.ServiceID)...).Find(&id)
	if tx.OK() && !added {
		id = engine.Value[int64](tx, `
			SELECT id FROM tasks WHERE user_id = $1 AND form_token = $2`, t.UserID, t.FormToken)
	}
	return id, added
}

// Pressed reports whether the person's form token was used for a task already.
func (s *Tasks) Pressed(ctx context.Context, userID int64, formToken string) (bool, error) {
	return engine.ReadValue[bool](ctx, s.db.Reads, "form of "+engine.User(userID), `
		SELECT EXISTS (SELECT 1 FROM tasks WHERE user_id = $1 AND form_token = $2)`, userID, formToken)
}

// Task returns the task with its maker's name and its media.
func (s *Tasks) Task(ctx context.Context, id int64) (db.Task, error) {
	return engine.Read(ctx, s.db, engine.Task(id), func(tx *engine.Tx) db.Task { return LoadTask(tx, id) })
}

var taskByID = `
	SELECT ` + schema.Tasks.Columns + `
	FROM tasks t JOIN users u ON u.id = t.user_id
	WHERE t.id = $1`

// LoadTask returns the task with its media.
func LoadTask(tx *engine.Tx, id int64) db.Task {
	t := engine.One(tx, schema.Tasks.Scan(), taskByID, id)
	t.Media = mediaOf(tx, id)
	return t
}

// LoadSelected returns the tasks whose IDs the query selects.
func LoadSelected(tx *engine.Tx, query string, args ...any) []db.Task {
	return loadTasks(tx, engine.All(tx, engine.ScanValue[int64], query, args...))
}

// loadTasks returns the tasks in the order of the IDs.
func loadTasks(tx *engine.Tx, ids []int64) []db.Task {
	return selectTasks(tx, `
		FROM json_each($1) wanted JOIN tasks t ON t.id = CAST(wanted.value AS BIGINT) JOIN users u ON u.id = t.user_id
		ORDER BY wanted.key`, engine.AsJSON(&ids))
}

// selectTasks returns the tasks, with their media, of a query whose FROM clause, with
// everything after it, is from. It must define tasks t and users u.
func selectTasks(tx *engine.Tx, from string, args ...any) []db.Task {
	tasks := engine.All(tx, schema.Tasks.Scan(), `SELECT `+schema.Tasks.Columns+from, args...)
	withMedia(tx, tasks)
	return tasks
}

// LatestTasks returns the person's newest tasks. Active ones come first: running tasks,
// and unconfirmed tasks that wait for the person's decision. Tasks without a video that
// the person has dismissed, and tasks in the bin, are left out.
func (s *Tasks) LatestTasks(ctx context.Context, userID int64, limit int) ([]db.Task, error) {
	var tasks []db.Task
	err := s.db.Read(ctx, func(tx *engine.Tx) {
		// The tasks are sorted here, because sorting whole rows takes the database longer.
		tasks = selectTasks(tx, `
			FROM (
				SELECT id FROM (
					SELECT id, 1 AS active FROM (SELECT id FROM tasks WHERE user_id = $1 AND active = 1 ORDER BY id DESC LIMIT $2 + 0) running
					UNION ALL
					SELECT id, 0 FROM (SELECT id FROM tasks WHERE user_id = $1 AND active = 0 AND deleted_at IS NULL AND NOT (state IN ('rejected', 'failed', 'canceled') AND decided_at IS NOT NULL) ORDER BY id DESC LIMIT $2 + 0) ended
				) listed ORDER BY active DESC, id DESC LIMIT $2 + 0
			) latest JOIN tasks t ON t.id = latest.id JOIN users u ON u.id = t.user_id`, userID, max(0, limit))
	})
	slices.SortFunc(tasks, func(a, b db.Task) int {
		switch {
		case isActive(a) == isActive(b):
			return cmp.Compare(b.ID, a.ID)
		case isActive(a):
			return -1
		}
		return 1
	})
	return tasks, engine.About("latest tasks of "+engine.User(userID), err)
}

// LastThumb returns the ID of the thumbnail of the person's last finished video, or 0 if
// none of the last 24 that have ended has one.
func (s *Tasks) LastThumb(ctx context.Context, userID int64) (int64, error) {
	return engine.ReadValue[int64](ctx, s.db.Reads, "last thumbnail of "+engine.User(userID), `
		SELECT coalesce(max(m.id), 0) FROM media m WHERE m.kind = 'thumb' AND m.lost_at IS NULL AND m.task_id = (
			SELECT t.id FROM (
				SELECT id, state FROM tasks
				WHERE user_id = $1 AND active = 0 AND deleted_at IS NULL AND NOT (state IN ('rejected', 'failed', 'canceled') AND decided_at IS NOT NULL)
				ORDER BY id DESC LIMIT 24) t
			WHERE t.state = 'success' AND EXISTS (SELECT 1 FROM media WHERE task_id = t.id AND kind = 'thumb' AND lost_at IS NULL)
			ORDER BY t.id DESC LIMIT 1)`, userID)
}

// isActive returns what the column active has: whether the task is running, or waits for
// the person's decision.
func isActive(t db.Task) bool {
	return t.State.Running() || t.State == db.Unconfirmed && t.DecidedAt.IsZero()
}

// Running counts the person's tasks that are queued or running, that is, that will
// progress without the person.
func (s *Tasks) Running(ctx context.Context, userID int64) (int, error) {
	return engine.ReadValue[int](ctx, s.db.Reads, "running tasks of "+engine.User(userID), `
		SELECT count(*) FROM tasks
		WHERE user_id = $1 AND active = 1 AND state <> 'unconfirmed'`, userID)
}

// HasQueued reports whether any task waits to be sent to the service that the team uses.
func (s *Tasks) HasQueued(ctx context.Context) (bool, error) {
	return engine.ReadValue[bool](ctx, s.db.Reads, "queued tasks", `SELECT EXISTS (SELECT 1 FROM tasks WHERE `+sendable+`)`)
}

// EndWaiting rejects the person's queued tasks, with the reason why.
func (s *Tasks) EndWaiting(tx *engine.Tx, id int64, why string, now time.Time) {
	s.end(tx, LoadSelected(tx, `SELECT id FROM tasks WHERE user_id = $1 AND state = 'queued' ORDER BY id`, id), why, now)
}

// elsewhere is the condition for tasks of the person $1 that wait to be sent to a service
// which the team does not use any more. They are not sent: their maker decides.
const elsewhere = `state = 'queued' AND user_id = $1 AND service_id IN (SELECT id FROM services WHERE current = 0)`

// Elsewhere counts the person's tasks that wait to be sent to a service which the team does
// not use any more.
func (s *Tasks) Elsewhere(ctx context.Context, userID int64) (int, error) {
	return engine.ReadValue[int](ctx, s.db.Reads, "tasks of other services of "+engine.User(userID),
		`SELECT count(*) FROM tasks WHERE `+elsewhere, userID)
}

// endedAtOnce bounds how many tasks a transaction ends, so that others can write between.
const endedAtOnce = 100

// EndElsewhere rejects the tasks that Elsewhere counts, with the reason why, and returns
// how many these were.
func (s *Tasks) EndElsewhere(ctx context.Context, userID int64, why string, now time.Time) (n int, err error) {
	for ended := endedAtOnce; err == nil && ended == endedAtOnce; n += ended {
		ended = 0
		err = s.db.Write(ctx, func(tx *engine.Tx) {
			tasks := LoadSelected(tx, `SELECT id FROM tasks WHERE `+elsewhere+` ORDER BY id LIMIT $2 + 0`, userID, endedAtOnce)
			s.end(tx, tasks, why, now)
			ended = len(tasks)
		})
	}
	return n, engine.About("tasks of other services of "+engine.User(userID), err)
}

func (s *Tasks) end(tx *engine.Tx, tasks []db.Task, why string, now time.Time) {
	for _, t := range tasks {
		before := t
		tx.Check(t.Reject(db.NoError, why, now))
		s.SaveTask(tx.About(engine.Task(t.ID)), before, &t)
	}
}

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
func (s *Tasks) eachOf(ctx context.Context, viewer db.User, is func(db.User) bool, ids []int64,
	do func(*engine.Tx, db.User, db.Task) bool) (done []int64, err error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	err = s.db.Write(ctx, teamdb.AsActor(is, func(tx *engine.Tx) {
		if viewer.ID != 0 && viewer.ID == audit.ActorIn(ctx).UserID {
			viewer = teamdb.Account(tx, viewer.ID)
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

// wordsIn returns the title and the prompt in the form of the search index.
func wordsIn(t db.Task) string {
	if t.Title == "" {
		return engine.IndexText(t.Prompt)
	}
	return engine.IndexText(strings.TrimSpace(t.Title + "\n" + t.Prompt))
}

// FillWords is part of a migration of SQLite: it fills the column words of tasks that
// were added before the column existed.
func FillWords(tx *engine.Tx) {
	for last := int64(0); ; {
		tasks := engine.All(tx, engine.ScanFields(promptFields), `SELECT id, prompt FROM tasks WHERE id > $1 ORDER BY id LIMIT 1000`, last)
		if !tx.OK() || len(tasks) == 0 {
			return
		}
		for _, t := range tasks {
			last = t.ID
			words := wordsIn(t)
			if words == t.Prompt {
				continue
			}
			tx.Exec(`UPDATE tasks SET words = $1 WHERE id = $2`, words, t.ID)
		}
	}
}

func promptFields(t *db.Task) []any {
	return []any{&t.ID, &t.Prompt}
}

// EachMade calls see for every finished video with its files, the oldest first. An
// error from see stops it and is returned unchanged.
func (s *Tasks) EachMade(ctx context.Context, see func(db.Task) error) error {
	for last := int64(0); ; {
		tasks, err := s.made(ctx, last)
		if err != nil || len(tasks) == 0 {
			return err
		}
		for _, t := range tasks {
			if err := see(t); err != nil {
				return err
			}
			last = t.ID
		}
	}
}

// made returns the next 500 finished videos whose ID is greater than after.
func (s *Tasks) made(ctx context.Context, after int64) ([]db.Task, error) {
	return engine.Read(ctx, s.db, "finished videos", func(tx *engine.Tx) []db.Task {
		return selectTasks(tx, `
			FROM tasks t JOIN users u ON u.id = t.user_id
			WHERE t.id > $1 AND t.state = 'success' AND t.purged_at IS NULL
			ORDER BY t.id LIMIT 500`, after)
	})
}

// EachPicture calls see for every uploaded picture, the oldest first. An error from see
// stops it and is returned unchanged.
func (s *Pictures) EachPicture(ctx context.Context, see func(ordering.Picture) error) error {
	pictures, err := engine.ReadAll(ctx, s.db.Reads, "pictures", schema.Pictures.Scan(),
		`SELECT `+schema.Pictures.Columns+` FROM pictures p ORDER BY p.id`)
	if err != nil {
		return err
	}
	for _, p := range pictures {
		if err := see(p); err != nil {
			return err
		}
	}
	return nil
}

// Resume settles the queued and sending tasks of a database that is not the latest,
// such as one restored from a backup: the service may have received them since, so they
// become unconfirmed and their makers decide. The argument since completes the message
// to them, for example "the backup was made". Resume returns how many tasks these are.
func (s *Tasks) Resume(ctx context.Context, since string, now time.Time) (unsure int, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		tasks := LoadSelected(tx, `SELECT id FROM tasks WHERE state IN ('queued', 'sending')`)
		unsure = len(tasks)
		for _, t := range tasks {
			before := t
			if t.State == db.Queued {
				tx.Check(t.Begin(now))
			}
			tx.Check(t.Lose("It waited to be sent when "+since+", and may have been sent since.", now))
			s.SaveTask(tx, before, &t)
		}
	})
	return unsure, engine.About("tasks that waited to be sent", err)
}
