package sandbox

import (
	"context"
	"crypto/rand"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/web/videoapi"
)

// tasks stores the tasks as callers see them. The state of the actual work is in
// the jobs.
type tasks struct {
	db      *engine.DB
	catalog *videoapi.Catalog
	start   time.Duration // how long a task is pending, at least
	added   func()        // called after a job was added
}

// A task holds what its owner sees, and the job that does the work.
type task struct {
	ID        string
	account   string
	provider  string
	Scene     videoapi.Scene
	Model     string
	Prompt    string
	options   string // JSON
	Status    videoapi.Status
	Cost      amount
	creditID  int64 // ID of the ledger's entry about the deduction
	CreatedAt time.Time
	updatedAt time.Time
	job       job
}

// Provider returns the state of the job, which the next query copies to the task.
func (t task) Provider() videoapi.Status { return t.job.status() }

// create makes a task from the body of a create call. It deducts the credits and
// stores the task, or does neither.
//
// API.md: "Credits are checked and deducted during this call."
func (s *tasks) create(ctx context.Context, account string, body []byte) (t task, err error) {
	o, err := readOrder(body, s.catalog)
	if err == nil && o.refused {
		err = refuse(askedToRefuse)
	}
	if err != nil {
		return task{}, err
	}
	id := rand.Text()
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		at := db.Now()
		tx.About("add task").Exec(`
			INSERT INTO task (id, account_id, provider, scene, model, prompt, options, cost, status, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, account, o.Provider, o.Scene, o.Model, o.Prompt, o.options, o.cost, videoapi.Pending,
			engine.Instant(at), engine.Instant(at))
		book(tx, account, id, Deducted, -o.cost)
		addJob(tx, id, o.spec, at.Add(s.start))
		t, _ = findTask(tx, id)
	})
	if err == nil {
		s.added()
	}
	return t, err
}

// query returns a task of the account, in the state of its job: only a query
// changes a task's state.
func (s *tasks) query(ctx context.Context, account, id string) (task, error) {
	t, err := s.get(ctx, account, id)
	if err != nil || t.Status == t.job.status() {
		return t, err
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		// Another query may have changed it since.
		if t, _ = findTask(tx, id); t.Status != t.job.status() {
			t.Status, t.updatedAt = t.job.status(), db.Now()
			move(tx, t)
		}
	})
	return t, err
}

// get returns a task of the account in the state that the last query gave it.
func (s *tasks) get(ctx context.Context, account, id string) (task, error) {
	look := s.db.Reading(ctx)
	t, found := findTask(look, id)
	look.Require(found, errNoTask)
	look.Require(t.account == account, errNoPermission)
	return t, look.Err()
}

// maxListed bounds the list of tasks.
const maxListed = 100

// newest returns the newest tasks of an account, newest first, with as much of
// them as the console's list shows.
func (s *tasks) newest(ctx context.Context, account string) ([]task, error) {
	fields := func(t *task) []any {
		return []any{&t.ID, &t.Scene, &t.Model, &t.Prompt, &t.Cost, (*engine.Instant)(&t.CreatedAt), &t.Status, &t.job.state}
	}
	return engine.ReadAll(ctx, s.db.Reads, "sandbox: tasks", engine.ScanFields(fields), `
		SELECT t.id, t.scene, t.model, substr(t.prompt, 1, 160), t.cost, t.created_at, t.status, j.state
		FROM task t JOIN job j ON j.task_id = t.id
		WHERE t.account_id = ? ORDER BY t.rowid DESC LIMIT ? + 0`, account, maxListed)
}

// move stores a task's new state, and refunds a task that has failed.
//
// API.md: "A task that ends as failed is refunded in full."
func move(tx *engine.Tx, t task) {
	tx.About("task "+t.ID).Exec(`UPDATE task SET status = ?, updated_at = ? WHERE id = ?`, t.Status, engine.Instant(t.updatedAt), t.ID)
	if t.Status == videoapi.Failed {
		book(tx, t.account, t.ID, Refunded, t.Cost)
	}
}

// findTask returns a task with its job, and reports whether there is one.
func findTask(tx *engine.Tx, id string) (task, bool) {
	fields := func(t *task) []any {
		return append(t.job.columns(), &t.ID, &t.account, &t.provider, &t.Scene, &t.Model, &t.Prompt, &t.options, &t.Status, &t.Cost,
			(*engine.Instant)(&t.CreatedAt), (*engine.Instant)(&t.updatedAt), &t.creditID)
	}
	return engine.Find(tx.About("task "+quote(id)), engine.ScanFields(fields), `
		SELECT `+jobColumns+`, t.id, t.account_id, t.provider, t.scene, t.model, t.prompt, t.options, t.status, t.cost, t.created_at, t.updated_at,
			(SELECT l.id FROM ledger l WHERE l.task_id = t.id AND l.kind = 'deducted')
		FROM task t JOIN job j ON j.task_id = t.id WHERE t.id = ?`, id)
}
