package watch

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"dailies/db"
	"dailies/db/media"
)

// A keeper copies the files of finished tasks into the data folder.
type keeper struct {
	*Config
	asker  *asker
	hosts  *hostTable
	booked bookings
	labels sync.Mutex // held while the index of a file is read, also to add a label: that takes memory
}

// keep copies a finished task's files into the data folder. Files that are already
// kept are not fetched again; missing ones are retried until they are here. One call
// copies the videos from one host, and the cover.
func (k *keeper) keep(ctx context.Context, t db.Task) error {
	if t.LacksAddress() || t.Refreshable() {
		k.asker.rate.spend(1) // claimed as a copy
	}
	if t.LacksAddress() {
		return k.asker.askAddress(ctx, t)
	}
	if t.Refreshable() {
		return k.asker.askFresh(ctx, t)
	}
	room := &booking{keeper: k, task: t.ID}
	defer func() { room.giveBack(room.bytes) }() // once the files are recorded
	var files []db.Media
	var missing error
	source := "" // of the video that is missing
	host, more := t.CopyHost(), false
	for _, m := range t.Wanted() {
		// After a video that is too large, the task is given up, so this is the last
		// call for it.
		if m.Kind == db.Video && m.Host() != host && !errors.Is(missing, errTooLarge) {
			more = true
			continue
		}
		if err := room.copy(ctx, &m); err != nil {
			if errors.Is(err, errUnknown) {
				return err // a cover would be given up although it can be copied
			}
			if m.Kind == db.Video {
				missing, source = err, m.Source
			}
			level := slog.LevelInfo
			if errors.Is(err, db.ErrUnavailable) {
				level = slog.LevelDebug // the storage logs its own failures
			}
			k.Log.Log(ctx, level, "could not copy a file yet", "task", t.ID, "kind", m.Kind, "err", err)
			continue
		}
		files = append(files, m)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return k.kept(ctx, t.ID, files, missing, source, more)
}

// kept records the copied files. Nothing waits for a missing cover; a missing video
// is retried: source is its address. more says that videos on other hosts remain for later calls.
func (k *keeper) kept(ctx context.Context, id int64, files []db.Media, missing error, source string, more bool) error {
	var wrong *wrongFile
	return k.asker.settler.settle(ctx, id, func(t *db.Task) error {
		now := k.Store.Now()
		if err := t.Keep(files, missing == nil && !more); err != nil || missing == nil {
			return err
		}
		switch {
		case errors.Is(missing, errNoRoom):
			return t.Retry(db.BlameSpace, storageFull, now.Add(jitter(min(roomPause, 20*k.Poll))))
		case errors.Is(missing, db.ErrUnavailable):
			return t.Retry(db.BlameStorage, storageSilent, now.Add(jitter(min(storagePause, 20*k.Poll))))
		case errors.Is(missing, errTooLarge):
			return t.LoseFiles(db.TooLarge)
		case errors.As(missing, &wrong) && wrong.isFinal():
			return t.Refuse(source, db.Unstorable(wrong.kind), now)
		case errors.Is(missing, errGone), errors.Is(missing, errStale) && db.IsStale(*t, now):
			return t.Gone(now, now.Add(k.copyPause(*t, now)))
		case wrong != nil:
			return t.FailWrong(db.Unstorable(wrong.kind), notSaved, now, now.Add(k.copyPause(*t, now)))
		case errors.Is(missing, media.ErrCut):
			return t.FailCopy(db.BlameService, db.BrokenOff, now, now.Add(k.copyPause(*t, now)))
		}
		return t.FailCopy(db.BlameService, notSaved, now, now.Add(k.copyPause(*t, now)))
	})
}
