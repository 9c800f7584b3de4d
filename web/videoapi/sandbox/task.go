package sandbox

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// A task is what its owner sees of a video in the making.
type task struct {
	id        string
	account   string
	provider  string
	scene     videoapi.Scene
	model     string
	prompt    string
	options   string // JSON
	status    videoapi.Status
	cost      amount
	creditID  int64 // the ledger's line of the deduction
	createdAt time.Time
	updatedAt time.Time
	job       job
}

// create takes the credits and writes the task, or does neither.
//
// API.md: "Credits are checked and deducted during this call."
func (s *Sandbox) create(ctx context.Context, account string, o order) (t task, err error) {
	id := rand.Text()
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		at := db.Now()
		_, err := tx.ExecContext(ctx, `
			INSERT INTO task (id, account_id, provider, scene, model, prompt, options, cost, status, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, account, o.provider, o.scene, o.model, o.prompt, o.options, o.cost, videoapi.Pending, at.UnixMilli(), at.UnixMilli())
		if err != nil {
			return fmt.Errorf("add task: %w", err)
		}
		if err := deduct(ctx, tx, account, id, o.cost); err != nil {
			return err
		}
		if err := addJob(ctx, tx, id, o.spec, at.Add(s.pace.Start)); err != nil {
			return err
		}
		t, err = taskByID(ctx, tx, id)
		return err
	})
	if err == nil {
		s.nudge()
	}
	return t, err
}

func deduct(ctx context.Context, tx *sql.Tx, account, id string, cost amount) error {
	err := book(ctx, tx, account, id, Deducted, -cost)
	if !errors.Is(err, errTooFew) {
		return err
	}
	has, err := balanceOf(ctx, tx, account)
	if err != nil {
		return err
	}
	return refuse("Insufficient credits, %v < %v", has, cost)
}

// ask answers a query: it moves the task to where its job stands, and nothing else
// does.
func (s *Sandbox) ask(ctx context.Context, account, id string) (task, error) {
	t, err := s.taskOf(ctx, account, id)
	if err != nil || t.status == t.job.status() {
		return t, err
	}
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		// Another query may have moved it since.
		if t, err = taskByID(ctx, tx, id); err != nil || t.status == t.job.status() {
			return err
		}
		t.status, t.updatedAt = t.job.status(), db.Now()
		return move(ctx, tx, t)
	})
	return t, err
}

// taskOf returns a task of the account, unmoved.
func (s *Sandbox) taskOf(ctx context.Context, account, id string) (task, error) {
	t, err := taskByID(ctx, s.db.Reads, id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return t, errNoTask
	case err == nil && t.account != account:
		return t, errNoPermission
	}
	return t, err
}

// move writes a task's new state and what comes with it.
//
// API.md: "A task that ends as failed is refunded in full."
func move(ctx context.Context, tx *sql.Tx, t task) error {
	_, err := tx.ExecContext(ctx, `UPDATE task SET status = ?, updated_at = ? WHERE id = ?`,
		t.status, t.updatedAt.UnixMilli(), t.id)
	if err != nil {
		return fmt.Errorf("task %s: %w", t.id, err)
	}
	if t.status == videoapi.Failed {
		return book(ctx, tx, t.account, t.id, Refunded, t.cost)
	}
	return nil
}

// taskByID reads a task with its job. The error is sql.ErrNoRows where there
// is none.
func taskByID(ctx context.Context, q querier, id string) (task, error) {
	t := task{id: id}
	var spec string
	err := q.QueryRowContext(ctx, `
		SELECT t.account_id, t.provider, t.scene, t.model, t.prompt, t.options, t.status, t.cost, t.created_at, t.updated_at,
			(SELECT l.id FROM ledger l WHERE l.task_id = t.id AND l.kind = 'deducted'), `+jobColumns+`
		FROM task t JOIN job j ON j.task_id = t.id WHERE t.id = ?`, id).Scan(append([]any{
		&t.account, &t.provider, &t.scene, &t.model, &t.prompt, &t.options, &t.status, &t.cost,
		stamp{&t.createdAt}, stamp{&t.updatedAt}, &t.creditID}, t.job.fields(&spec)...)...)
	if err != nil {
		return t, fmt.Errorf("task %s: %w", quote(id), err)
	}
	return t, t.job.decode(spec)
}
