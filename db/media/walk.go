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

// A Blob is a file in the store. One that is none of ours has no Hash.
type Blob struct {
	Hash string
	Path string // within the folder or bucket, with slashes
	Size int64
	At   time.Time // when it was last written
}

// Walk calls see for every file in the store, in the order of their paths, but
// not for those that are still being received.
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

// ErrDamaged says that a blob's content does not have the hash that it is
// named by.
var ErrDamaged = errors.New("the file is damaged")

// Verify reads the whole blob, whose size is size, and is ErrDamaged if it is
// not the content that its name stands for, and fs.ErrNotExist if there is
// none.
func (s *Store) Verify(ctx context.Context, hash string, size int64) error {
	file, err := s.File(ctx, hash)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, whileWanted{ctx, file})
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
