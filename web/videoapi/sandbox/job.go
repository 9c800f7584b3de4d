package sandbox

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/store/sqlite"
	"dailies/web/videoapi"
)

// A job is the work for a task, which a real service leaves to an upstream
// provider. Its id is the record's taskId.
type job struct {
	id        string
	number    int64 // counts the create calls
	spec      spec
	state     jobState
	progress  float64 // of the render, 0 to 1
	reason    string  // why there is no video
	video     string  // file names; the files exist once the job is done
	cover     string
	startedAt time.Time // zero while the job waits
	dueAt     time.Time // when the worker must act on the job next
	endedAt   time.Time // zero until the job has ended
}

// A jobState is a job's state, as stored in the database.
type jobState string

const (
	waiting  jobState = "waiting"
	running  jobState = "running"
	done     jobState = "done"
	failed   jobState = "failed"
	canceled jobState = "canceled"
)

// status returns the status that a query gives to the job's task.
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

// held reports whether the job stays in processing for a while before it is
// rendered or ended.
func (j job) held() bool { return j.spec.Slow || j.spec.End != "" }

// share returns the job's progress at a time, from 0 to 1. A job that is held
// advances to 0.9 with the time that has passed.
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

// columns returns the destinations into which jobColumns are scanned.
func (j *job) columns() []any {
	return []any{&j.id, &j.number, &j.spec, &j.state, &j.progress, &j.reason, &j.video, &j.cover,
		stamp{&j.startedAt}, stamp{&j.dueAt}, stamp{&j.endedAt}}
}

// Scan implements sql.Scanner: a spec is stored as JSON.
func (s *spec) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a spec is %T, not text", src)
	}
	return json.Unmarshal([]byte(text), s)
}

func addJob(ctx context.Context, tx *sql.Tx, task string, w spec, due time.Time) error {
	text, err := json.Marshal(w)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO job (id, task_id, spec, state, video, cover, due_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		strings.ToLower(rand.Text()), task, string(text), waiting, newFile(".webm"), newFile(".jpg"), due.UnixMilli())
	if err != nil {
		return fmt.Errorf("add job: %w", err)
	}
	return nil
}

// jobs reads and updates the jobs for the worker.
type jobs struct{ db *sqlite.DB }

// next returns the job that is due first among those that have not ended. It
// reports false if there is none.
func (s jobs) next(ctx context.Context) (j job, ok bool, err error) {
	err = s.db.Reads.QueryRowContext(ctx, `SELECT `+jobColumns+`
		FROM job j WHERE j.state IN ('waiting', 'running') ORDER BY j.due_at, j.rowid LIMIT 1`).Scan(j.columns()...)
	if errors.Is(err, sql.ErrNoRows) {
		return j, false, nil
	}
	if err != nil {
		return j, false, fmt.Errorf("next job: %w", err)
	}
	return j, true, nil
}

// start marks the job as running, and as due again at the given time.
func (s jobs) start(ctx context.Context, j job, due time.Time) error {
	return s.change(ctx, j, `UPDATE job SET state = ?, progress = 0, started_at = ?, due_at = ? WHERE id = ?`,
		running, db.Now().UnixMilli(), due.UnixMilli(), j.id)
}

func (s jobs) progress(ctx context.Context, j job, share float64) error {
	return s.change(ctx, j, `UPDATE job SET progress = ? WHERE id = ?`, share, j.id)
}

// end marks the job as ended in the state.
func (s jobs) end(ctx context.Context, j job, state jobState, reason string) error {
	return s.change(ctx, j, `UPDATE job SET state = ?, reason = ?, ended_at = ? WHERE id = ?`,
		state, reason, db.Now().UnixMilli(), j.id)
}

func (s jobs) change(ctx context.Context, j job, query string, args ...any) error {
	if _, err := s.db.Writes.ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("job %s: %w", j.id, err)
	}
	return nil
}
