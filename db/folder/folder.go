// Package folder looks after the one folder in which a Dailies keeps everything:
// it is locked while the program runs, and holds the program's secret. Whatever
// must survive a power cut or a full disk is written with the functions here.
package folder

import (
	"errors"
	"fmt"
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
	if err := Make(dir); err != nil {
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

// OpenToServe is Open for a program that serves what is in the folder. A restore
// into it that was interrupted is an error, which says what to do.
func OpenToServe(dir string) (*Folder, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, err
	}
	err = Restored(dir)
	begun, beginErr := Begun(dir)
	if err = errors.Join(err, beginErr); err == nil {
		for _, work := range begun { // nothing is in there any more that matters
			err = errors.Join(err, os.RemoveAll(work))
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Close gives the folder free.
func (f *Folder) Close() error { return f.lock.Unlock() }

// Path returns the place of a name in the folder.
func (f *Folder) Path(name string) string { return filepath.Join(f.dir, name) }
