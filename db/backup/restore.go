package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dailies/db"
	"dailies/db/folder"
	"dailies/db/format"
	"dailies/db/media"
	"dailies/db/ordering"
	"dailies/db/signin"
	"dailies/db/store"
)

// Restore makes a house from the backup, and reports on out what to do next. The file may
// be a folder with backups (see WriteInto), of which the newest is taken. The folder must be missing, or empty except for a secret. A
// bucket may contain files; files that a failed restore has added to it stay there. Everything else is
// unpacked and checked in a work folder inside the folder, and finally moved to its
// place, the database last; until then the folder cannot be served. An interrupted
// restore is completed by running it again.
func Restore(ctx context.Context, file string, h Location, out io.Writer) error {
	return restore(ctx, file, h, out, func(string) {})
}

// restore is Restore, but calls reached with the name of each step that is done.
func restore(ctx context.Context, file string, h Location, out io.Writer, reached func(step string)) error {
	dir := h.Dir
	file, err := newest(file)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	from, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer from.Close()
	release := holdFolder(filepath.Dir(file))
	defer release()
	found, err := from.Stat()
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	a, err := ReadArchive(ctx, from, found.Size(), media.At(filepath.Join(filepath.Dir(file), blobs)))
	if err != nil {
		return fmt.Errorf("restore: %s: %w", file, err)
	}
	a.reached, a.bucket = reached, h.Bucket
	fresh := !exists(dir)
	done, err := a.restore(ctx, dir)
	if err != nil {
		if fresh {
			_ = os.Remove(filepath.Join(dir, "lock"))
			_ = os.Remove(dir) // fails if anything else is in it
		}
		return fmt.Errorf("restore: %w", err)
	}
	return a.About.restored(out, dir, done)
}

func (a *Archive) restore(ctx context.Context, dir string) (done journal, err error) {
	mine, err := folder.Open(dir)
	if err != nil {
		return done, err
	}
	defer mine.Close()
	work, done, err := a.resumeInterrupted(dir)
	if err == nil && work == "" {
		work, done, err = a.prepare(ctx, dir)
	}
	if err != nil {
		return done, err
	}
	if err := a.move(work, dir); err != nil {
		return done, err
	}
	return done, folder.Give(dir)
}

// prepare unpacks and checks everything in a new work folder within dir. After an
// error it removes that folder.
func (a *Archive) prepare(ctx context.Context, dir string) (work string, j journal, err error) {
	free, err := media.Free(dir)
	if err != nil {
		return "", j, err
	}
	if need := a.size(a.bucket == nil); free >= 0 && need > free {
		return "", j, fmt.Errorf("it needs %s, and the disk of %s has %s", format.Bytes(need), dir, format.Bytes(free))
	}
	begun, err := os.MkdirTemp(dir, folder.Restoring)
	if err != nil {
		return "", j, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(begun)
		}
	}()
	if err := folder.Sync(dir); err != nil {
		return "", j, err
	}
	a.reached("begun")
	if err := a.unpack(ctx, begun); err != nil {
		return "", j, err
	}
	a.reached("unpacked")
	if j, err = a.finishEarlier(ctx, begun); err != nil {
		return "", j, err
	}
	a.reached("settled")
	if err := j.write(begun); err != nil {
		return "", j, err
	}
	a.reached("written down")
	return begun, j, nil
}

// unpack writes the files of the archive. Media files are stored under their
// hashes, and files that a data folder does not have are only checked.
func (a *Archive) unpack(ctx context.Context, work string) error {
	files, err := a.media(work)
	if err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(work, "sandbox"), 0o700); err != nil {
		return err
	}
	for _, e := range a.entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case e.name == database || e.name == sandbox:
			err = e.write(filepath.Join(work, e.name))
		case e.isBlob():
			err = e.keep(ctx, files)
		default:
			err = e.copy(io.Discard)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// media opens the media store for the time of the restore.
func (a *Archive) media(work string) (*media.Store, error) {
	if a.bucket != nil {
		return media.New(a.bucket, filepath.Join(work, "received"))
	}
	return media.Open(filepath.Join(work, blobs))
}

func (e entry) write(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := e.copy(file); err != nil {
		return err
	}
	return errors.Join(file.Sync(), folder.Sync(filepath.Dir(path)))
}

func (e entry) keep(ctx context.Context, files *media.Store) error {
	content, err := e.open()
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, e.name, err)
	}
	defer content.Close()
	hash, _, err := files.Put(ctx, damaging{content}, e.size, media.Length(e.size))
	switch {
	case errors.Is(err, media.ErrTooLarge), errors.Is(err, media.ErrCut):
		return fmt.Errorf("%w: %s: %w", ErrDamaged, e.name, err)
	case err == nil && hash != e.hash:
		return fmt.Errorf("%w: %s has changed", ErrDamaged, e.name)
	}
	return err
}

