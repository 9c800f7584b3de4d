package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

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
