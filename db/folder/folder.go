// Package folder manages the data folder, in which the program keeps everything.
// The folder is locked while the program runs, and contains the program's secret.
// What must survive a power cut or a full disk is written with the functions of
// this package.
package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// A Folder is a data folder that this program has locked.
type Folder struct {
	dir  string
	lock *flock.Flock
}

// Open creates the folder if it is missing, and locks it, so that two programs
// never use the same folder.
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

// At returns the folder without locking it. The caller has locked it, or knows that no
// program uses it.
func At(dir string) *Folder { return &Folder{dir: dir} }

// OpenToServe is like Open, but for a program that serves the data in the folder.
// If a restore into it was interrupted, the error says what to do.
func OpenToServe(dir string) (*Folder, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, err
	}
	err = Restored(dir)
	begun, beginErr := Begun(dir)
	if err = errors.Join(err, beginErr); err == nil {
		for _, work := range begun { // they contain nothing that is still needed
			err = errors.Join(err, os.RemoveAll(work))
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Close unlocks the folder.
func (f *Folder) Close() error { return f.lock.Unlock() }

// Path returns the path of a name in the folder.
func (f *Folder) Path(name string) string { return filepath.Join(f.dir, name) }
