package watch

import (
	"bytes"
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
	"dailies/db/store"
	"dailies/web/picture"
)

const (
	thumbInterval = 2 * time.Second       // between two looks for a cover without a thumbnail
	thumbPause    = 50 * time.Millisecond // between two thumbnails, so that other work can use the CPU
	thumbLease    = time.Minute           // after which an unfinished thumbnail is made again

	// With these limits, a gallery page with 24 thumbnails stays below 400 KB.
	thumbSide  = 640
	thumbBytes = 13 << 10
)

// Thumbs makes thumbnails of covers, including those stored by earlier versions.
// NewThumbs returns a usable one.
type Thumbs struct {
	store *store.Store
	media *media.Store
	log   *slog.Logger
}

// NewThumbs returns a Thumbs for the covers in the store and their files.
func NewThumbs(s *store.Store, files *media.Store, log *slog.Logger) *Thumbs {
	return &Thumbs{s, files, log}
}

// Run works until ctx ends. A thumbnail that is interrupted is made again after its
// lease ends.
func (t *Thumbs) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		wait := thumbPause
		if made, err := t.Step(ctx); errors.Is(err, db.ErrUnavailable) {
			wait = storagePause
		} else if err != nil && ctx.Err() == nil {
			t.log.Error("cannot make a thumbnail; it will be tried again", "err", err)
			wait = thumbInterval // the database may be out of reach
		} else if !made {
			wait = thumbInterval
		}
		sleep(ctx, wait)
	}
	return nil
}

// Step makes one thumbnail, and reports whether a cover was waiting. A panic is
// returned as an error, so that the other covers are processed until this one's lease
// ends.
func (t *Thumbs) Step(ctx context.Context) (waited bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			waited, err = true, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	now := t.store.Now()
	cover, err := t.store.Files.ClaimCover(ctx, now, now.Add(thumbLease))
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	thumb, err := t.draw(ctx, cover)
	if errors.Is(err, picture.ErrNoThumb) {
		t.log.Warn("no thumbnail can be made of a cover", "media", cover.ID, "err", err)
		thumb, err = nil, nil
	}
	if err == nil {
		err = t.store.Files.SetCoverThumb(ctx, cover, thumb, t.store.Now())
	}
	if errors.Is(err, db.ErrNotFound) {
		err = nil // the cover was replaced or deleted meanwhile
	}
	return true, err
}

// draw makes the thumbnail, stores its file and returns it.
func (t *Thumbs) draw(ctx context.Context, cover db.Media) (*db.Media, error) {
	if cover.Size > maxCover {
		return nil, fmt.Errorf("%w: it has %d bytes", picture.ErrNoThumb, cover.Size)
	}
	file, err := t.media.Picture(ctx, cover.Hash, cover.Size)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(picture.ErrNoThumb, err)
	}
	if err != nil { // for example too many open files
		return nil, err
	}
	defer file.Close()
	whole, err := io.ReadAll(io.LimitReader(file, cover.Size))
	if err != nil {
		return nil, err
	}
	small, size, err := picture.Small(whole, thumbSide, thumbBytes)
	if err != nil {
		return nil, err
	}
	m := &db.Media{Type: "image/jpeg", Width: size.X, Height: size.Y}
	m.Hash, m.Size, err = t.media.Put(ctx, bytes.NewReader(small), maxCover)
	return m, err
}
