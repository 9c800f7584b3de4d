package backup

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"dailies/db/folder"
)

const (
	// working begins the name of the work folder in which a backup is made.
	working = ".dailies-backup-"

	// abandoned is how long a work folder without a lock, from an older version,
	// must have been unchanged before it counts as a leftover.
	abandoned = time.Hour
)

// makeWork makes a work folder beside the file, so that the finished archive can be
// renamed to it. It also removes leftovers of killed backups there, which are as
// confidential as the data folder. The folder is locked until done is called, which
// removes it.
func makeWork(beside string) (work string, done func(), err error) {
	if err := sweepWork(filepath.Dir(beside)); err != nil {
		return "", nil, err
	}
	if work, err = os.MkdirTemp(filepath.Dir(beside), working); err != nil {
		return "", nil, err
	}
	lock := flock.New(filepath.Join(work, "lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLock(); err != nil {
		_ = os.RemoveAll(work)
		return "", nil, err
	}
	return work, func() {
		_ = os.RemoveAll(work)
		_ = lock.Unlock()
	}, nil
}

// sweepWork removes what killed backups have left in the folder.
func sweepWork(dir string) error {
	found, err := folder.StartingWith(dir, working)
	if err != nil {
		return err
	}
	for _, work := range found {
		if isAbandoned(work) {
			// It may belong to another user, which is no reason to fail.
			_ = os.RemoveAll(work)
		}
	}
	return nil
}

// isAbandoned reports whether no process uses the work folder any more.
func isAbandoned(work string) bool {
	path := filepath.Join(work, "lock")
	if !exists(path) {
		return time.Since(lastWritten(work)) > abandoned
	}
	lock := flock.New(path)
	free, err := lock.TryLock()
	if err != nil || !free {
		return false
	}
	_ = lock.Unlock()
	return true
}

// lastWritten returns when something in the folder was last written, or now if that
// is unknown.
func lastWritten(work string) (at time.Time) {
	err := filepath.WalkDir(work, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.ModTime().After(at) {
			at = info.ModTime()
		}
		return err
	})
	if err != nil {
		return time.Now()
	}
	return at
}
