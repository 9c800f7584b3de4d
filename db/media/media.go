// Package media keeps files, each under the SHA-256 of its content, in a folder
// or wherever else a Backend puts them. What stands under a name is always
// whole: it is received and checked in a file of its own, and only then named.
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
	"strconv"
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

// A File is a blob that is open for reading, by one goroutine at a time.
type File interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// A Backend holds blobs by their hashes, which the Store has checked. One that
// it does not hold is fs.ErrNotExist. While it cannot be reached, its errors are
// db.ErrUnavailable. Its methods may be called from many goroutines.
type Backend interface {
	// Place keeps the finished file at path, of so many bytes. One that is there
	// already is replaced, or counts as just written.
	Place(ctx context.Context, path, hash string, size int64) error
	// Open opens a blob and returns its size. The context bounds reading too.
	Open(ctx context.Context, hash string) (File, int64, error)
	Stat(ctx context.Context, hash string) (Blob, error)
	Remove(ctx context.Context, hash string) error // of one that is there
	// Walk calls see for every file, in the order of their paths. It does not
	// set Hash.
	Walk(ctx context.Context, see func(Blob) error) error
	// Usable returns an error if it is known that nothing can be placed now;
	// Ready finds that out.
	Usable(ctx context.Context) error
	Ready(ctx context.Context) error
	// Link returns an address at which whoever knows it can save the blob for a
	// minute; empty where blobs have none.
	Link(ctx context.Context, hash, name, kind string) (string, error)
	String() string // names the place, for people
}

// A Store keeps blobs in a Backend. Its methods may be called from many
// goroutines.
type Store struct {
	backend Backend
	dir     string // where files are received
	cache   *cache // of pictures; nil where reading them is as quick without
	// IsRemoving reports whether another process is just removing the blob. It is nil
	// where none can, and set before anything is put.
	IsRemoving func(ctx context.Context, hash string) (bool, error)
	// moving has the lock that is held while a blob gets its name or loses it,
	// by the first three digits of its hash.
	moving [1 << 12]sync.Mutex
}

// removalPause is the time between two looks whether a removal has ended.
const removalPause = 100 * time.Millisecond

// begun is how the names of files begin that are still being received.
const begun = "begun-"

// Open returns the Store that keeps blobs in the folder: aa/bbbb… for the hash
// aabbbb…. It makes the folder if there is none, and removes what an interrupted
// Put has left. One program owns the folder.
func Open(dir string) (*Store, error) {
	if err := sweep(dir); err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	return At(dir), nil
}

// At returns the folder as it lies there, for reading: nothing is made, and what
// another program is just writing is left alone.
func At(dir string) *Store { return &Store{backend: disk(dir), dir: dir} }

// New returns the Store that keeps blobs in the backend. Files are received in
// the folder, which is as Open has it, and pictures are cached there.
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

// In is At for a backend.
func In(b Backend) *Store { return &Store{backend: b} }

