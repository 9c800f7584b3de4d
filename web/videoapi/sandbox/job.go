package sandbox

import (
	"context"
	"crypto/rand"
	"math"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
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

const jobColumns = `j.id, j.rowid, j.spec, j.state, j.progress, j.reason, j.video, j.cover, nullif(j.started_at, 0), j.due_at, nullif(j.ended_at, 0)`

// columns returns the destinations into which jobColumns are scanned.
func (j *job) columns() []any {
	return []any{&j.id, &j.number, engine.AsJSON(&j.spec), &j.state, &j.progress, &j.reason, &j.video, &j.cover,
		(*engine.Instant)(&j.startedAt), (*engine.Instant)(&j.dueAt), (*engine.Instant)(&j.endedAt)}
}

func addJob(tx *engine.Tx, task string, w spec, due time.Time) {
	tx.About("add job").Exec(`
		INSERT INTO job (id, task_id, spec, state, video, cover, due_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		strings.ToLower(rand.Text()), task, engine.AsJSON(&w), waiting, newFile(".webm"), newFile(".jpg"), engine.Instant(due))
}

// jobs reads and updates the jobs for the worker.
type jobs struct{ db *engine.DB }

// next returns the job that is due first among those that have not ended. It
// reports false if there is none.
func (s jobs) next(ctx context.Context) (j job, ok bool, err error) {
	look := s.db.Reading(ctx).About("next job")
	j, ok = engine.Find(look, engine.ScanFields((*job).columns), `SELECT `+jobColumns+`
		FROM job j WHERE j.state IN ('waiting', 'running') ORDER BY j.due_at, j.rowid LIMIT 1`)
	return j, ok, look.Err()
}

// start marks the job as running, and as due again at the given time.
func (s jobs) start(ctx context.Context, j job, due time.Time) error {
	return s.change(ctx, j, `UPDATE job SET state = ?, progress = 0, started_at = ?, due_at = ? WHERE id = ?`,
		running, engine.Instant(db.Now()), engine.Instant(due), j.id)
}

func (s jobs) progress(ctx context.Context, j job, share float64) error {
	return s.change(ctx, j, `UPDATE job SET progress = ? WHERE id = ?`, share, j.id)
}

// end marks the job as ended in the state.
func (s jobs) end(ctx context.Context, j job, state jobState, reason string) error {
	return s.change(ctx, j, `UPDATE job SET state = ?, reason = ?, ended_at = ? WHERE id = ?`,
		state, reason, engine.Instant(db.Now()), j.id)
}

func (s jobs) change(ctx context.Context, j job, query string, args ...any) error {
	_, err := s.db.Exec(ctx, query, args...)
	return engine.About("job "+j.id, err)
}
