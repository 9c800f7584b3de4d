package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/folder"
	"dailies/db/format"
	"dailies/db/media"
	"dailies/db/store"
)

// Move copies the database and the media of one house to another, and reports on
// out what to do next. If to has no folder, then the database is moved only if
// to.Database is set, and the media only if to.Bucket is set. No program may serve
// the first house during the move, nor after it if its database was moved, until
// AbortMove. An interrupted move is continued by running it again; files that were
// copied are not copied again. The target database must be empty.
func Move(ctx context.Context, from, to Location, out io.Writer) error {
	err := move(ctx, from, to, out)
	if err != nil {
		return fmt.Errorf("move: %w", err)
	}
	return nil
}

func move(ctx context.Context, from, to Location, out io.Writer) error {
	source, release, err := acquire(ctx, from)
	if err != nil {
		return err
	}
	defer release()
	target, release, err := acquireTarget(ctx, to)
	if err != nil {
		return err
	}
	defer release()
	before, err := source.Settings.Setting(ctx, store.MovingSetting)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if !wasCopied(before) {
		before = "to " + to.name()
	}
	if err := source.Settings.SetSetting(ctx, store.MovingSetting, before); err != nil {
		return err
	}
	if to.Bucket != nil || to.Dir != "" {
		if err := moveMedia(ctx, from.media(), to, out); err != nil {
			return err
		}
	}
	if to.Dir != "" {
		if err := moveRest(ctx, from.Dir, to.Dir); err != nil {
			return err
		}
	}
	if target == nil { // the database stays where it is
		fmt.Fprintln(out, "Start Dailies on the same database, with -media. The files are also where they were.")
		return source.Settings.SetSetting(ctx, store.MovingSetting, "")
	}
	if err := source.Audit.Record(ctx,
		audit.Entry{Action: audit.Exported, What: fmt.Sprintf("everything, moved to %s", to.name())}); err != nil {
		return err
	}
	if err := source.Settings.SetSetting(ctx, store.MovingSetting, "to "+to.name()+copiedSuffix); err != nil {
		return err
	}
	tables, err := store.Transfer(ctx, source, target)
	if err != nil { // nothing was copied
		return errors.Join(err, source.Settings.SetSetting(context.WithoutCancel(ctx), store.MovingSetting, before))
	}
	for _, t := range tables {
		fmt.Fprintf(out, "%-18s %9d rows  %.12s\n", t.Table, t.Rows, t.Hash)
	}
	waiting, err := waitingAnswers(from.Dir)
	if err != nil {
		return err
	}
	if waiting > 0 && to.Dir == "" && from.Dir != "" {
		fmt.Fprintf(out, "\n%s of the service, for which somebody has paid, lie in %s:\nstart Dailies with -data %s, so that they are read.\n",
			format.Plural(waiting, "%s answer", "%s answers"), filepath.Join(from.Dir, answers), from.Dir)
	}
	fmt.Fprintf(
		out,
		"\nEverything was compared and is the same. Start Dailies on %s; %s is kept as it\nwas and is not served any "+
			"more, unless: dailies move -abort\n",
		to.name(), from.name(),
	)
	return nil
}

// copiedSuffix ends the value of store.MovingSetting once all tables may have been
// copied, so that the new place may be in use.
const copiedSuffix = ", with all its tables"

func wasCopied(moving string) bool { return strings.HasSuffix(moving, copiedSuffix) }

// name says where the house is, without secrets.
func (h Location) name() string {
	if h.Database != "" {
		return store.AddressName(h.Database)
	}
	return h.Dir
}

// acquire opens the database of a house, if no program serves it, and keeps other
// programs out until release is called.
func acquire(ctx context.Context, h Location) (s *store.Store, release func(), err error) {
	var closers []func() error
	closeAll := func() {
		for i := len(closers) - 1; i >= 0; i-- {
			_ = closers[i]() // everything written was committed
		}
	}
	defer func() {
		if err != nil {
			closeAll()
		}
	}()
	if h.Dir != "" {
		mine, err := folder.Open(h.Dir)
		if err != nil {
			return nil, nil, err
		}
		closers = append(closers, mine.Close)
		if err := folder.Restored(h.Dir); err != nil {
			return nil, nil, err
		}
	}
	name, err := h.database()
	if err != nil {
		return nil, nil, err
	}
	if s, err = store.Open(ctx, name); err != nil {
		return nil, nil, err
	}
	closers = append(closers, s.Close)
	if err = s.Enter(ctx, true); err != nil {
		return nil, nil, err
	}
	held, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Stay(held) // a transaction that has begun is atomic anyway
	}()
	closers = append(closers, func() error { stop(); <-done; return nil })
	return s, closeAll, nil
}

// acquireTarget is like acquire, but for the target of a move. s is nil if the database
// stays.
func acquireTarget(ctx context.Context, to Location) (s *store.Store, release func(), err error) {
	switch {
	case to.Database != "":
		return acquire(ctx, Location{Database: to.Database})
	case to.Dir == "":
		return nil, func() {}, nil
	}
	if err := folder.Make(to.Dir); err != nil {
		return nil, nil, err
	}
	if err := folder.Touch(filepath.Join(to.Dir, database)); err != nil {
		return nil, nil, err
	}
	return acquire(ctx, to)
}

