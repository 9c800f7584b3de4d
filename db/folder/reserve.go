package folder

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// ReserveSize is how many bytes a data folder sets aside for when the disk is full.
const ReserveSize = 4 << 20

const (
	// roomForReserve times its size must be free before a reserve is filled, so
	// that it never takes space that is needed for something else.
	roomForReserve = 4

	refilledEvery = time.Minute
)

// A Reserve is a file that occupies space on the disk until the disk is full. Then
// its space is freed, so that the answer to a paid call can still be written, and
// people can still sign in. Its
// methods may be called from many goroutines.
type Reserve struct {
	path string
	size int64
	left func() (int64, error)
	mu   sync.Mutex
}

// NewReserve returns the reserve of size bytes at the path. left returns how many
// bytes are free on the disk, or a negative number if that is unknown.
func NewReserve(path string, size int64, left func() (int64, error)) *Reserve {
	return &Reserve{path: path, size: size, left: left}
}

// Free returns the space to the disk, and reports whether there was any to return.
func (r *Reserve) Free() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	held, err := os.Stat(r.path)
	return err == nil && held.Size() > 0 && os.Truncate(r.path, 0) == nil
}

// parts is into how many parts FreePart divides the reserve.
const parts = 64

// FreePart returns a small part of the space to the disk, for people who sign in or out
// while the disk is full, and reports whether it did. It keeps half of the reserve for
// Free.
func (r *Reserve) FreePart() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	held, err := os.Stat(r.path)
	if err != nil || held.Size() <= r.size/2 {
		return false
	}
	return os.Truncate(r.path, max(r.size/2, held.Size()-r.size/parts)) == nil
}

// Fill occupies the space again if plenty is free. It writes random bytes, because
// a file system may store neither holes nor bytes that it can compress.
func (r *Reserve) Fill() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	held, err := os.Stat(r.path)
	if err == nil && held.Size() == r.size {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("space reserve: %w", err)
	}
	left, err := r.left()
	if err != nil {
		return fmt.Errorf("space reserve: %w", err)
	}
	if left >= 0 && left < roomForReserve*r.size { // a part that is still held stays
		return nil
	}
	if err := r.write(); err != nil {
		return fmt.Errorf("space reserve: %w", errors.Join(err, os.Truncate(r.path, 0)))
	}
	return nil
}

func (r *Reserve) write() error {
	file, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = allocate(file, r.size)
	if errors.Is(err, errors.ErrUnsupported) {
		_, err = io.CopyN(file, rand.Reader, r.size) // random, because a file system may compress
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// Run keeps the reserve filled until ctx ends. It passes errors to warn.
func (r *Reserve) Run(ctx context.Context, warn func(error)) {
	tick := time.NewTicker(refilledEvery)
	defer tick.Stop()
	for {
		if err := r.Fill(); err != nil {
			warn(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
