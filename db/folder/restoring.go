package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

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
