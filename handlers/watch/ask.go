package watch

import (
	"context"
	"errors"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// ask asks the service about a running task. An error says nothing about the
// task: it is asked about again, for as long as it takes.
func (w *Watcher) ask(ctx context.Context, t db.Task) error {
	answer, callErr := w.query(ctx, t)
	if callErr != nil && ctx.Err() != nil {
		return ctx.Err() // the program stops; the service is not to blame
	}
	if errors.Is(callErr, db.ErrNotFound) {
		return w.retry(ctx, t, db.BlameKey, noKeyToAsk, mendPause)
	}
	change := func(t *db.Task) error { return w.asked(t, answer, callErr) }
	return w.settle(ctx, w.Store.UpdateTask, t.ID, change, rawAnswer(t.ID, "query", answer, callErr)...)
}

const noKeyToAsk = "There is no API key to ask about it with."

// asked applies the outcome of a question.
func (w *Watcher) asked(t *db.Task, a videoapi.Answer, err error) error {
	now := db.Now()
	if err == nil {
		w.count("query", "ok")
		return t.Report(report(a.Record, t.Pictures), now, now.Add(w.pause(*t, now)))
	}
	var e *videoapi.Error
	if !errors.As(err, &e) {
		return err
	}
	w.count("query", e.Kind.String())
	wait := w.backoff(t.Attempts, e.RetryAfter)
	switch e.Kind {
	case videoapi.KeyRefused, videoapi.NoPermission, videoapi.UnknownTask:
		wait = max(wait, min(mendPause, w.Poll*20)) // only a person can mend that
	}
	return t.Retry(queryBlame(e.Kind), querySentence(e), now.Add(wait))
}

func (w *Watcher) retry(ctx context.Context, t db.Task, b db.Blame, message string, wait time.Duration) error {
	_, err := w.Store.UpdateTask(ctx, t.ID, func(t *db.Task) error {
		return t.Retry(b, message, db.Now().Add(jitter(wait)))
	})
	return err
}
