// Package folder is the one folder in which a Dailies keeps everything: it is
// locked while the program runs, and holds the program's secret.
package folder

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// A Folder is a data folder that this program has for itself.
type Folder struct {
	dir  string
	lock *flock.Flock
}

// Open makes the folder if it is missing, and locks it, so that two programs
// never work on one.
func Open(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if !locked {
		return nil, fmt.Errorf("the data folder %s is in use by another Dailies", dir)
	}
	return &Folder{dir, lock}, nil
}

// Close gives the folder free.
func (f *Folder) Close() error { return f.lock.Unlock() }

// Path is the place of a name in the folder.
func (f *Folder) Path(name string) string { return filepath.Join(f.dir, name) }

// Secret is what keys and cookies are sealed with. It is made at the first
// start and readable by the owner alone.
func (f *Folder) Secret() ([]byte, error) {
	path := f.Path("secret")
	secret, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		secret = []byte(rand.Text() + rand.Text() + "\n")
		err = os.WriteFile(path, secret, 0o600)
	}
	if err == nil && len(secret) < 16 {
		err = fmt.Errorf("%s is cut short; restore it from a backup", path)
	}
	if err != nil {
		return nil, fmt.Errorf("secret: %w", err)
	}
	return secret, nil
}
