package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"dailies/db"
	"dailies/db/folder"
	"dailies/db/media"
	"dailies/db/sqlite"
)

// half begins the name of the folder in which a restore is under way.
const half = "restoring-"

// Restore makes a data folder of the backup, and says on out what there is now.
// The folder must be empty or missing. Everything is written and checked in a
// folder within it, and moved to its place in the end, the database last: until
// then there is no Dailies in the folder.
func Restore(ctx context.Context, file, dir string, out io.Writer) error {
	from, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer from.Close()
	found, err := from.Stat()
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	a, err := ReadArchive(from, found.Size())
	if err != nil {
		return fmt.Errorf("restore: %s: %w", file, err)
	}
	_, err = os.Stat(dir)
	fresh := errors.Is(err, os.ErrNotExist)
	unsure, err := a.restore(ctx, dir)
	if err != nil {
		if fresh {
			_ = os.Remove(filepath.Join(dir, "lock"))
			_ = os.Remove(dir) // only if nothing else is in it
		}
		return fmt.Errorf("restore: %w", err)
	}
	return a.About.restored(out, dir, unsure)
}

func (a *Archive) restore(ctx context.Context, dir string) (unsure int, err error) {
	mine, err := folder.Open(dir)
	if err != nil {
		return 0, err
	}
	defer mine.Close()
	if err := sweep(dir); err != nil {
		return 0, err
	}
	free, err := media.Free(dir)
	if err != nil {
		return 0, err
	}
	if need := a.size(); free >= 0 && need > free {
		return 0, fmt.Errorf("it needs %s, and the disk of %s has %s", size(need), dir, size(free))
	}
	work, err := os.MkdirTemp(dir, half)
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := a.unpack(ctx, work); err != nil {
		return 0, err
	}
	if unsure, err = a.settle(ctx, work); err != nil {
		return 0, err
	}
	return unsure, move(work, dir)
}

// sweep makes sure that the folder is empty but for the lock. What a restore
// that was cut off has left is removed.
func sweep(dir string) error {
	found, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.Name() != "lock" && !strings.HasPrefix(f.Name(), half) {
			return fmt.Errorf("%s is not empty: a restore needs a folder of its own", dir)
		}
	}
	for _, f := range found {
		if f.Name() != "lock" {
			if err := os.RemoveAll(filepath.Join(dir, f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// unpack writes the entries that a data folder consists of. Videos go where
// their hash says.
func (a *Archive) unpack(ctx context.Context, work string) error {
	files, err := media.Open(filepath.Join(work, blobs))
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
		case e.Name == database || e.Name == sandbox:
			err = e.write(filepath.Join(work, e.Name))
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
	content, err := e.Open()
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDamaged, e.Name, err)
	}
	defer content.Close()
	hash, _, err := files.Put(ctx, damaging{content}, int64(e.UncompressedSize64), media.Length(int64(e.UncompressedSize64)))
	switch {
	case errors.Is(err, media.ErrTooLarge), errors.Is(err, media.ErrCut):
		return fmt.Errorf("%w: %s: %w", ErrDamaged, e.Name, err)
	case err == nil && hash != e.hash:
		return fmt.Errorf("%w: %s has changed", ErrDamaged, e.Name)
	}
	return err
}

// settle brings the database up to date, checks that it and the files belong
// together, and makes sure that nothing is paid twice.
func (a *Archive) settle(ctx context.Context, work string) (unsure int, err error) {
	store, err := sqlite.Open(ctx, filepath.Join(work, database))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	damage, err := store.Damage(ctx)
	if err != nil || len(damage) > 0 {
		return 0, fmt.Errorf("%w: its database: %q %w", ErrDamaged, damage, err)
	}
	if err := a.complete(ctx, store, media.At(filepath.Join(work, blobs))); err != nil {
		return 0, err
	}
	return store.Resume(ctx, db.Now())
}

// complete reports, as an error, a file that the database names and that is
// neither here nor was missing when the backup was made.
func (a *Archive) complete(ctx context.Context, store *sqlite.Store, files *media.Store) error {
	missing := map[string]bool{}
	for _, hash := range a.About.Missing {
		missing[hash] = true
	}
	have := func(hash, what string, id int64) error {
		if files.Has(hash) || missing[hash] {
			return nil
		}
		return fmt.Errorf("%w: it lacks a file of %s %d", ErrDamaged, what, id)
	}
	err := store.EachMade(ctx, func(t db.Task) error {
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
	return store.EachPicture(ctx, func(p db.Picture) error { return have(p.Hash, "picture", p.ID) })
}

// move puts everything in its place, the database last.
func move(work, dir string) error {
	for _, name := range []string{blobs, "sandbox", database} {
		if err := folder.Sync(work); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(work, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return folder.Sync(dir)
}
