package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"runtime/debug"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/media/splice"
	"dailies/db/store"
)

const (
	filmInterval = 2 * time.Second        // between two looks for a video that has not been read
	filmPause    = 100 * time.Millisecond // between two videos, so that other work goes on
	filmLease    = 2 * time.Minute        // after which a video is read again whose reading did not end
)

// Films reads what stored videos contain. Those that are copied now are read before they are
// stored; the ones of earlier versions are read in the background. NewFilms returns a usable
// one.
type Films struct {
	store *store.Store
	media *media.Store
	log   *slog.Logger
}

// NewFilms returns a Films for the videos in the store and their files.
func NewFilms(s *store.Store, files *media.Store, log *slog.Logger) *Films {
	return &Films{s, files, log}
}

// Run works until ctx ends. A video whose reading is interrupted is read again after its
// lease ends.
func (f *Films) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		wait := filmPause
		if read, err := f.Step(ctx); errors.Is(err, db.ErrUnavailable) {
			wait = storagePause
		} else if err != nil && ctx.Err() == nil {
			f.log.Error("cannot read what a video contains; it will be tried again", "err", err)
			wait = filmInterval
		} else if !read {
			wait = filmInterval
		}
		sleep(ctx, wait)
	}
	return nil
}

// Step reads one video, and reports whether one was waiting. A panic is returned as an error,
// so that the others are read until this one's lease ends.
func (f *Films) Step(ctx context.Context) (waited bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			waited, err = true, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	now := f.store.Now()
	m, err := f.store.Files.ClaimFilm(ctx, now, now.Add(filmLease))
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if m.Film, err = f.read(ctx, m); err != nil {
		return true, err
	}
	if m.Film.Cut {
		f.log.Warn("a saved video is not whole", "task", m.TaskID, "media", m.ID)
	}
	return true, f.store.Files.SetFilm(ctx, m)
}

func (f *Films) read(ctx context.Context, m db.Media) (db.Film, error) {
	file, err := f.media.Whole(ctx, m.Hash, m.Size)
	if errors.Is(err, fs.ErrNotExist) {
		return db.Film{Read: true}, nil // whoever looks at the video is told that its file is missing
	}
	if err != nil {
		return db.Film{}, err
	}
	defer file.Close()
	return readFilm(file, m.Size)
}

// readFilm returns what the index of a video says. A file that is not understood has an empty
// description, which is no error.
func readFilm(file io.ReaderAt, size int64) (db.Film, error) {
	index, err := splice.Inspect(file, size)
	cut := errors.Is(err, splice.ErrCut)
	if err != nil && !cut && !errors.Is(err, splice.ErrUnsupported) {
		return db.Film{}, err
	}
	return db.Film{
		Read: true, Format: db.FilmFormat(index.Format), Video: index.Video, Sound: index.Sound, Width: index.Width, Height: index.Height,
		Rotation: index.Rotation, Frames: index.Frames(), Length: index.Length().Milliseconds(), Varies: index.Varies(), Cut: cut,
	}, nil
}
