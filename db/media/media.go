// Package media stores files, each under the SHA-256 of its content, in a folder or
// in another Backend. A stored file is always complete: content is received into a
// temporary file and checked there before it gets its name.
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

// ErrTooLarge means that a file exceeds the size limit.
var ErrTooLarge = errors.New("the file is too large")

// A Check inspects a received file, of size bytes, before it is stored. If it returns
// an error, the file is not stored.
type Check func(file io.ReaderAt, size int64) error

// A File is a blob that is open for reading, by one goroutine at a time.
type File interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// A Backend holds blobs by their hashes; the Store has checked that these are well
// formed. Its methods return fs.ErrNotExist for a blob that it does not hold, and
// db.ErrUnavailable while it cannot be reached. They may be called concurrently.
type Backend interface {
	// Place stores the finished file at path, of size bytes. If the blob exists
	// already, Place replaces it or leaves it, but its age must then be such that no
	// cleanup deletes it soon.
	Place(ctx context.Context, path, hash string, size int64) error
	// Open opens a blob and returns its size. Reading ends with the context too.
	Open(ctx context.Context, hash string) (File, int64, error)
	Stat(ctx context.Context, hash string) (Blob, error)
	// Remove deletes a blob. The caller must have checked that it exists.
	Remove(ctx context.Context, hash string) error
	// Walk calls see for every file, in the order of their paths. It does not
	// set Hash.
	Walk(ctx context.Context, see func(Blob) error) error
	// Usable returns an error if the backend is known to be unavailable; Ready
	// always tries it.
	Usable(ctx context.Context) error
	Ready(ctx context.Context) error
	// Link returns a URL from which anybody can download the blob for one minute, or
	// "" if the backend has no such links.
	Link(ctx context.Context, hash, name, kind string) (string, error)
	String() string // names the folder or bucket for display
}

// A Store keeps blobs in a Backend. Its methods may be called concurrently.
type Store struct {
	backend Backend
	dir     string // where files are received
	cache   *cache // of pictures; nil if the backend is local
	// IsRemoving reports whether another process is currently removing the blob. It is
	// nil if there is no other process, and must be set before the first Put.
	IsRemoving func(ctx context.Context, hash string) (bool, error)
	// locks are the locks under which blobs are placed and removed, indexed by the
	// first three hex digits of the hash.
	locks [1 << 12]sync.Mutex
}

// removalPause is the interval at which Put checks whether another process has
// finished removing the blob.
const removalPause = 100 * time.Millisecond

// tempPrefix is the prefix of the names of files that are still being received.
const tempPrefix = "begun-"

// Open returns a Store that keeps blobs in the folder: aa/bbbb… for the hash aabbbb….
// It creates the folder if necessary, and removes what an interrupted Put has left
// there. No other process may use the folder.
func Open(dir string) (*Store, error) {
	if err := sweep(dir); err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	return At(dir), nil
}

// At returns a Store that only reads the folder. Unlike Open it changes nothing, so
// another process may be writing to the folder.
func At(dir string) *Store { return &Store{backend: disk(dir), dir: dir} }

