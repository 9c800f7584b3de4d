package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"dailies/db"
	"dailies/db/folder"
	"dailies/db/format"
	"dailies/db/media"
	"dailies/db/store"
	"dailies/db/team"
)

// Move copies the database and the media of one house into another, and says on
// out what there is now. Without a folder, what to names no server for, or no
// bucket, stays where it is. While the move goes on, no program serves the first
// house, nor afterwards if its database was moved: AbortMove gives it free again. A move that was interrupted goes
// on when it is run again, with the files that it has copied already. The database
// to be filled must be empty.
func Move(ctx context.Context, from, to House, out io.Writer) error {
	err := move(ctx, from, to, out)
	if err != nil {
		return fmt.Errorf("move: %w", err)
	}
	return nil
}

func move(ctx context.Context, from, to House, out io.Writer) error {
	source, free, err := take(ctx, from)
	if err != nil {
		return err
	}
	defer free()
	target, free, err := takeTarget(ctx, to)
	if err != nil {
		return err
	}
	defer free()
	before, err := source.Setting(ctx, store.MovingSetting)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if !wasCopied(before) {
		before = "to " + to.name()
	}
	if err := source.SetSetting(ctx, store.MovingSetting, before); err != nil {
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
	if target == nil { // the database goes on where it is
		fmt.Fprintln(out, "Start Dailies on the same database, with -media. The files are also where they were.")
		return source.SetSetting(ctx, store.MovingSetting, "")
	}
	if err := source.Record(ctx, team.Entry{Action: team.Exported, What: "everything, moved to " + to.name()}); err != nil {
		return err
	}
	if err := source.SetSetting(ctx, store.MovingSetting, "to "+to.name()+copied); err != nil {
		return err
	}
	tables, err := store.Transfer(ctx, source, target)
	if err != nil { // nothing is there
		return errors.Join(err, source.SetSetting(context.WithoutCancel(ctx), store.MovingSetting, before))
	}
	for _, t := range tables {
		fmt.Fprintf(out, "%-18s %9d rows  %.12s\n", t.Table, t.Rows, t.Hash)
	}
	fmt.Fprintf(out, "\nEverything was compared and is the same. Start Dailies on %s; %s is kept as it\nwas and is not served any more, unless: dailies move -abort\n", to.name(), from.name())
	return nil
}

// copied ends store.MovingSetting once all tables may be in the new place, and so may
// be served there.
const copied = ", with all its tables"

func wasCopied(moving string) bool { return strings.HasSuffix(moving, copied) }

// name says where the house is, without secrets.
func (h House) name() string {
	if h.Database != "" {
		return store.AddressName(h.Database)
	}
	return h.Dir
}

// take opens the database of a house that no program serves, and keeps it for this
// process.
func take(ctx context.Context, h House) (s *store.Store, free func(), err error) {
	var closers []func() error
	free = func() {
		for i := len(closers) - 1; i >= 0; i-- {
			_ = closers[i]() // what was written is committed
		}
	}
	defer func() {
		if err != nil {
			free()
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
		_ = s.Stay(held) // a transaction that has begun is whole all the same
	}()
	closers = append(closers, func() error { stop(); <-done; return nil })
	return s, free, nil
}

// takeTarget is take for a house that is to be filled; nil where the database stays.
func takeTarget(ctx context.Context, to House) (s *store.Store, free func(), err error) {
	switch {
	case to.Database != "":
		return take(ctx, House{Database: to.Database})
	case to.Dir == "":
		return nil, func() {}, nil
	}
	if err := folder.Make(to.Dir); err != nil {
		return nil, nil, err
	}
	if err := folder.Touch(filepath.Join(to.Dir, database)); err != nil {
		return nil, nil, err
	}
	return take(ctx, to)
}

// moveMedia copies the files that are not there yet, each under the hash of its
// content, which is computed anew on the way.
func moveMedia(ctx context.Context, files *media.Store, to House, out io.Writer) error {
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
			return nil // none of ours
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
		fmt.Fprintf(out, "%s, %s, in place.\n\n", format.Count(n, "file"), format.Bytes(size))
	}
	return err
}

// open returns the media for writing. What goes into a bucket is written into the
// folder work first.
func (h House) open(work string) (*media.Store, error) {
	if h.Bucket == nil {
		return media.Open(filepath.Join(h.Dir, blobs))
	}
	return media.New(h.Bucket, work)
}

// moveRest copies what else a data folder has: the secret, without which nobody
// stays signed in, and the sandbox.
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
	if !exists(filepath.Join(from, sandbox)) || exists(filepath.Join(to, sandbox)) {
		return nil
	}
	if err := folder.Make(filepath.Join(to, "sandbox")); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(to, "sandbox", "files"), os.DirFS(filepath.Join(from, "sandbox", "files"))); err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrExist) {
		return err
	}
	return store.Copy(ctx, filepath.Join(from, sandbox), filepath.Join(to, sandbox))
}

// AbortMove lets the house be served again from which a move was begun, and says on out
// what there is now. If all of its database was copied, people may have worked in the new
// place since, and the house is treated as one that was restored: nothing is sent again
// by itself, and what was taken back there is not open here.
func AbortMove(ctx context.Context, h House, out io.Writer) error {
	if err := abortMove(ctx, h, out); err != nil {
		return fmt.Errorf("move: %w", err)
	}
	return nil
}

func abortMove(ctx context.Context, h House, out io.Writer) error {
	s, free, err := take(ctx, h)
	if err != nil {
		return err
	}
	defer free()
	moving, err := s.Setting(ctx, store.MovingSetting)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	text := ""
	if wasCopied(moving) {
		var done journal
		if done.Unsure, err = s.Resume(ctx, "everything was moved", db.Now()); err != nil {
			return err
		}
		if done.Closed, err = s.CloseAccess(ctx, "what was left when everything was moved", db.Now()); err != nil {
			return err
		}
		text = "\nPeople may have worked in the new place since it was moved.\n" + closed(done.Closed) + unsure(done.Unsure)
	}
	if err := s.SetSetting(ctx, store.MovingSetting, ""); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Dailies may be started there again. What was copied already is left where it is.\n%s", text)
	return err
}
