package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

// Put stores the content of r and returns its hash, in hex, and its size in bytes. It
// returns ErrTooLarge if r has more than limit bytes. Content that is stored already
// is no error. After an error, including one of a check, nothing is left behind.
func (s *Store) Put(ctx context.Context, r io.Reader, limit int64, checks ...Check) (hash string, size int64, err error) {
	stored, err := s.PutChanged(ctx, r, limit, nil, checks...)
	return stored.Hash, stored.Size, err
}

// A Change returns what is stored in place of a received file with the hash, of size bytes,
// or nil if the file itself is to be stored.
type Change func(file io.ReaderAt, size int64, hash string) (io.WriterTo, error)

// A Stored describes what PutChanged has stored.
type Stored struct {
	Hash   string // SHA-256 of the content, in hex
	Size   int64
	Served string // Hash of the content that was received, if it was changed; else empty
}

// PutChanged is like Put, but stores what change makes of the content, after all checks. A
// nil change makes nothing of it. The limit is that of what is received.
func (s *Store) PutChanged(ctx context.Context, r io.Reader, limit int64, change Change, checks ...Check) (stored Stored, err error) {
	if err := s.backend.Usable(ctx); err != nil {
		return Stored{}, fmt.Errorf("media: %w", err)
	}
	file, err := os.CreateTemp(s.dir, tempPrefix)
	if err != nil {
		return Stored{}, fmt.Errorf("media: %w", err)
	}
	name := file.Name()
	defer func() { _ = os.Remove(name) }() // does nothing after a rename
	stored.Hash, stored.Size, err = write(ctx, file, r, limit)
	for _, check := range checks {
		if err == nil {
			err = check(file, stored.Size)
		}
	}
	if err == nil && change != nil {
		var changed string
		if changed, err = s.change(ctx, file, &stored, change); changed != "" {
			_ = os.Remove(name) // if that fails, the next start does it
			name = changed
		}
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return Stored{}, fmt.Errorf("media: %w", err)
	}
	if err := s.place(ctx, name, stored.Hash, stored.Size); err != nil {
		return Stored{}, fmt.Errorf("media: %w", err)
	}
	return stored, nil
}

// change writes what is stored in place of the received file into a file of its own, and
// returns the path of that, or "" if the received file stays.
func (s *Store) change(ctx context.Context, file io.ReaderAt, stored *Stored, change Change) (name string, err error) {
	content, err := change(file, stored.Size, stored.Hash)
	if err != nil || content == nil {
		return "", err
	}
	next, err := os.CreateTemp(s.dir, tempPrefix)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	size, err := content.WriteTo(contextWriter{ctx, io.MultiWriter(next, sum)})
	if err == nil {
		err = next.Sync()
	}
	if err := errors.Join(err, next.Close()); err != nil {
		return "", errors.Join(err, os.Remove(next.Name()))
	}
	stored.Served, stored.Hash, stored.Size = stored.Hash, hex.EncodeToString(sum.Sum(nil)), size
	return next.Name(), nil
}

// place gives the finished file to the backend.
func (s *Store) place(ctx context.Context, path, hash string, size int64) error {
	defer s.lock(hash)()
	for {
		if err := s.backend.Place(ctx, path, hash, size); err != nil {
			return err
		}
		if again, err := s.waitRemoval(ctx, hash); err != nil || !again {
			return err
		}
	}
}

// waitRemoval waits until no other process is removing the blob, which has just been
// placed. It reports whether it had to wait, in which case the blob must be placed
// again. A removal that begins later leaves the blob alone because it is recent.
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
	size, err = io.Copy(io.MultiWriter(file, sum), io.LimitReader(contextReader{ctx, r}, limit+1))
	switch {
	case err != nil:
		return "", 0, err
	case size > limit:
		return "", 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	}
	return hex.EncodeToString(sum.Sum(nil)), size, file.Sync()
}

// lock acquires the lock under which the blob is placed and removed.
func (s *Store) lock(hash string) (release func()) {
	n, _ := strconv.ParseUint(hash[:3], 16, 12) // cannot fail: the hash is valid
	s.locks[n].Lock()
	return s.locks[n].Unlock
}

// contextWriter is a writer that fails once the context is done.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

// Write implements io.Writer.
func (w contextWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(p)
}

// contextReader is a reader that fails once the context is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (w contextReader) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}

// A Scratch is a temporary file that Close deletes. Uploads are received into one
// until it is known whether they will be kept.
type Scratch struct{ *os.File }

// Scratch copies at most limit bytes from r into a new file, and returns the file
// positioned at its beginning. It returns an error of r unwrapped; any other error
// concerns the folder's disk.
func (s *Store) Scratch(ctx context.Context, r io.Reader, limit int64) (*Scratch, error) {
	file, err := os.CreateTemp(s.dir, tempPrefix)
	if err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	scratch, source := &Scratch{file}, &errorKeeper{r: contextReader{ctx, r}}
	_, err = io.Copy(file, io.LimitReader(source, limit))
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	switch {
	case source.err != nil:
		return nil, errors.Join(source.err, scratch.Close())
	case err != nil:
		return nil, fmt.Errorf("media: %w", errors.Join(err, scratch.Close()))
	}
	return scratch, nil
}

// Close removes the file.
func (s *Scratch) Close() error { return errors.Join(s.File.Close(), os.Remove(s.Name())) }

// errorKeeper wraps a reader and keeps its error, so that read errors can be
// distinguished from write errors after io.Copy.
type errorKeeper struct {
	r   io.Reader
	err error
}

// Read implements io.Reader.
func (m *errorKeeper) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && err != io.EOF {
		m.err = err
	}
	return n, err
}
