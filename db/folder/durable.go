package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Make creates the folder and its missing parents, and syncs their names to the
// disk. If a power cut lost a folder's name, the files in it would be lost too.
func Make(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	var made []string // the folders that get a new entry
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		made = append(made, filepath.Dir(at))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, at := range made {
		// A folder further up may be unreadable for us.
		if err := Sync(at); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// Write writes a file with the content at the path, readable only by its owner.
// After a full disk, a kill or a power cut there is either the whole file or what
// was there before, never a part of it.
func Write(path string, content []byte) error {
	// The name is always the same, so that the next Write overwrites what a kill
	// left.
	begun := path + ".begun"
	err := writeSynced(begun, content)
	if err == nil {
		err = os.Rename(begun, path)
	}
	if err != nil {
		_ = os.Remove(begun)
		return fmt.Errorf("%s: %w", path, err)
	}
	return Sync(filepath.Dir(path))
}

func writeSynced(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// Touch creates an empty file that only its owner may read, if there is none, and
// syncs its name to the disk.
func Touch(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), Sync(filepath.Dir(path)))
}

// Sync syncs the entries of the folder to the disk: the names of new files, and
// what was renamed or removed.
func Sync(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
