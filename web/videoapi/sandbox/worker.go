package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"log/slog"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox/film"
)

// The time that Run waits if it has nothing to do, and after an error.
const (
	idle  = time.Minute
	retry = time.Second
)

// A worker carries out the jobs, one at a time.
type worker struct {
	jobs     jobs
	files    *fileStore
	pictures pictures
	pace     Pace
	log      *slog.Logger

	shrink  int
	longest time.Duration

	running sync.Mutex    // held by Run
	wake    chan struct{} // receives when a job was added
}

func newWorker(c Config, d *engine.DB, files *fileStore) *worker {
	return &worker{jobs: jobs{d}, files: files, pace: c.Pace, log: c.Log,
		shrink: c.Shrink, longest: c.Longest, wake: make(chan struct{}, 1)}
}

// Run works on the tasks, one at a time, until ctx ends, and then returns nil.
// A task that it was rendering starts again with the next Run.
func (w *worker) Run(ctx context.Context) error {
	if !w.running.TryLock() {
		return errors.New("sandbox: it runs already")
	}
	defer w.running.Unlock()
	for ctx.Err() == nil {
		wait, err := w.round(ctx)
		if err != nil && ctx.Err() == nil {
			w.log.Error("sandbox: round", "err", err)
			wait = retry
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-w.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// nudge makes Run look for jobs immediately.
func (w *worker) nudge() {
	select {
	case w.wake <- struct{}{}:
	default: // Run is about to look anyway
	}
}

// round does one step of the next job if it is due, and returns how long to wait.
func (w *worker) round(ctx context.Context) (time.Duration, error) {
	j, ok, err := w.jobs.next(ctx)
	if err != nil || !ok {
		return idle, err
	}
	if wait := time.Until(j.dueAt); wait > 0 {
		return min(wait, idle), nil
	}
	return 0, w.work(ctx, j)
}

// work starts, ends or renders a job that is due.
func (w *worker) work(ctx context.Context, j job) error {
	if j.state == waiting {
		if err := w.jobs.start(ctx, j, db.Now().Add(w.hold(j))); err != nil || j.held() {
			return err
		}
	}
	if j.spec.Face && len(j.spec.Pictures) > 0 {
		return w.jobs.end(ctx, j, failed, askedForFaces)
	}
	switch j.spec.End {
	case videoapi.Failed:
		return w.jobs.end(ctx, j, failed, askedToFail)
	case videoapi.Canceled:
		return w.jobs.end(ctx, j, canceled, askedToCancel)
	}
	return w.finish(ctx, j)
}

// hold returns how long a job stays in processing before it is rendered or
// ended.
func (w *worker) hold(j job) time.Duration {
	switch {
	case j.spec.Slow:
		return w.pace.Slow
	case j.spec.End != "":
		return w.pace.Moment
	}
	return 0
}

// finish renders the job and ends it.
func (w *worker) finish(ctx context.Context, j job) error {
	begun := time.Now()
	err := w.render(ctx, j)
	if ctx.Err() != nil {
		return ctx.Err() // the next Run starts it again
	}
	if reason := new(pictureError); errors.As(err, &reason) {
		w.log.Info("sandbox: task failed", "job", j.id, "reason", reason.reason)
		return w.jobs.end(ctx, j, failed, reason.reason)
	}
	if err != nil {
		w.log.Error("sandbox: render", "job", j.id, "err", err)
		return w.jobs.end(ctx, j, failed, "The sandbox could not render this video.")
	}
	w.log.Info("sandbox: video rendered", "job", j.id, "seconds", j.spec.Seconds, "resolution", j.spec.Resolution,
		"took", time.Since(begun))
	return w.jobs.end(ctx, j, done, "")
}

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

// renderTimeout bounds how long the rendering of one task delays the others.
const renderTimeout = 15 * time.Minute

// render makes the job's video and cover.
func (w *worker) render(ctx context.Context, j job) (err error) {
	ctx, cancel := context.WithTimeout(ctx, renderTimeout)
	defer cancel()
	// The pictures are untrusted, and decoders have had bugs.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	pictures, err := w.pictures.get(ctx, j.spec.Pictures)
	if err != nil {
		return err
	}
	f := j.film(pictures)
	f.Width, f.Height = shrunk(f.Width, w.shrink), shrunk(f.Height, w.shrink)
	f.Duration = min(f.Duration, w.longest)
	if err := w.files.keep(j.cover, func(out *os.File) error { return f.Cover(out) }); err != nil {
		return fmt.Errorf("cover: %w", err)
	}
	return w.files.keep(j.video, func(out *os.File) error {
		return f.Render(ctx, out, func(share float64) {
			if err := w.jobs.progress(ctx, j, share); err != nil && ctx.Err() == nil {
				w.log.Warn("sandbox: progress", "err", err)
			}
		})
	})
}

// film returns the film that the job describes.
func (j job) film(pictures []image.Image) film.Film {
	f := film.Film{
		Scene:    filmScene(j.spec.Scene, len(pictures)),
		Prompt:   j.spec.Prompt,
		Model:    j.spec.Model,
		Pictures: pictures,
		Duration: time.Duration(j.spec.Seconds) * time.Second,
		Seed:     j.spec.Seed,
	}
	if f.Seed == anySeed { // derive a seed that is the same after a restart
		h := fnv.New32a()
		_, _ = h.Write([]byte(j.id)) // never fails
		f.Seed = int64(h.Sum32())
	}
	if f.Width, f.Height = film.Size(j.spec.Resolution, j.spec.Ratio); j.spec.Ratio == "" && len(pictures) > 0 {
		f.Width, f.Height = film.SizeLike(j.spec.Resolution, pictures[0].Bounds())
	}
	return f
}

// leastSide is the shortest side, in pixels, on which text can be set.
const leastSide = 96

// shrunk divides the side of a film. The result is even and at least leastSide.
func shrunk(side, by int) int { return max(leastSide, side/by/2*2) }

// filmScene returns the film's scene for the number of pictures. Image to video
// with an end image becomes a film that goes from one picture to the other.
func filmScene(s videoapi.Scene, pictures int) string {
	switch {
	case pictures == 0:
		return film.TextToVideo
	case s == videoapi.ReferenceToVideo, pictures > 2:
		return film.ReferenceToVideo
	case pictures == 2:
		return film.FramesToVideo
	}
	return film.ImageToVideo
}
