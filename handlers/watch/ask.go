package watch

import (
	"context"
	"errors"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// An asker asks the service about tasks, and writes down what it says.
type asker struct {
	*Config
	settler *settler
	paces   *paceCache
}

// A finding changes a task as an answer of the service, or the error in its place,
// tells. The error is a *videoapi.Error, or db.ErrNotFound where there is no key.
type finding func(t *db.Task, a videoapi.Answer, err error) error

const noKeyToAsk = "There is no API key to ask about it with."

// ask asks about the task once, and applies the finding.
func (a *asker) ask(ctx context.Context, t db.Task, find finding) error {
	answer, callErr := a.query(ctx, t)
	var e *videoapi.Error
	switch {
	case callErr == nil, errors.As(callErr, &e), errors.Is(callErr, db.ErrNotFound):
	default:
		return callErr // trouble of our own
	}
	if callErr != nil && ctx.Err() != nil {
		return ctx.Err() // the program stops; the service is not to blame
	}
	change := func(t *db.Task) error { return find(t, answer, callErr) }
	return a.settler.settle(ctx, t.ID, change, rawAnswer(t.ID, "query", answer, callErr)...)
}

// askProgress asks how a running task stands. An error says nothing about the
// task: it is asked about again, for as long as it takes.
func (a *asker) askProgress(ctx context.Context, t db.Task) error {
	return a.ask(ctx, t, func(t *db.Task, answer videoapi.Answer, err error) error {
		now := a.Store.Now()
		var e *videoapi.Error
		switch {
		case err == nil:
			return t.Report(report(answer.Record, t.Pictures), now, now.Add(a.paces.pause(*t, now)))
		case !errors.As(err, &e):
			return t.Retry(db.BlameKey, noKeyToAsk, now.Add(jitter(repairPause)))
		}
		wait := a.backoff(t.Attempts, e.RetryAfter)
		switch e.Kind {
		case videoapi.KeyRefused, videoapi.NoPermission, videoapi.UnknownTask:
			wait = max(wait, min(repairPause, a.Poll*20)) // only a person can repair that
		}
		return t.Retry(queryBlame(e.Kind), querySentence(e), now.Add(wait))
	})
}

// askAddress asks for the address of a video that the service says is made.
func (a *asker) askAddress(ctx context.Context, t db.Task) error {
	return a.ask(ctx, t, func(t *db.Task, answer videoapi.Answer, err error) error {
		now := a.Store.Now()
		next := now.Add(a.addressPause(t.Attempts))
		var e *videoapi.Error
		switch {
		case err == nil:
			return t.ReportAgain(report(answer.Record, t.Pictures), now, next)
		case !errors.As(err, &e):
			return t.RetryAddress(db.BlameKey, noKeyToAsk, now, next)
		}
		return t.RetryAddress(queryBlame(e.Kind), querySentence(e), now, later(next, now.Add(e.RetryAfter)))
	})
}

// askFresh asks about a finished task once more, because its links have expired
// before the files were copied. A question that cannot be answered is put off,
// and after some days the copying ends.
func (a *asker) askFresh(ctx context.Context, t db.Task) error {
	return a.ask(ctx, t, func(t *db.Task, answer videoapi.Answer, err error) error {
		now := a.Store.Now()
		putOff := func(b db.Blame, message string, wait time.Duration) error {
			return t.FailCopy(b, message, now, now.Add(jitter(wait)))
		}
		var e *videoapi.Error
		switch {
		case errors.Is(err, db.ErrNotFound):
			return putOff(db.BlameKey, "There is no API key to ask for a fresh link with.", repairPause)
		case errors.As(err, &e) && e.Kind != videoapi.UnknownTask && e.Kind != videoapi.NoPermission:
			return putOff(queryBlame(e.Kind), querySentence(e), a.backoff(t.Attempts, e.RetryAfter))
		}
		return t.Refresh(report(answer.Record, t.Pictures).Results, now)
	})
}
