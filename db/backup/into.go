package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"dailies/db/folder"
	"dailies/db/format"
	"dailies/db/media"
)

// ErrBusy says that another process is making a backup in the folder, or restoring one
// from it.
var ErrBusy = errors.New("another process is using this folder of backups")

// dated matches the names of the backups in a folder. Sorted, the oldest is the first.
var dated = regexp.MustCompile(`^dailies-[0-9]{8}T[0-9]{6}Z\.zip$`)

// datedLayout is the layout of these names, in UTC.
const datedLayout = "dailies-20060102T150405Z.zip"

// WriteInto adds a backup of the house to the folder dir, which is made if needed, and
// reports on out:
//
//	dailies-20261124T130000Z.zip   everything but the media files, as it was at that time
//	media/                         the media files of all backups, by their hashes
//
// Only media files that are not there yet are copied. Of more than keep backups, the
// oldest are removed, and then the media files that no other needs; 0 keeps all. Nothing
// is removed if a media file is missing in the data folder, or if one of the remaining
// backups cannot be read. Like Write, WriteInto may return ErrIncomplete.
func WriteInto(ctx context.Context, h Location, dir string, keep int, out io.Writer) error {
	if err := folder.Restored(h.Dir); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if err := folder.Make(dir); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	lock := lockOf(dir)
	wait, stop := context.WithTimeout(ctx, lockPatience)
	defer stop()
	if free, err := lock.TryLockContext(wait, lockEvery); err != nil || !free {
		return fmt.Errorf("backup: %s: %w", dir, errors.Join(ErrBusy, ctx.Err()))
	}
	defer lock.Unlock()
	file := nextFile(dir, time.Now())
	beside, err := media.Open(filepath.Join(dir, blobs))
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	about, err := writeFile(ctx, h, file, beside, out)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	fmt.Fprintf(out, "%s copied to %s.\n", format.Plural(about.New, "%s new file", "%s new files"), filepath.Join(dir, blobs))
	if err := about.report(out, file, h.media()); err != nil || keep == 0 {
		return err
	}
	removed, files, err := forget(ctx, dir, keep)
	if err != nil {
		return fmt.Errorf("backup: %s is made, but older ones are kept: %w", file, err)
	}
	if removed > 0 {
		fmt.Fprintf(out, "\n%s removed, with %s that no other needs.\n",
			format.Plural(removed, "%s old backup", "%s old backups"), format.Plural(files, "%s file", "%s files"))
	}
	return nil
}

const (
	// lockPatience is how long a backup waits for another one in the same folder.
	lockPatience = time.Minute
	lockEvery    = 50 * time.Millisecond
)

// nextFile returns the name of a backup that is made now. If one was made in the same second,
// it is named after the next second that is free, so that names stay in the order of time.
func nextFile(dir string, now time.Time) string {
	for at := now.UTC(); ; at = at.Add(time.Second) {
		if file := filepath.Join(dir, at.Format(datedLayout)); !exists(file) {
			return file
		}
	}
}

// forget removes all but the newest backups of the folder, and the media files that those
// do not need. It returns how many of both it has removed.
func forget(ctx context.Context, dir string, keep int) (removed, files int, err error) {
	found, err := backupsIn(dir)
	if err != nil || len(found) <= keep {
		return 0, 0, err
	}
	old, kept := found[:len(found)-keep], found[len(found)-keep:]
	beside := media.At(filepath.Join(dir, blobs))
	needed := map[string]bool{}
	for _, name := range kept {
		if err := need(ctx, filepath.Join(dir, name), beside, needed); err != nil {
			return 0, 0, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range old {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return removed, 0, err
		}
		removed++
	}
	// After a power cut, there is no backup without its files.
	if err := folder.Sync(dir); err != nil {
		return removed, 0, err
	}
	files, err = removeOthers(ctx, beside, needed)
	return removed, files, err
}

// backupsIn returns the names of the backups in the folder, the oldest first.
func backupsIn(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		if dated.MatchString(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names, err
}

// need adds the hashes of the media files that the backup needs.
func need(ctx context.Context, file string, beside *media.Store, needed map[string]bool) error {
	from, err := os.Open(file)
	if err != nil {
		return err
	}
	defer from.Close()
	found, err := from.Stat()
	if err != nil {
		return err
	}
	a, err := ReadArchive(ctx, from, found.Size(), beside)
	if err != nil {
		return err
	}
	for _, e := range a.entries {
		if e.isBlob() {
			needed[e.hash] = true
		}
	}
	return nil
}

// removeOthers removes the files that are not needed, and returns how many they were.
func removeOthers(ctx context.Context, files *media.Store, needed map[string]bool) (removed int, err error) {
	var others []string
	err = files.Walk(ctx, func(b media.Blob) error {
		if b.Hash != "" && !needed[b.Hash] {
			others = append(others, b.Hash)
		}
		return ctx.Err()
	})
	for _, hash := range others {
		if err == nil {
			err = files.Remove(ctx, hash)
		}
		if err == nil {
			removed++
		}
	}
	return removed, err
}

// newest returns the path of the newest backup if file is a folder, and else file.
func newest(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil || !info.IsDir() {
		return file, err
	}
	names, err := backupsIn(file)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("there is no backup in %s", file)
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(file, names[len(names)-1]), nil
}

func lockOf(dir string) *flock.Flock {
	return flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
}

// holdFolder keeps backups in the folder from being removed until release is called, if
// it is a folder of WriteInto and can be locked: it may be on a medium that cannot be
// written to.
func holdFolder(dir string) (release func()) {
	lock := lockOf(dir)
	if !exists(lock.Path()) {
		return func() {}
	}
	_, _ = lock.TryRLock()
	return func() { _ = lock.Unlock() }
}
