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
	"time"
)

// A Blob is a file in the folder. One that is none of ours has no Hash.
type Blob struct {
	Hash string
	Path string // within the folder, with slashes
	Size int64
	At   time.Time // when it was last written
}

// Walk calls see for every file in the folder, in the order of their paths,
// but not for those that are still being written. A folder that is missing is
// empty.
func (s *Store) Walk(see func(Blob) error) error {
	err := fs.WalkDir(os.DirFS(s.dir), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir(), strings.HasPrefix(path, begun):
			return nil
		}
		found, err := entry.Info()
		if err != nil {
			return err
		}
		b := Blob{Path: path, Size: found.Size(), At: found.ModTime()}
		if hash := strings.Replace(path, "/", "", 1); valid(hash) && filepath.ToSlash(s.path(hash)) == filepath.ToSlash(filepath.Join(s.dir, path)) {
			b.Hash = hash
		}
		return see(b)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
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
	file, err := s.File(hash)
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

// Free returns how many bytes the folder's disk still takes, negative if that is
// not known here.
func (s *Store) Free() (int64, error) { return Free(s.dir) }
