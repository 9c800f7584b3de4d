package watch

import (
	"context"
	"errors"
	"log/slog"

	"dailies/db"
)

// A keeper copies the files of finished tasks into the data folder.
type keeper struct {
	*Config
	asker  *asker
	booked bookings
}

// keep copies a finished task's files into the data folder. What is kept is
// never fetched again; what is missing is tried until it is here. One turn
// copies the videos of one host, and the cover.
func (k *keeper) keep(ctx context.Context, t db.Task) error {
	if t.LacksAddress() {
		return k.asker.askAddress(ctx, t)
	}
	if t.Refreshable() {
		return k.asker.askFresh(ctx, t)
	}
	room := &booking{keeper: k}
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
			level := slog.LevelInfo
			if errors.Is(err, db.ErrUnavailable) {
				level = slog.LevelDebug // the storage says so itself
			}
			k.Log.Log(ctx, level, "could not copy a file yet", "task", t.ID, "kind", m.Kind, "err", err)
			continue
		}
		files = append(files, m)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return k.kept(ctx, t.ID, files, missing, more)
}

// kept writes down what was copied. A cover is a nicety that nothing waits
// for; a missing video is tried again, and more of other hosts have their turn.
func (k *keeper) kept(ctx context.Context, id int64, files []db.Media, missing error, more bool) error {
	return k.asker.settler.settle(ctx, id, func(t *db.Task) error {
		now := k.Store.Now()
		if err := t.Keep(files, missing == nil && !more); err != nil || missing == nil {
			return err
		}
		switch {
		case errors.Is(missing, errNoRoom):
			return t.Retry(db.BlameSpace, "There is no room to keep the video.", now.Add(jitter(min(roomPause, 20*k.Poll))))
		case errors.Is(missing, db.ErrUnavailable):
			return t.Retry(db.BlameStorage, "The storage for videos does not answer.", now.Add(jitter(min(storagePause, 20*k.Poll))))
		case errors.Is(missing, errTooLarge):
			return t.LoseFiles(db.TooLarge)
		case errors.Is(missing, errGone):
			return t.Gone(now, now.Add(k.copyPause(*t, now)))
		}
		return t.FailCopy(db.BlameService, "The video could not be copied yet. It is tried again.", now, now.Add(k.copyPause(*t, now)))
	})
}
