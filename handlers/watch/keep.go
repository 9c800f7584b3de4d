package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/media/splice"
	"dailies/db/schedule"
)

// A keeper copies the files of finished tasks into the data folder.
type keeper struct {
	*Config
	querier *querier
	hosts   *hostTable
	booked  bookings
	labels  sync.Mutex // held while the index of a file is read, also to add a label: that takes memory
}

// keep copies a finished task's files into the data folder. Files that are already
// kept are not fetched again; missing ones are retried until they are here. One call
// copies the videos from one host, and the cover.
func (k *keeper) keep(ctx context.Context, t db.Task) error {
	if t.LacksAddress() || t.Refreshable() {
		k.querier.rate.spend(1) // claimed as a copy
	}
	if t.LacksAddress() {
		return k.querier.queryAddress(ctx, t)
	}
	if t.Refreshable() {
		return k.querier.queryFreshLinks(ctx, t)
	}
	reservation := &booking{keeper: k, task: t.ID}
	defer func() { reservation.giveBack(reservation.bytes) }() // once the files are recorded
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
		if err := reservation.copy(ctx, &m); err != nil {
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
	return k.querier.recorder.record(ctx, id, func(t *db.Task) error {
		now := k.Store.Now()
		if err := t.Keep(files, missing == nil && !more); err != nil || missing == nil {
			return err
		}
		switch {
		case errors.Is(missing, errNoSpace):
			return t.Retry(db.SpaceError, storageFull, now.Add(jitter(min(roomPause, 20*k.Poll))))
		case errors.Is(missing, db.ErrUnavailable):
			return t.Retry(db.StorageError, storageSilent, now.Add(jitter(min(storagePause, 20*k.Poll))))
		case errors.Is(missing, errTooLarge):
			return t.LoseFiles(db.TooLarge)
		case errors.As(missing, &wrong) && wrong.isFinal():
			return t.Refuse(source, db.Unstorable(wrong.kind), now)
		case errors.Is(missing, errGone), errors.Is(missing, errStale) && db.IsStale(*t, now):
			return t.Gone(now, now.Add(k.copyPause(*t, now)))
		case wrong != nil:
			return t.FailWrong(db.Unstorable(wrong.kind), notSaved, now, now.Add(k.copyPause(*t, now)))
		case errors.Is(missing, media.ErrCut):
			return t.FailCopy(db.ServiceError, db.BrokenOff, now, now.Add(k.copyPause(*t, now)))
		}
		return t.FailCopy(db.ServiceError, notSaved, now, now.Add(k.copyPause(*t, now)))
	})
}

// numberLength is how many hex digits of a file's hash are in the number that the team gives
// a video.
const numberLength = 16

// label returns the change that adds the team's label to a video while it is saved, or nil
// if the team has none. A file that cannot be labelled stays as it came. The number in the
// label depends only on the task and the file: whenever saving begins again, it stores the
// same bytes.
func (b *booking) label(ctx context.Context, m *db.Media) (media.Change, error) {
	if m.Kind != db.Video {
		return nil, nil
	}
	labels, err := b.Store.Settings.Labels(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnknown, err)
	}
	if labels.Producer == "" {
		return nil, nil
	}
	return func(file io.ReaderAt, size int64, hash string) (io.WriterTo, error) {
		b.labels.Lock()
		defer b.labels.Unlock()
		with, err := splice.Label(file, size, labels.Label(fmt.Sprintf("%d-%s", b.task, hash[:numberLength])))
		if errors.Is(err, splice.ErrNoLabel) {
			b.Log.Info("a video is saved without the team's label", "task", b.task, "why", err)
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		m.Marks = db.LabelMark
		return with, nil
	}, nil
}

// bookings counts the bytes that copies in progress may still write.
type bookings struct {
	mu    sync.Mutex
	bytes int64
}

// Space returns how much space there is for files.
func (w *Watcher) Space(ctx context.Context) (schedule.Space, error) {
	space, err := w.Config.space(ctx)
	if err != nil {
		return schedule.Space{}, err
	}
	space.Waiting, err = w.Store.Files.WaitingForSpace(ctx)
	return space, err
}

// space returns Space without the number of waiting videos, which is slow to count
// when there are many.
func (c *Config) space(ctx context.Context) (schedule.Space, error) {
	used, err := c.Store.Files.KeptBytes(ctx)
	if err != nil {
		return schedule.Space{}, err
	}
	free, err := c.Free()
	if err != nil {
		return schedule.Space{}, fmt.Errorf("space: %w", err)
	}
	return schedule.Space{Used: used, Max: c.KeepMax, Free: free}, nil
}

// A booking reserves space for one task's files until they are recorded or given up.
type booking struct {
	*keeper
	task  int64 // ID of the task
	bytes int64
}

// book reserves space for a file of the announced size. If that is negative, it
// reserves the limit, or all space that is left.
func (b *booking) book(ctx context.Context, announced, limit int64) (reserved int64, err error) {
	b.booked.mu.Lock()
	defer b.booked.mu.Unlock()
	space, err := b.space(ctx)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errUnknown, err)
	}
	left := space.Left() - b.booked.bytes
	reserved = announced
	if announced < 0 {
		reserved = min(limit, left)
	}
	if left <= 0 || reserved > left {
		return 0, errNoSpace
	}
	b.booked.bytes += reserved
	b.bytes += reserved
	return reserved, nil
}

// giveBack releases that many reserved bytes.
func (b *booking) giveBack(bytes int64) {
	b.booked.mu.Lock()
	defer b.booked.mu.Unlock()
	b.booked.bytes -= bytes
	b.bytes -= bytes
}