// moveMedia copies the files that are missing in the target. Each one's hash is
// computed again on the way, and compared.
func moveMedia(ctx context.Context, files *media.Store, to Location, out io.Writer) error {
	work, err := os.MkdirTemp("", "dailies-move-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	there, err := to.open(work)
	if err != nil {
		return err
	}
	n, size := 0, int64(0)
	err = files.Walk(ctx, func(b media.Blob) error {
		if b.Hash == "" {
			return nil // not a file of the media store
		}
		n, size = n+1, size+b.Size
		if has, err := there.HasWhole(ctx, b.Hash, b.Size); has || err != nil {
			return err
		}
		file, err := files.File(ctx, b.Hash)
		if err != nil {
			return err
		}
		defer file.Close()
		hash, _, err := there.Put(ctx, file, math.MaxInt64-1, media.Length(b.Size))
		if err == nil && hash != b.Hash {
			err = fmt.Errorf("the file %s is damaged; dailies check names what it belongs to", b.Hash)
		}
		return err
	})
	if err == nil {
		fmt.Fprintf(out, "%s, %s, in place.\n\n", format.Plural(n, "%s file", "%s files"), format.Bytes(size))
	}
	return err
}

// open returns the media store for writing. A file for a bucket is first written to
// the folder work.
func (h Location) open(work string) (*media.Store, error) {
	if h.Bucket == nil {
		return media.Open(filepath.Join(h.Dir, blobs))
	}
	return media.New(h.Bucket, work)
}

// moveRest copies what else a data folder contains: the secret, without which
// everybody is signed out, answers of the service that the database has not taken yet,
// and the sandbox.
func moveRest(ctx context.Context, from, to string) error {
	if from == "" || from == to {
		return nil
	}
	if secret := filepath.Join(to, "secret"); exists(filepath.Join(from, "secret")) && !exists(secret) {
		content, err := os.ReadFile(filepath.Join(from, "secret"))
		if err == nil {
			err = folder.Write(secret, content)
		}
		if err != nil {
			return err
		}
	}
	if err := copyFiles(filepath.Join(to, answers), filepath.Join(from, answers)); err != nil {
		return err
	}
	if !exists(filepath.Join(from, sandbox)) || exists(filepath.Join(to, sandbox)) {
		return nil
	}
	if err := folder.Make(filepath.Join(to, "sandbox")); err != nil {
		return err
	}
	if err := copyFiles(filepath.Join(to, "sandbox", "files"), filepath.Join(from, "sandbox", "files")); err != nil {
		return err
	}
	begun := filepath.Join(to, sandbox+".begun")
	if err := os.Remove(begun); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := store.Copy(ctx, filepath.Join(from, sandbox), begun); err != nil {
		return err
	}
	return os.Rename(begun, filepath.Join(to, sandbox))
}

// waitingAnswers counts the service's answers in the folder that the database has not
// taken yet.
func waitingAnswers(dir string) (int, error) {
	entries, err := os.ReadDir(filepath.Join(dir, answers))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !strings.HasSuffix(e.Name(), ".json") }) // others are files for intents
	return len(entries), err
}

// copyFiles copies the files of the folder from, and of the folders in it, to the folder
// to. Files that are there already are kept: each was copied whole. It is not an error
// if there is no folder from.
func copyFiles(to, from string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == from {
			return nil
		}
		if err != nil {
			return err
		}
		part, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, part)
		switch {
		case entry.IsDir():
			return folder.Make(target)
		case !entry.Type().IsRegular() || exists(target):
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return folder.Write(target, content)
	})
}

// AbortMove allows the house from which a move was begun to be served again, and
// reports on out what to do next. If its whole database was copied, people may have
// worked in the new place since, so the house is treated like a restored one: no
// task is resent automatically, and access that may have been revoked there is
// closed here.
func AbortMove(ctx context.Context, h Location, out io.Writer) error {
	if err := abortMove(ctx, h, out); err != nil {
		return fmt.Errorf("move: %w", err)
	}
	return nil
}

func abortMove(ctx context.Context, h Location, out io.Writer) error {
	s, release, err := acquire(ctx, h)
	if err != nil {
		return err
	}
	defer release()
	moving, err := s.Settings.Setting(ctx, store.MovingSetting)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	text := ""
	if wasCopied(moving) {
		var done journal
		if done.Unsure, err = s.Tasks.Resume(ctx, "everything was moved", db.Now()); err != nil {
			return err
		}
		if done.Closed, err = s.Accounts.CloseAccess(ctx, "what was left when everything was moved", db.Now()); err != nil {
			return err
		}
		text = fmt.Sprintf("\nPeople may have worked in the new place since it was moved.\n%s%s", closed(done.Closed), unsure(done.Unsure))
	}
	if err := s.Settings.SetSetting(ctx, store.MovingSetting, ""); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Dailies may be started there again. What was copied already is left where it is.\n%s", text)
	return err
}
