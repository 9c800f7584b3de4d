package watch

import (
	"context"
	"errors"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// keep copies a finished task's files into the data folder. What is kept is
// never fetched again; what is missing is tried until it is here. One turn
// copies the videos of one host, and the cover.
func (w *Watcher) keep(ctx context.Context, t db.Task) error {
	if t.LacksAddress() {
		return w.askAddress(ctx, t)
	}
	if t.Refreshable() {
		return w.refresh(ctx, t)
	}
	room := &booking{Watcher: w}
	defer func() { room.giveBack(room.bytes) }() // after the files are written down
	var files []db.Media
	var missing error
	host, more := t.CopyHost(), false
	for _, m := range t.Wanted() {
		// After one that is too large there is no other turn.
		if m.Kind == db.Video && m.Host() != host && !errors.Is(missing, errTooLarge) {
			more = true
			continue
		}
		if err := room.copy(ctx, &m, t.Attempts); err != nil {
			if m.Kind == db.Video {
				missing = err
			}
			w.Log.Info("could not copy a file yet", "task", t.ID, "kind", m.Kind, "err", err)
			continue
		}
		files = append(files, m)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.kept(ctx, t.ID, files, missing, more)
}

// kept writes down what was copied. A cover is a nicety that nothing waits
// for; a missing video is tried again, and more of other hosts have their turn.
func (w *Watcher) kept(ctx context.Context, id int64, files []db.Media, missing error, more bool) error {
	return w.settle(ctx, w.Store.UpdateTask, id, func(t *db.Task) error {
		now := db.Now()
		if err := t.Keep(files, missing == nil && !more); err != nil || missing == nil {
			return err
		}
		switch {
		case errors.Is(missing, errNoRoom):
			return t.Retry(db.BlameSpace, "There is no room to keep the video.", now.Add(jitter(min(roomPause, 20*w.Poll))))
		case errors.Is(missing, errTooLarge):
			return t.ExceedLimit()
		case errors.Is(missing, errGone):
			return t.Gone(now, now.Add(w.copyPause(*t, now)))
		}
		return t.FailCopy(db.BlameService, "The video could not be copied yet. It is tried again.", now, now.Add(w.copyPause(*t, now)))
	})
}

// refresh asks the service about a finished task once more, because its links
// have expired before the files were copied.
func (w *Watcher) refresh(ctx context.Context, t db.Task) error {
	answer, callErr := w.query(ctx, t)
	if callErr != nil && ctx.Err() != nil {
		return ctx.Err() // the program stops; the service is not to blame
	}
	if errors.Is(callErr, db.ErrNotFound) {
		return w.unrefreshed(ctx, t, db.BlameKey, "There is no API key to ask for a fresh link with.", mendPause)
	}
	var e *videoapi.Error
	if errors.As(callErr, &e) && e.Kind != videoapi.UnknownTask && e.Kind != videoapi.NoPermission {
		w.count("query", e.Kind.String())
		return w.unrefreshed(ctx, t, queryBlame(e.Kind), querySentence(e), w.backoff(t.Attempts, e.RetryAfter))
	}
	if callErr != nil && e == nil {
		return callErr // the service was not asked
	}
	w.count("query", "ok")
	change := func(t *db.Task) error { return t.Refresh(report(answer.Record, t.Pictures).Results, db.Now()) }
	return w.settle(ctx, w.Store.UpdateTask, t.ID, change, rawAnswer(t.ID, "query", answer, callErr)...)
}

// unrefreshed puts the question off, or ends the copying where it was put off
// for days.
func (w *Watcher) unrefreshed(ctx context.Context, t db.Task, b db.Blame, message string, wait time.Duration) error {
	return w.settle(ctx, w.Store.UpdateTask, t.ID, func(t *db.Task) error {
		now := db.Now()
		return t.FailCopy(b, message, now, now.Add(jitter(wait)))
	})
}
