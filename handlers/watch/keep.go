package watch

import (
	"context"
	"errors"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

const (
	// Links of the service live about a day. After three, it is certain that
	// asking the same address again brings nothing.
	keepFor = 72 * time.Hour

	// roomAgain is the pause before it is looked whether somebody made room.
	roomAgain = time.Minute
)

// keep copies a finished task's files into the data folder. What is kept is
// never fetched again; what is missing is tried until it is here.
func (w *Watcher) keep(ctx context.Context, t db.Task) error {
	if t.Refreshable() {
		return w.refresh(ctx, t)
	}
	room := &booking{Watcher: w}
	defer func() { room.giveBack(room.bytes) }() // after the files are written down
	var files []db.Media
	var missing error
	position := map[db.MediaKind]int{}
	for _, r := range t.Results {
		m := db.Media{TaskID: t.ID, Kind: r.Kind, Position: position[r.Kind], Source: r.URL}
		position[r.Kind]++
		if kept(t.Media, m) {
			continue
		}
		if err := room.copy(ctx, &m, t.Stumbles); err != nil {
			if r.Kind == db.Video {
				missing = err
			}
			w.Log.Info("could not copy a file yet", "task", t.ID, "kind", r.Kind, "err", err)
			continue
		}
		files = append(files, m)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.kept(ctx, t.ID, files, missing)
}

// kept writes down what was copied. A cover is a nicety that nothing waits
// for; a missing video is tried again.
func (w *Watcher) kept(ctx context.Context, id int64, files []db.Media, missing error) error {
	return w.settle(ctx, w.Store.UpdateTask, id, func(t *db.Task) error {
		if err := t.Keep(files, missing == nil); err != nil || missing == nil {
			return err
		}
		now := db.Now()
		next := now.Add(jitter(grown(w.Poll, 2, t.Stumbles, 10*time.Minute)))
		switch {
		case errors.Is(missing, errNoRoom):
			return t.Stumble(db.BlameSpace, "There is no room to keep the video.", now.Add(jitter(min(roomAgain, 20*w.Poll))))
		case errors.Is(missing, errTooLarge):
			return t.LoseFiles("The video is larger than 2 GB, which is too large to be kept here.")
		case errors.Is(missing, errGone):
			if t.RefreshedAt.IsZero() {
				next = now // for fresh addresses
			}
			return t.Gone(next)
		case now.Sub(t.DoneAt) > keepFor:
			return t.LoseFiles("The service no longer gives the video out.")
		}
		return t.Stumble(db.BlameService, "The video could not be copied yet. It is tried again.", next)
	})
}

func kept(have []db.Media, m db.Media) bool {
	for _, h := range have {
		if h.Kind == m.Kind && h.Position == m.Position {
			return true
		}
	}
	return false
}

// refresh asks the service about a finished task once more, because its links
// have expired before the files were copied.
func (w *Watcher) refresh(ctx context.Context, t db.Task) error {
	key, err := w.key(ctx, t.UserID)
	if errors.Is(err, db.ErrNotFound) {
		return w.unrefreshed(ctx, t, db.BlameKey, "There is no API key to ask for a fresh link with.", time.Minute)
	}
	if err != nil {
		return err
	}
	answer, callErr := w.Service.Query(ctx, key, t.RemoteID)
	if callErr != nil && ctx.Err() != nil {
		return ctx.Err() // the program stops; the service is not to blame
	}
	var e *videoapi.Error
	if errors.As(callErr, &e) && e.Kind != videoapi.UnknownTask && e.Kind != videoapi.NoPermission {
		w.count("query", e.Kind.String())
		return w.unrefreshed(ctx, t, blame(e.Kind), sentence(e), w.backoff(t.Stumbles, e.RetryAfter))
	}
	w.count("query", "ok")
	change := func(t *db.Task) error { return t.Refresh(report(answer.Record, t.Pictures).Results, db.Now()) }
	return w.settle(ctx, w.Store.UpdateTask, t.ID, change, rawAnswer(t.ID, "query", answer, callErr)...)
}

// unrefreshed puts the question off, or ends the copying where it was put off
// for days.
func (w *Watcher) unrefreshed(ctx context.Context, t db.Task, b db.Blame, message string, wait time.Duration) error {
	now := db.Now()
	if now.Sub(t.DoneAt) <= keepFor {
		return w.stumble(ctx, t, b, message, wait)
	}
	return w.settle(ctx, w.Store.UpdateTask, t.ID, func(t *db.Task) error { return t.LoseFiles("The link has expired. " + message) })
}
