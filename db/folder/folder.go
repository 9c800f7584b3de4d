// Package folder manages the data folder, in which the program keeps everything.
// The folder is locked while the program runs, and contains the program's secret.
// What must survive a power cut or a full disk is written with the functions of
// this package.
package folder

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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

// Home identifies the folder, so that a process that starts in it can tell which one
// worked in it before. The id is the same at each start. The lock is the same as long as
// the operating system runs and the lock file stays in its place; it differs for a copy
// of the folder. It is empty if the system does not tell.
func (f *Folder) Home() (id, lock string, err error) {
	path := f.Path("home")
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	id = strings.TrimSpace(string(text))
	if !isHome(id) { // it is new, or a power cut has emptied it
		id = rand.Text()
		if err := Write(path, []byte(id+"\n")); err != nil {
			return "", "", err
		}
	}
	return id, lockID(f.Path("lock")), nil
}

// isHome reports whether the text may be the id of a folder: some letters and digits.
func isHome(id string) bool {
	return len(id) >= 20 && len(id) <= 64 && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// Boot identifies the present run of the operating system: what was written to a file in
// it, even without a sync, is there. It is empty if the system does not tell; Linux does.
func Boot() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// Restoring begins the name of the folder, within a data folder, into which a
// backup is restored. At the end everything is moved from there to its place, the
// database last.
const Restoring = "restoring-"

// Restored returns an error that says what to do if a restore into the folder is
// under way or was interrupted: its contents are then incomplete and must not be
// used.
func Restored(dir string) error {
	begun, err := Begun(dir)
	if err != nil {
		return err
	}
	for _, work := range begun {
		_, here := os.Stat(filepath.Join(dir, "dailies.db"))
		_, there := os.Stat(filepath.Join(work, "dailies.db"))
		switch {
		case here == nil && errors.Is(there, fs.ErrNotExist):
			// The database is in its place, so only the leftovers must be removed.
		case here == nil:
			return fmt.Errorf("%s holds a database and, in %s, the rest of a restore that was interrupted: "+
				"to go on with the database, remove %s; to have the backup, run \"dailies restore FILE -data NEW\" with a new folder",
				dir, filepath.Base(work), work)
		default:
			return fmt.Errorf("a restore into %s is under way or was interrupted: "+
				"wait for its end, or run \"dailies restore FILE -data %s\" again, which finishes it", dir, dir)
		}
	}
	return nil
}

// Begun returns the work folders of restores into the folder.
func Begun(dir string) ([]string, error) { return StartingWith(dir, Restoring) }

// StartingWith returns the paths of everything in the folder whose name begins with
// prefix. It returns none if the folder does not exist.
func StartingWith(dir, prefix string) (paths []string, err error) {
	found, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, f := range found {
		if strings.HasPrefix(f.Name(), prefix) {
			paths = append(paths, filepath.Join(dir, f.Name()))
		}
	}
	return paths, nil
}

// probeSize is how many bytes Writable writes: more than file systems store inside
// a file's metadata.
const probeSize = 16 << 10

// Writable returns an error unless a small file can be written and synced in the
// folder. It leaves nothing behind, and must not be called twice at once for the
// same folder.
func Writable(dir string) error {
	probe := filepath.Join(dir, "begun-probe") // the media folder removes files named so, in case a kill leaves it
	err := writeSynced(probe, make([]byte, probeSize))
	_ = os.Remove(probe)
	if err != nil {
		return fmt.Errorf("cannot write to %s: %w", dir, err)
	}
	return nil
}
