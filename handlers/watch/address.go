package watch

import (
	"context"
	"errors"

	"dailies/db"
	"dailies/web/videoapi"
)

// askAddress asks for the address of a video that the service says is made.
func (w *Watcher) askAddress(ctx context.Context, t db.Task) error {
	answer, callErr := w.query(ctx, t)
	if callErr != nil && ctx.Err() != nil {
		return ctx.Err() // the program stops; the service is not to blame
	}
	if callErr != nil && !told(callErr) {
		return callErr
	}
	change := func(t *db.Task) error { return w.askedAddress(t, answer, callErr) }
	return w.settle(ctx, w.Store.UpdateTask, t.ID, change, rawAnswer(t.ID, "query", answer, callErr)...)
}

// told reports whether an error of query is about the key or the service, and
// not trouble of our own.
func told(err error) bool {
	var e *videoapi.Error
	return errors.Is(err, db.ErrNotFound) || errors.As(err, &e)
}

// askedAddress applies the outcome of a question for the address.
func (w *Watcher) askedAddress(t *db.Task, a videoapi.Answer, err error) error {
	now := db.Now()
	next := now.Add(w.addressPause(t.Attempts))
	var e *videoapi.Error
	switch {
	case err == nil:
		w.count("query", "ok")
		return t.ReportAgain(report(a.Record, t.Pictures), now, next)
	case errors.As(err, &e):
		w.count("query", e.Kind.String())
		return t.RetryAddress(queryBlame(e.Kind), querySentence(e), now, later(next, now.Add(e.RetryAfter)))
	}
	return t.RetryAddress(db.BlameKey, noKeyToAsk, now, next)
}
