package sandbox

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/store/sqlite"
	"dailies/web/videoapi"
)

// tasks stores the tasks as callers see them. The state of the actual work is in
// the jobs.
type tasks struct {
	db      *sqlite.DB
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
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		at := db.Now()
		_, err := tx.ExecContext(ctx, `
			INSERT INTO task (id, account_id, provider, scene, model, prompt, options, cost, status, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, account, o.Provider, o.Scene, o.Model, o.Prompt, o.options, o.cost, videoapi.Pending, at.UnixMilli(), at.UnixMilli())
		if err != nil {
			return fmt.Errorf("add task: %w", err)
		}
		if err := book(ctx, tx, account, id, Deducted, -o.cost); err != nil {
			return err
		}
		if err := addJob(ctx, tx, id, o.spec, at.Add(s.start)); err != nil {
			return err
		}
		t, err = taskByID(ctx, tx, id)
		return err
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
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		// Another query may have changed it since.
		if t, err = taskByID(ctx, tx, id); err != nil || t.Status == t.job.status() {
			return err
		}
		t.Status, t.updatedAt = t.job.status(), db.Now()
		return move(ctx, tx, t)
	})
	return t, err
}

// get returns a task of the account in the state that the last query gave it.
func (s *tasks) get(ctx context.Context, account, id string) (task, error) {
	t, err := taskByID(ctx, s.db.Reads, id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return t, errNoTask
	case err == nil && t.account != account:
		return t, errNoPermission
	}
	return t, err
}

// maxListed bounds the list of tasks.
const maxListed = 100

// newest returns the newest tasks of an account, newest first, with as much of
// them as the console's list shows.
func (s *tasks) newest(ctx context.Context, account string) ([]task, error) {
	columns := func(t *task) []any {
		return []any{&t.ID, &t.Scene, &t.Model, &t.Prompt, &t.Cost, stamp{&t.CreatedAt}, &t.Status, &t.job.state}
	}
	return list(ctx, s.db, "tasks", columns, `
		SELECT t.id, t.scene, t.model, substr(t.prompt, 1, 160), t.cost, t.created_at, t.status, j.state
		FROM task t JOIN job j ON j.task_id = t.id
		WHERE t.account_id = ? ORDER BY t.rowid DESC LIMIT ? + 0`, account, maxListed)
}

// move stores a task's new state, and refunds a task that has failed.
//
// API.md: "A task that ends as failed is refunded in full."
func move(ctx context.Context, tx *sql.Tx, t task) error {
	_, err := tx.ExecContext(ctx, `UPDATE task SET status = ?, updated_at = ? WHERE id = ?`,
		t.Status, t.updatedAt.UnixMilli(), t.ID)
	if err != nil {
		return fmt.Errorf("task %s: %w", t.ID, err)
	}
	if t.Status == videoapi.Failed {
		return book(ctx, tx, t.account, t.ID, Refunded, t.Cost)
	}
	return nil
}

// taskByID returns a task with its job. The error is sql.ErrNoRows if there is
// none.
func taskByID(ctx context.Context, q querier, id string) (task, error) {
	t := task{ID: id}
	err := q.QueryRowContext(ctx, `
		SELECT t.account_id, t.provider, t.scene, t.model, t.prompt, t.options, t.status, t.cost, t.created_at, t.updated_at,
			(SELECT l.id FROM ledger l WHERE l.task_id = t.id AND l.kind = 'deducted'), `+jobColumns+`
		FROM task t JOIN job j ON j.task_id = t.id WHERE t.id = ?`, id).Scan(append([]any{
		&t.account, &t.provider, &t.Scene, &t.Model, &t.Prompt, &t.options, &t.Status, &t.Cost,
		stamp{&t.CreatedAt}, stamp{&t.updatedAt}, &t.creditID}, t.job.columns()...)...)
	if err != nil {
		return t, fmt.Errorf("task %s: %w", quote(id), err)
	}
	return t, nil
}
