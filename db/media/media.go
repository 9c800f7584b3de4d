// Package media keeps files in a folder, each under the SHA-256 of its content.
// What stands under a name is always whole: it is written beside it, brought to
// the disk, and only then given the name.
package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"dailies/db/folder"
)

// ErrTooLarge says that a file has more bytes than it may.
var ErrTooLarge = errors.New("the file is too large")

// A Check looks at a file of so many bytes before it is given its name. Its
// error keeps the file out.
type Check func(file io.ReaderAt, size int64) error

// A Store is a folder of blobs: aa/bbbb… for the hash aabbbb…. Its methods may
// be called from many goroutines.
type Store struct {
	dir string
	mu  sync.Mutex // held while a blob gets its name or loses it
}

// begun is how the names of files begin that are still being written.
const begun = "begun-"

// Open opens the folder, makes it if there is none, and removes what an
// interrupted Put has left. One program owns the folder.
func Open(dir string) (*Store, error) {
	if err := folder.Make(dir); err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), begun) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
			return nil, fmt.Errorf("media: %w", err)
		}
	}
	return &Store{dir: dir}, nil
}

// At returns the folder as it lies there, for reading: nothing is made, and what
// another program is just writing is left alone.
func At(dir string) *Store { return &Store{dir: dir} }

// Put keeps what r gives and returns its hash, in hex, and its size in bytes.
// More than limit bytes are ErrTooLarge. The same content again is no error.
// After an error, be it that of a check, nothing is left behind.
func (s *Store) Put(ctx context.Context, r io.Reader, limit int64, checks ...Check) (hash string, size int64, err error) {
	file, err := os.CreateTemp(s.dir, begun)
	if err != nil {
		return "", 0, fmt.Errorf("media: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // after the rename there is none
	hash, size, err = write(ctx, file, r, limit)
	for _, check := range checks {
		if err == nil {
			err = check(file, size)
		}
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return "", 0, fmt.Errorf("media: %w", err)
	}
	if err := s.name(file.Name(), hash); err != nil {
		return "", 0, fmt.Errorf("media: %w", err)
	}
	return hash, size, nil
}

func write(ctx context.Context, file *os.File, r io.Reader, limit int64) (hash string, size int64, err error) {
	sum := sha256.New()
	size, err = io.Copy(io.MultiWriter(file, sum), io.LimitReader(whileWanted{ctx, r}, limit+1))
	switch {
	case err != nil:
		return "", 0, err
	case size > limit:
		return "", 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	}
	return hex.EncodeToString(sum.Sum(nil)), size, file.Sync()
}

// name gives the written file its name and brings the name to the disk. A blob
// of this name is replaced: it has the same content, unless it was damaged.
func (s *Store) name(written, hash string) error {
	target := s.path(hash)
	shelf := filepath.Dir(target)
	if err := os.Mkdir(shelf, 0o700); err == nil {
		if err := folder.Sync(s.dir); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	s.mu.Lock()
	err := os.Rename(written, target)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return folder.Sync(shelf)
}

// File opens the blob for reading. One that is not kept, or a hash that is
// none, is fs.ErrNotExist.
func (s *Store) File(hash string) (*os.File, error) {
	if !valid(hash) {
		return nil, fmt.Errorf("media: %.80q is no hash: %w", hash, fs.ErrNotExist)
	}
	file, err := os.Open(s.path(hash))
	if err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	return file, nil
}

// Whole is File for a blob of so many bytes. One that was cut is as good as
// none: fs.ErrNotExist.
func (s *Store) Whole(hash string, size int64) (*os.File, error) {
	file, err := s.File(hash)
	if err != nil {
		return nil, err
	}
	is, err := file.Stat()
	if err == nil && is.Size() != size {
		err = fmt.Errorf("media: %d bytes in place of %d: %w", is.Size(), size, fs.ErrNotExist)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Has reports whether the blob is kept.
func (s *Store) Has(hash string) bool {
	if !valid(hash) {
		return false
	}
	_, err := os.Stat(s.path(hash))
	return err == nil
}

// HasWhole reports whether the blob is kept and has so many bytes.
func (s *Store) HasWhole(hash string, size int64) bool {
	if !valid(hash) {
		return false
	}
	file, err := os.Stat(s.path(hash))
	return err == nil && file.Size() == size
}

// Remove deletes the blob. One that is not kept is fs.ErrNotExist.
func (s *Store) Remove(hash string) error {
	if !valid(hash) {
		return fmt.Errorf("media: %.80q is no hash: %w", hash, fs.ErrNotExist)
	}
	if err := os.Remove(s.path(hash)); err != nil {
		return fmt.Errorf("media: %w", err)
	}
	return nil
}

// RemoveOld deletes the blob unless it was put here after the time: then
// somebody may be about to write down that it is used. It reports whether the
// blob is gone.
func (s *Store) RemoveOld(hash string, after time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !valid(hash) {
		return true, nil
	}
	file, err := os.Stat(s.path(hash))
	if err == nil && file.ModTime().After(after) {
		return false, nil
	}
	if err == nil {
		err = os.Remove(s.path(hash))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("media: %w", err)
	}
	return true, nil
}

func (s *Store) path(hash string) string { return filepath.Join(s.dir, hash[:2], hash[2:]) }

// valid keeps everything but our own names away from the file system.
func valid(hash string) bool {
	return len(hash) == 2*sha256.Size && strings.Trim(hash, "0123456789abcdef") == ""
}

// whileWanted reads until the context is done.
type whileWanted struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (w whileWanted) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}
