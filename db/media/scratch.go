package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// A Scratch is a file that is only there until it is closed: what somebody
// sends is received into one, before it is known whether it will be kept.
type Scratch struct{ *os.File }

// Scratch reads at most limit bytes of r into a new file in the folder and
// returns it, to be read from its beginning. An error of r is returned as it
// is; one of the file is about the folder's disk.
func (s *Store) Scratch(ctx context.Context, r io.Reader, limit int64) (*Scratch, error) {
	file, err := os.CreateTemp(s.dir, begun)
	if err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	scratch, source := &Scratch{file}, &remembering{r: whileWanted{ctx, r}}
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

// remembering keeps the error of the reader apart from that of whatever is
// written.
type remembering struct {
	r   io.Reader
	err error
}

// Read implements io.Reader.
func (m *remembering) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && err != io.EOF {
		m.err = err
	}
	return n, err
}
