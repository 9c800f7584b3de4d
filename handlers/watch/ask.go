package watch

import (
	"context"
	"errors"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// An asker queries the service for the state of tasks and stores the answers.
type asker struct {
	*Config
	settler *settler
	paces   *paceCache
	rate    *queryRate
}

// An applyAnswer applies the service's answer, or the error in its place, to a task.
// The error is a *videoapi.Error, or db.ErrNotFound if there is no key.
type applyAnswer func(t *db.Task, a videoapi.Answer, err error) error

// ask queries the service for the task once and passes the answer to apply.
func (a *asker) ask(ctx context.Context, t db.Task, apply applyAnswer) error {
	answer, callErr := a.query(ctx, t)
	var e *videoapi.Error
	switch {
	case callErr == nil, errors.As(callErr, &e), errors.Is(callErr, db.ErrNotFound):
	default:
		return callErr // not an answer of the service: a database or vault error
	}
	if callErr != nil && ctx.Err() != nil {
		return ctx.Err() // the program is stopping; this is no failure of the service
	}
	change := func(t *db.Task) error { return apply(t, answer, callErr) }
	return a.settler.settle(ctx, t.ID, change, rawAnswer(t.ID, "query", answer, callErr)...)
}

// enoughLong is how many queries in a row must have brought an answer that is too long to be
// read before the video is given up.
const enoughLong = 3

// askProgress queries the progress of a running task. An error says nothing about the
// task: the query is repeated, however long it takes.
func (a *asker) askProgress(ctx context.Context, t db.Task) error {
	return a.ask(ctx, t, func(t *db.Task, answer videoapi.Answer, err error) error {
		now := a.Store.Now()
		var e *videoapi.Error
		switch {
		case err == nil:
			err := t.Report(report(answer.Record, *t), now, now.Add(a.paces.pause(*t, now)))
			if t.State == db.Processing && t.MakingAt.Equal(now) { // its age counts from now
				t.NextAt = now.Add(a.paces.pause(*t, now))
			}
			return err
		case !errors.As(err, &e):
			return t.Retry(db.BlameKey, noKeyToAsk, now.Add(jitter(repairPause)))
		}
		if e.Kind == videoapi.TooLong && t.Attempts+1 >= enoughLong {
			return t.Abandon(answerLong, now)
		}
		wait := a.backoff(t.Attempts, e.RetryAfter)
		switch e.Kind {
		case videoapi.KeyRefused, videoapi.NoPermission, videoapi.UnknownTask:
			wait = max(wait, min(repairPause, a.Poll*20)) // only a user can repair that
		}
		return t.Retry(queryBlame(e.Kind), querySentence(e), now.Add(wait))
	})
}

// askAddress asks for the URL of a video that the service says is finished.
func (a *asker) askAddress(ctx context.Context, t db.Task) error {
	return a.ask(ctx, t, func(t *db.Task, answer videoapi.Answer, err error) error {
		now := a.Store.Now()
		next := now.Add(a.addressPause(t.Attempts))
		var e *videoapi.Error
		switch {
		case err == nil:
			return t.ReportAgain(report(answer.Record, *t), now, next)
		case !errors.As(err, &e):
			return t.RetryAddress(db.BlameKey, noKeyToAsk, now, next)
		case e.Kind == videoapi.TooLong && t.Attempts+1 >= enoughLong:
			return t.LoseFiles(answerLong)
		}
		return t.RetryAddress(queryBlame(e.Kind), querySentence(e), now, later(next, now.Add(e.RetryAfter)))
	})
}

// askFresh queries a finished task once more because its links expired before the
// files were copied. A failed query is postponed; after some days of failures,
// copying ends.
func (a *asker) askFresh(ctx context.Context, t db.Task) error {
	return a.ask(ctx, t, func(t *db.Task, answer videoapi.Answer, err error) error {
		now := a.Store.Now()
		putOff := func(b db.Blame, message string, wait time.Duration) error {
			return t.FailCopy(b, message, now, now.Add(jitter(wait)))
		}
		var e *videoapi.Error
		switch {
		case errors.Is(err, db.ErrNotFound):
			return putOff(db.BlameKey, noKeyToLink, repairPause)
		case errors.As(err, &e) && e.Kind != videoapi.UnknownTask && e.Kind != videoapi.NoPermission:
			return putOff(queryBlame(e.Kind), querySentence(e), a.backoff(t.Attempts, e.RetryAfter))
		}
		return t.Refresh(report(answer.Record, *t).Results, now)
	})
}
