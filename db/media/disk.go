package media

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dailies/db/folder"
)

// A disk is a Backend that keeps its blobs in a folder.
type disk string

// Place moves the file, which must be on the same file system, and syncs the folder.
// It replaces an existing blob: that has the same content, unless it is damaged.
func (d disk) Place(_ context.Context, path, hash string, _ int64) error {
	target := d.path(hash)
	shelf := filepath.Dir(target)
	if err := os.Mkdir(shelf, 0o700); err == nil {
		if err := folder.Sync(string(d)); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := os.Rename(path, target); err != nil {
		return err
	}
	return folder.Sync(shelf)
}

// Open implements Backend.
func (d disk) Open(_ context.Context, hash string) (File, int64, error) {
	file, err := os.Open(d.path(hash))
	if err != nil {
		return nil, 0, err
	}
	is, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, is.Size(), nil
}

// Stat implements Backend.
func (d disk) Stat(_ context.Context, hash string) (Blob, error) {
	is, err := os.Stat(d.path(hash))
	if err != nil {
		return Blob{}, err
	}
	return Blob{Hash: hash, Path: Path(hash), Size: is.Size(), At: is.ModTime()}, nil
}

// Remove implements Backend.
func (d disk) Remove(_ context.Context, hash string) error { return os.Remove(d.path(hash)) }

// Walk implements Backend. It skips files that are still being received. A missing
// folder counts as empty.
func (d disk) Walk(ctx context.Context, see func(Blob) error) error {
	err := fs.WalkDir(os.DirFS(string(d)), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir(), strings.HasPrefix(path, tempPrefix):
			return ctx.Err()
		}
		is, err := entry.Info()
		if err != nil {
			return err
		}
		return see(Blob{Path: path, Size: is.Size(), At: is.ModTime()})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Usable implements Backend.
func (disk) Usable(context.Context) error { return nil }

// Ready implements Backend.
func (d disk) Ready(context.Context) error { return folder.Writable(string(d)) }

// Link implements Backend.
func (disk) Link(context.Context, string, string, string) (string, error) { return "", nil }

// String implements Backend.
func (d disk) String() string { return filepath.Base(string(d)) }

func (d disk) path(hash string) string { return filepath.Join(string(d), hash[:2], hash[2:]) }
