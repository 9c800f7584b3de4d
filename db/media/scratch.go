package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

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
