package sandbox

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// A job is the work on a task, as the upstream provider would have it. Its id
// is the record's taskId.
type job struct {
	id        string
	number    int64 // in the order of the calls
	spec      spec
	state     jobState
	progress  float64 // of the render, 0 to 1
	reason    string  // why there is no video
	video     string  // file names; the files are there when it is done
	cover     string
	startedAt time.Time // zero while it waits
	dueAt     time.Time // when the next thing happens to it
	endedAt   time.Time // zero until it has
}

// A jobState is where a job stands.
type jobState string

const (
	waiting  jobState = "waiting"
	running  jobState = "running"
	done     jobState = "done"
	failed   jobState = "failed"
	canceled jobState = "canceled"
)

// status returns what the task becomes when somebody asks.
func (j job) status() videoapi.Status {
	switch j.state {
	case waiting:
		return videoapi.Pending
	case running:
		return videoapi.Processing
	case done:
		return videoapi.Success
	case canceled:
		return videoapi.Canceled
	}
	return videoapi.Failed
}

// held reports whether the job stays in processing for a while before it does
// anything.
func (j job) held() bool { return j.spec.Slow || j.spec.End != "" }

// share returns how much is done at the time, 0 to 1. A held job goes to nine tenths
// by the clock.
func (j job) share(at time.Time) float64 {
	const hold = 0.9
	p := j.progress
	switch {
	case j.state == done:
		p = 1
	case j.held() && !j.startedAt.IsZero():
		p = hold + (1-hold)*j.progress
		if wait := j.dueAt.Sub(j.startedAt); at.Before(j.dueAt) && wait > 0 {
			p = hold * max(0, at.Sub(j.startedAt).Seconds()) / wait.Seconds()
		}
	}
	return math.Floor(p*100) / 100
}

const jobColumns = `j.id, j.rowid, j.spec, j.state, j.progress, j.reason, j.video, j.cover, j.started_at, j.due_at, j.ended_at`

// fields returns where jobColumns go.
func (j *job) fields(spec *string) []any {
	return []any{&j.id, &j.number, spec, &j.state, &j.progress, &j.reason, &j.video, &j.cover,
		stamp{&j.startedAt}, stamp{&j.dueAt}, stamp{&j.endedAt}}
}

func (j *job) decode(spec string) error {
	if err := json.Unmarshal([]byte(spec), &j.spec); err != nil {
		return fmt.Errorf("job %s: %w", j.id, err)
	}
	return nil
}

func addJob(ctx context.Context, tx *sql.Tx, task string, w spec, due time.Time) error {
	text, err := json.Marshal(w)
	if err != nil {
		return err
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	_, err = tx.ExecContext(ctx, `
		INSERT INTO job (id, task_id, spec, state, video, cover, due_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		hex.EncodeToString(id), task, string(text), waiting, newFile(".webm"), newFile(".jpg"), due.UnixMilli())
	if err != nil {
		return fmt.Errorf("add job: %w", err)
	}
	return nil
}

// nextJob returns the job to which something happens next, if there is one.
func (s *Sandbox) nextJob(ctx context.Context) (j job, ok bool, err error) {
	var spec string
	err = s.db.Reads.QueryRowContext(ctx, `SELECT `+jobColumns+`
		FROM job j WHERE j.state IN ('waiting', 'running') ORDER BY j.due_at, j.rowid LIMIT 1`).Scan(j.fields(&spec)...)
	if errors.Is(err, sql.ErrNoRows) {
		return j, false, nil
	}
	if err != nil {
		return j, false, fmt.Errorf("next job: %w", err)
	}
	return j, true, j.decode(spec)
}

// startJob begins the work, which has something to do again when due.
func (s *Sandbox) startJob(ctx context.Context, j job, due time.Time) error {
	return s.changeJob(ctx, j, `UPDATE job SET state = ?, progress = 0, started_at = ?, due_at = ? WHERE id = ?`,
		running, db.Now().UnixMilli(), due.UnixMilli(), j.id)
}

func (s *Sandbox) progressJob(ctx context.Context, j job, share float64) error {
	return s.changeJob(ctx, j, `UPDATE job SET progress = ? WHERE id = ?`, share, j.id)
}

// endJob ends a job; nothing happens to it afterwards.
func (s *Sandbox) endJob(ctx context.Context, j job, state jobState, reason string) error {
	return s.changeJob(ctx, j, `UPDATE job SET state = ?, reason = ?, ended_at = ? WHERE id = ?`,
		state, reason, db.Now().UnixMilli(), j.id)
}

func (s *Sandbox) changeJob(ctx context.Context, j job, query string, args ...any) error {
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, query, args...); err != nil {
			return fmt.Errorf("job %s: %w", j.id, err)
		}
		return nil
	})
}
