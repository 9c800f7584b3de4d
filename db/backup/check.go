package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/folder"
	"dailies/db/format"
	"dailies/db/media"
	"dailies/db/ordering"
	"dailies/db/store"
)

// young is how long a file may be in the folder before the database must know it: a
// task is recorded only once all of its files are there.
const young = time.Hour

// Check reads all data of the house, writes a report to out, and changes nothing.
// The program may be running meanwhile. If something is wrong, the error is
// ErrTrouble.
func Check(ctx context.Context, h Location, out io.Writer) error {
	if err := folder.Restored(h.Dir); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	name, err := h.database()
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	s, err := store.OpenToRead(ctx, name)
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	defer s.Close()
	c := &check{ctx: ctx, out: out, blobs: h.media(), known: map[string]bool{}, left: map[string]bool{}}
	if err := c.run(s); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	c.say("Kept here: %s and %s in %s, %s.", format.Plural(c.videos, "%s video", "%s videos"),
		format.Plural(c.pictures, "%s uploaded picture", "%s uploaded pictures"),
		format.Plural(len(c.known), "%s file", "%s files"), format.Bytes(c.bytes))
	if c.saving > 0 {
		c.say("%d are still being saved.", c.saving)
	}
	if c.lost > 0 {
		c.say("%s could not be saved: gone at the service.", format.Plural(c.lost, "%s video", "%s videos"))
	}
	if c.large > 0 {
		c.say("%s could not be saved: too large to be kept here.", format.Plural(c.large, "%s video", "%s videos"))
	}
	if c.fresh > 0 {
		c.say("%d files are too new for the database to know them.", c.fresh)
	}
	if c.troubles > 0 {
		c.say("%s.", format.Plural(c.troubles, "%s problem", "%s problems"))
		return errors.Join(ErrTrouble, c.err)
	}
	c.say("Everything is as it should be.")
	return c.err
}

// A check holds the state of one check of a data folder.
type check struct {
	ctx   context.Context
	out   io.Writer
	blobs *media.Store
	known map[string]bool // by hash, the files that the database refers to: whether they are intact
	left  map[string]bool // by hash, files that are about to be removed

	videos, pictures, saving, lost, large, fresh, troubles int
	bytes                                                  int64
	err                                                    error // of writing to out
}

func (c *check) run(s *store.Store) error {
	// The folder is read before the database. In the other order, a file that is
	// unknown to the database could be one that was written between the two.
	var found []media.Blob
	err := c.blobs.Walk(c.ctx, func(b media.Blob) error { found = append(found, b); return c.ctx.Err() })
	if err != nil {
		return err
	}
	damage, err := s.Damage(c.ctx)
	if err != nil {
		return err
	}
	for _, line := range damage {
		c.trouble("database: %s", line)
	}
	if len(damage) > 0 {
		c.say("The database is damaged: %s.", store.Remedy)
	}
	for _, wrongTotals := range []func(context.Context) ([]string, error){s.Usage.WrongUsage, s.Usage.WrongTotals} {
		wrong, err := wrongTotals(c.ctx)
		if err != nil {
			return err
		}
		for _, line := range wrong {
			c.trouble("%s", line)
		}
	}
	if err := s.Tasks.EachMade(c.ctx, c.task); err != nil {
		return err
	}
	if err := s.Pictures.EachPicture(c.ctx, c.picture); err != nil {
		return err
	}
	if err := c.cast(s); err != nil {
		return err
	}
	left, err := s.Files.Leftovers(c.ctx, db.Now())
	if err != nil {
		return err
	}
	for _, hash := range left {
		c.left[hash] = true
	}
	slices.SortFunc(found, func(a, b media.Blob) int { return a.At.Compare(b.At) })
	for _, b := range found {
		if err := c.orphan(b); err != nil {
			return err
		}
	}
	return nil
}

// task checks a finished video and its files.
func (c *check) task(t db.Task) error {
	_, here := t.Video()
	switch t.Keeping {
	case db.Kept:
		c.videos++
		if !here {
			c.trouble("video %d counts as kept, and has no file", t.ID)
		}
	case db.Saving:
		c.saving++
	case db.Lost:
		if t.Message == db.TooLarge {
			c.large++
		} else {
			c.lost++
		}
	}
	for _, m := range t.Media {
		if err := c.file(fmt.Sprintf("video %d: its %s", t.ID, m.Kind), m.Hash, m.Size); err != nil {
			return err
		}
	}
	return nil
}

// picture checks an uploaded picture.
func (c *check) picture(p ordering.Picture) error {
	c.pictures++
	return c.file(fmt.Sprintf("picture %d", p.ID), p.Hash, p.Size)
}

// cast checks that the pictures of the cast are there.
func (c *check) cast(s *store.Store) error {
	list, err := s.Cast.List(c.ctx)
	if err != nil {
		return err
	}
	for _, m := range list {
		for i, address := range m.Pictures {
			token := ordering.PictureToken(address)
			if token == "" {
				continue // it is on another site
			}
			_, err := s.Pictures.Picture(c.ctx, token)
			if errors.Is(err, db.ErrNotFound) {
				c.trouble("%s in the cast: picture %d is gone", m.At(), i+1)
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// file checks a file; an intact one only once, however many things refer to it. It
// returns an error if the storage does not answer, because then nothing is known.
func (c *check) file(what, hash string, bytes int64) error {
	sound, seen := c.known[hash]
	if seen && sound {
		return c.ctx.Err()
	}
	err := c.blobs.Verify(c.ctx, hash, bytes)
	c.known[hash] = err == nil
	switch {
	case errors.Is(err, db.ErrUnavailable):
		return err
	case c.ctx.Err() != nil:
	case errors.Is(err, fs.ErrNotExist):
		c.trouble("%s is missing: %s", what, c.where(hash))
	case err != nil:
		c.trouble("%s, %s: %v", what, c.where(hash), err)
	case !seen:
		c.bytes += bytes
	}
	return c.ctx.Err()
}

func (c *check) where(hash string) string { return c.blobs.Where(media.Path(hash)) }

// orphan checks whether the database knows a file of the media store.
func (c *check) orphan(b media.Blob) error {
	_, known := c.known[b.Hash]
	switch {
	case b.Hash == "":
		c.trouble("%s does not belong there", c.blobs.Where(b.Path))
		return nil
	case known, c.left[b.Hash]:
		return nil
	}
	here, err := c.blobs.Has(c.ctx, b.Hash)
	switch {
	case !here: // it was removed meanwhile
	case time.Since(b.At) < young:
		c.fresh++
	default:
		c.trouble("%s belongs to nothing", c.blobs.Where(b.Path))
	}
	return err
}

func (c *check) trouble(line string, args ...any) {
	c.troubles++
	c.say(line, args...)
}

func (c *check) say(line string, args ...any) {
	if _, err := fmt.Fprintf(c.out, line+"\n", args...); c.err == nil {
		c.err = err
	}
}