// finishEarlier brings the database up to date, checks that it and the files belong
// together, and makes sure that nothing is paid for twice and that access that may
// have been revoked is closed.
func (a *Archive) finishEarlier(ctx context.Context, work string) (j journal, err error) {
	s, err := store.Open(ctx, filepath.Join(work, database))
	if err != nil {
		return j, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	damage, err := s.Damage(ctx)
	if err != nil {
		return j, err
	}
	if len(damage) > 0 {
		return j, fmt.Errorf("%w: its database: %q", ErrDamaged, damage)
	}
	if err := a.checkComplete(ctx, s, Location{Dir: work, Bucket: a.bucket}.media()); err != nil {
		return j, err
	}
	j.Backup = a.id
	if j.Unsure, err = s.Tasks.Resume(ctx, "the backup was made", db.Now()); err != nil {
		return j, err
	}
	j.Closed, err = s.Accounts.CloseAccess(ctx, "a backup", db.Now())
	return j, err
}

// checkComplete returns an error if the database refers to a file that neither was
// restored nor was missing when the backup was made.
func (a *Archive) checkComplete(ctx context.Context, s *store.Store, files *media.Store) error {
	missing := map[string]bool{}
	for _, hash := range a.About.Missing {
		missing[hash] = true
	}
	have := func(hash, what string, id int64) error {
		if here, err := files.Has(ctx, hash); err != nil || here || missing[hash] {
			return err
		}
		return fmt.Errorf("%w: it lacks a file of %s %d", ErrDamaged, what, id)
	}
	err := s.Tasks.EachMade(ctx, func(t db.Task) error {
		for _, m := range t.Media {
			if err := have(m.Hash, "video", t.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.Pictures.EachPicture(ctx, func(p ordering.Picture) error { return have(p.Hash, "picture", p.ID) })
}

// move moves everything to its place, the database last, and then removes the work
// folder. It skips what an earlier attempt has moved.
func (a *Archive) move(work, dir string) error {
	for _, name := range moved {
		err := os.Rename(filepath.Join(work, name), filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		// Each move is synced before the next, so that after a power cut there is
		// no database without its files.
		if err := errors.Join(folder.Sync(work), folder.Sync(dir)); err != nil {
			return err
		}
		a.reached(fmt.Sprintf("moved %s", name))
	}
	if !exists(filepath.Join(dir, database)) {
		return fmt.Errorf("%s has lost its database", work)
	}
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	a.reached("removed")
	return folder.Sync(dir)
}

// A journal is written into the work folder of a restore once everything is
// unpacked and checked, and remains until everything is in its place. With it, an
// interrupted restore can be completed.
type journal struct {
	Backup string        `json:"backup"` // see Archive.id
	Unsure int           `json:"unsure"` // videos that may have been sent after the backup was made
	Closed signin.Closed `json:"closed"`
}

const journalName = "whole.json"

func (j journal) write(work string) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return folder.Write(filepath.Join(work, journalName), text)
}

// readJournal reads the journal in the folder; ok says whether there is one.
func readJournal(work string) (j journal, ok bool) {
	text, err := os.ReadFile(filepath.Join(work, journalName))
	return j, err == nil && json.Unmarshal(text, &j) == nil
}

// moved lists the names that a restore moves to their places, in order.
var moved = []string{blobs, "sandbox", database}

// resumeInterrupted handles what earlier restores into the folder have left. If a
// restore of this backup was interrupted while moving, it returns that restore's
// work folder and journal. Otherwise it removes all leftovers. It returns an error
// if the folder contains anything that no restore has put there.
func (a *Archive) resumeInterrupted(dir string) (work string, j journal, err error) {
	begun, err := folder.Begun(dir)
	if err != nil {
		return "", j, err
	}
	if len(begun) == 1 {
		if j, ok := readJournal(begun[0]); ok && j.Backup == a.id && onlyMoved(dir, begun) {
			return begun[0], j, nil
		}
	}
	if !onlyMoved(dir, begun) || exists(filepath.Join(dir, database)) {
		return "", j, fmt.Errorf("%s is not empty: a restore needs a folder of its own", dir)
	}
	for _, name := range moved { // before the work folders, which show that these belong to a restore
		begun = append([]string{filepath.Join(dir, name)}, begun...)
	}
	for _, path := range begun {
		if err := os.RemoveAll(path); err != nil {
			return "", j, err
		}
	}
	return "", j, nil
}

// onlyMoved reports whether the folder contains nothing but the lock, secrets, the space
// reserve, and what restores have begun or moved to its place.
func onlyMoved(dir string, begun []string) bool {
	found, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	ours := map[string]bool{"lock": true, "secret": true, "home": true, "reserve": true}
	for _, work := range begun {
		ours[filepath.Base(work)] = true
		_, whole := readJournal(work)
		if !whole && !exists(filepath.Join(work, database)) {
			continue // it had not begun to move anything
		}
		for _, name := range moved {
			if !exists(filepath.Join(work, name)) {
				ours[name] = true
				ours[name+"-wal"], ours[name+"-shm"] = true, true // made by readers of the database
			}
		}
	}
	for _, f := range found {
		if !ours[f.Name()] && !strings.HasPrefix(f.Name(), "secret.old-") {
			return false
		}
	}
	return true
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