// New returns a Store that keeps blobs in the backend. It receives files and caches
// pictures in the folder, which it prepares as Open does.
func New(b Backend, dir string) (*Store, error) {
	err := sweep(dir)
	s := &Store{backend: b, dir: dir}
	if err == nil {
		s.cache, err = openCache(filepath.Join(dir, "pictures"), cacheBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	return s, nil
}

// In returns a Store that only reads the backend.
func In(b Backend) *Store { return &Store{backend: b} }

// sweep creates the folder if necessary, and removes what an interrupted Put has left
// there.
func sweep(dir string) error {
	if err := folder.Make(dir); err != nil {
		return err
	}
	left, err := folder.StartingWith(dir, tempPrefix)
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// File opens the blob for reading until the context is done. It returns
// fs.ErrNotExist for an unknown blob and for an invalid hash.
func (s *Store) File(ctx context.Context, hash string) (File, error) {
	file, _, err := s.open(ctx, hash)
	return file, err
}

func (s *Store) open(ctx context.Context, hash string) (File, int64, error) {
	if !valid(hash) {
		return nil, 0, noHash(hash)
	}
	file, size, err := s.backend.Open(ctx, hash)
	if err != nil {
		return nil, 0, fmt.Errorf("media: %w", err)
	}
	return file, size, nil
}

// Whole is like File, but also returns fs.ErrNotExist if the blob does not have the
// size, for example because it was truncated.
func (s *Store) Whole(ctx context.Context, hash string, size int64) (File, error) {
	file, is, err := s.open(ctx, hash)
	if err == nil && is != size {
		err = errors.Join(fmt.Errorf("media: %d bytes in place of %d: %w", is, size, fs.ErrNotExist), file.Close())
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

// Picture is like Whole, for small files that are requested often: if the backend is
// remote, a local copy is cached.
func (s *Store) Picture(ctx context.Context, hash string, size int64) (File, error) {
	if s.cache == nil || !valid(hash) {
		return s.Whole(ctx, hash, size)
	}
	if file := s.cache.open(hash, size); file != nil {
		return file, nil
	}
	file, err := s.Whole(ctx, hash, size)
	if err != nil {
		return nil, err
	}
	if copied := s.cache.add(ctx, hash, size, file); copied != nil {
		_ = file.Close() // everything was read
		return copied, nil
	}
	_, err = file.Seek(0, io.SeekStart)
	return file, err
}

// Has reports whether the blob is stored.
func (s *Store) Has(ctx context.Context, hash string) (bool, error) {
	_, err := s.stat(ctx, hash)
	return exists(err)
}

// HasWhole reports whether the blob is stored and has the size.
func (s *Store) HasWhole(ctx context.Context, hash string, size int64) (bool, error) {
	b, err := s.stat(ctx, hash)
	has, err := exists(err)
	return has && b.Size == size, err
}

// Size returns the blob's size in bytes, or fs.ErrNotExist.
func (s *Store) Size(ctx context.Context, hash string) (int64, error) {
	b, err := s.stat(ctx, hash)
	return b.Size, err
}

func exists(err error) (bool, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (s *Store) stat(ctx context.Context, hash string) (Blob, error) {
	if !valid(hash) {
		return Blob{}, noHash(hash)
	}
	b, err := s.backend.Stat(ctx, hash)
	if err != nil {
		return Blob{}, fmt.Errorf("media: %w", err)
	}
	return b, nil
}

// Remove deletes the blob. It returns fs.ErrNotExist if there is none.
func (s *Store) Remove(ctx context.Context, hash string) error {
	if !valid(hash) {
		return noHash(hash)
	}
	defer s.lock(hash)()
	if _, err := s.stat(ctx, hash); err != nil {
		return err
	}
	return s.remove(ctx, hash)
}

func (s *Store) remove(ctx context.Context, hash string) error {
	if s.cache != nil {
		s.cache.drop(hash)
	}
	if err := s.backend.Remove(ctx, hash); err != nil {
		return fmt.Errorf("media: %w", err)
	}
	return nil
}

// RemoveOld deletes the blob unless it was last put after the time: the caller of
// that Put may be about to store a reference to the blob. RemoveOld reports whether
// the blob is gone.
func (s *Store) RemoveOld(ctx context.Context, hash string, after time.Time) (bool, error) {
	if !valid(hash) {
		return true, nil
	}
	defer s.lock(hash)()
	b, err := s.stat(ctx, hash)
	if err == nil && b.At.After(after) {
		return false, nil
	}
	if err == nil {
		err = s.remove(ctx, hash)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, nil
}

// Link returns a URL from which anybody can download the blob for one minute, under the
// name and with the MIME type. It returns "" if the backend has no such links, so that
// the caller has to send the file itself.
func (s *Store) Link(ctx context.Context, hash, name, kind string) (string, error) {
	if !valid(hash) {
		return "", noHash(hash)
	}
	return s.backend.Link(ctx, hash, name, kind)
}

// Ready returns an error if blobs cannot be stored and read at the moment.
func (s *Store) Ready(ctx context.Context) error { return s.backend.Ready(ctx) }

// Free returns how many bytes are free on the disk on which files are received. The
// number is negative if it is not known on this system.
func (s *Store) Free() (int64, error) { return Free(s.dir) }

// Where returns the location of the file at the path for display.
func (s *Store) Where(path string) string { return s.backend.String() + "/" + path }

// Path returns the path of the blob in its folder or bucket, such as aa/bbbb….
func Path(hash string) string {
	if len(hash) < 2 {
		return hash
	}
	return hash[:2] + "/" + hash[2:]
}

// valid reports whether the hash is a SHA-256 in lower-case hex. Nothing else reaches
// the backend.
func valid(hash string) bool {
	return len(hash) == 2*sha256.Size && strings.Trim(hash, "0123456789abcdef") == ""
}

func noHash(hash string) error {
	return fmt.Errorf("media: %.80q is no hash: %w", hash, fs.ErrNotExist)
}

// A Blob is a file in the store. Hash is empty for a file that Put did not write.
type Blob struct {
	Hash string
	Path string // within the folder or bucket, with slashes
	Size int64
	At   time.Time // of the last write
}

// Walk calls see for every file in the store, in the order of their paths. It skips
// files that are still being received.
func (s *Store) Walk(ctx context.Context, see func(Blob) error) error {
	err := s.backend.Walk(ctx, func(b Blob) error {
		if hash := strings.Replace(b.Path, "/", "", 1); valid(hash) && Path(hash) == b.Path {
			b.Hash = hash
		}
		return see(b)
	})
	if err != nil {
		return fmt.Errorf("media: %w", err)
	}
	return nil
}

// ErrDamaged means that a blob's content does not match the hash in its name.
var ErrDamaged = errors.New("the file is damaged")

// Verify reads the whole blob. It returns ErrDamaged if the content does not match
// the size and the hash, and fs.ErrNotExist if there is no such blob.
func (s *Store) Verify(ctx context.Context, hash string, size int64) error {
	file, err := s.File(ctx, hash)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, contextReader{ctx, file})
	switch {
	case err != nil:
		return fmt.Errorf("media: %w", err)
	case n != size:
		return fmt.Errorf("media: %w: it has %d bytes instead of %d", ErrDamaged, n, size)
	case hex.EncodeToString(sum.Sum(nil)) != hash:
		return fmt.Errorf("media: %w: its content has changed", ErrDamaged)
	}
	return nil
}
