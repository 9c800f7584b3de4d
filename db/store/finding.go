package store

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
)

const (
	mostFindings = 32 // that are remembered, a bit for each task
	mostChecked  = 50 // changed tasks that are looked at again one by one
)

// A finding is which tasks have the words of a query. The words that are in
// many prompts take milliseconds to find, and come again: as they are typed,
// and with every other choice.
type finding struct {
	match string // the question to the search index
	seq   int64  // of the newest change that it has
	tasks []uint64
}

func (f *finding) has(id int) bool { return id/64 < len(f.tasks) && f.tasks[id/64]&(1<<(id%64)) != 0 }

func (f *finding) set(id int64, on bool) {
	for int(id/64) >= len(f.tasks) {
		f.tasks = append(f.tasks, 0)
	}
	f.tasks[id/64] &^= 1 << (id % 64)
	if on {
		f.tasks[id/64] |= 1 << (id % 64)
	}
}

// find returns which tasks the search index gives for match; nil where all are
// asked for. Who calls it has the turn.
func (c *census) find(ctx context.Context, tx *sql.Tx, match string) (*finding, error) {
	if match == "" {
		return nil, nil
	}
	f := finding{match: match}
	if i := slices.IndexFunc(c.found, func(f finding) bool { return f.match == match }); i >= 0 {
		f = c.found[i]
		c.found = slices.Delete(c.found, i, i+1)
	}
	if err := f.update(ctx, tx, c.seq); err != nil {
		return nil, err
	}
	c.found = append(c.found, f) // the one that was asked for last is the last
	if len(c.found) > mostFindings {
		c.found = slices.Delete(c.found, 0, 1)
	}
	return &f, nil
}

// update brings the finding up to the newest change, which the census has.
func (f *finding) update(ctx context.Context, tx *sql.Tx, newest int64) (err error) {
	if f.tasks != nil && newest <= f.seq {
		return nil
	}
	var changed []int64
	whole := false
	if f.tasks != nil { // for a new one they may be thousands, for nothing
		changed, _, whole, err = changesSince(ctx, tx, f.seq)
	}
	switch {
	case err != nil:
		return err
	case !whole || len(changed) > mostChecked:
		f.tasks = []uint64{}
		err = f.read(ctx, tx, `SELECT rowid FROM search WHERE search MATCH ?`, f.match)
	default:
		for _, id := range changed {
			f.set(id, false)
		}
		err = f.read(ctx, tx, `
			SELECT search.rowid FROM json_each(?) changed CROSS JOIN search
			WHERE search MATCH ? AND search.rowid = changed.value`, asJSON(&changed), f.match)
	}
	f.seq = newest
	return err
}

// read takes the ids that the question gives. They come as one text: row by row
// they would take several times as long.
func (f *finding) read(ctx context.Context, tx *sql.Tx, question string, args ...any) error {
	var list string
	err := tx.QueryRowContext(ctx, `SELECT coalesce(group_concat(rowid), '') FROM (`+question+`)`, args...).Scan(&list)
	for id := range strings.SplitSeq(list, ",") {
		if n, err := strconv.ParseInt(id, 10, 64); err == nil {
			f.set(n, true)
		}
	}
	return err
}