// sweep makes the folder, or removes what an interrupted Put has left there.
func sweep(dir string) error {
	if err := folder.Make(dir); err != nil {
		return err
	}
	left, err := folder.StartingWith(dir, begun)
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// Put keeps what r gives and returns its hash, in hex, and its size in bytes.
// More than limit bytes are ErrTooLarge. The same content again is no error.
// After an error, be it that of a check, nothing is left behind.
func (s *Store) Put(ctx context.Context, r io.Reader, limit int64, checks ...Check) (hash string, size int64, err error) {
	if err := s.backend.Usable(ctx); err != nil {
		return "", 0, fmt.Errorf("media: %w", err)
	}
	file, err := os.CreateTemp(s.dir, begun)
	if err != nil {
		return "", 0, fmt.Errorf("media: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // after a rename there is none
	hash, size, err = write(ctx, file, r, limit)
	for _, check := range checks {
		if err == nil {
			err = check(file, size)
		}
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return "", 0, fmt.Errorf("media: %w", err)
	}
	defer s.hold(hash)()
	for again := true; again; {
		if err = s.backend.Place(ctx, file.Name(), hash, size); err == nil {
			again, err = s.waitRemoval(ctx, hash)
		}
		if err != nil {
			return "", 0, fmt.Errorf("media: %w", err)
		}
	}
	return hash, size, nil
}

// waitRemoval waits until no other process is removing the blob, which has just been
// placed. It reports whether one was, so that the blob has to be placed again. A
// removal that begins later finds a blob that is young, and spares it.
func (s *Store) waitRemoval(ctx context.Context, hash string) (was bool, err error) {
	for s.IsRemoving != nil {
		is, err := s.IsRemoving(ctx, hash)
		if err != nil || !is {
			return was, err
		}
		was = true
		select {
		case <-ctx.Done():
			return was, ctx.Err()
		case <-time.After(removalPause):
		}
	}
	return was, nil
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

// hold locks what gives the blob its name or takes it away.
func (s *Store) hold(hash string) (release func()) {
	n, _ := strconv.ParseUint(hash[:3], 16, 12) // a hash is valid
	s.moving[n].Lock()
	return s.moving[n].Unlock
}

// File opens the blob for reading while the context lasts. One that is not kept,
// or a hash that is none, is fs.ErrNotExist.
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

// Whole is File for a blob of so many bytes. One that was cut is as good as
// none: fs.ErrNotExist.
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

// Picture is Whole for a file that is small and often asked for: of what is far
// away, a copy is kept here for a while.
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
		return copied, file.Close()
	}
	_, err = file.Seek(0, io.SeekStart)
	return file, err
}

// Has reports whether the blob is kept.
func (s *Store) Has(ctx context.Context, hash string) (bool, error) {
	_, err := s.stat(ctx, hash)
	return here(err)
}

// HasWhole reports whether the blob is kept and has so many bytes.
func (s *Store) HasWhole(ctx context.Context, hash string, size int64) (bool, error) {
	b, err := s.stat(ctx, hash)
	has, err := here(err)
	return has && b.Size == size, err
}

func here(err error) (bool, error) {
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

// Remove deletes the blob. One that is not kept is fs.ErrNotExist.
func (s *Store) Remove(ctx context.Context, hash string) error {
	if !valid(hash) {
		return noHash(hash)
	}
	defer s.hold(hash)()
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

// RemoveOld deletes the blob unless it was put here after the time: then
// somebody may be about to write down that it is used. It reports whether the
// blob is gone.
func (s *Store) RemoveOld(ctx context.Context, hash string, after time.Time) (bool, error) {
	if !valid(hash) {
		return true, nil
	}
	defer s.hold(hash)()
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

// Link returns an address at which whoever knows it can save the blob under the
// name, as a file of the MIME type, for a minute; empty where there is none and
// the file itself has to be sent.
func (s *Store) Link(ctx context.Context, hash, name, kind string) (string, error) {
	if !valid(hash) {
		return "", noHash(hash)
	}
	return s.backend.Link(ctx, hash, name, kind)
}

// Ready returns an error unless blobs can be kept and read at this moment.
func (s *Store) Ready(ctx context.Context) error { return s.backend.Ready(ctx) }

// Free returns how many bytes the disk on which files are received still takes,
// negative if that is not known here.
func (s *Store) Free() (int64, error) { return Free(s.dir) }

// Where names the file at the path, for people.
func (s *Store) Where(path string) string { return s.backend.String() + "/" + path }

// Path returns the name of the blob in its folder or bucket, with a slash.
func Path(hash string) string {
	if len(hash) < 2 {
		return hash
	}
	return hash[:2] + "/" + hash[2:]
}

// valid keeps everything but our own names away from the backend.
func valid(hash string) bool {
	return len(hash) == 2*sha256.Size && strings.Trim(hash, "0123456789abcdef") == ""
}

func noHash(hash string) error {
	return fmt.Errorf("media: %.80q is no hash: %w", hash, fs.ErrNotExist)
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
