package store

import (
	"context"
	"database/sql"
	"strings"
	"sync"
)

// A census has of every task what it is counted by: a few bytes each, so that
// a hundred thousand are counted by all choices at once in a millisecond,
// where SQLite would take that long for a single one. It is only a copy. The
// table changes says what has become of the tasks since it was made, whichever
// process did it.
type census struct {
	seq   int64     // of the newest change that it has
	tasks []subject // by id

	names   [kinds]names
	sorts   []sort // what tasks have in common; a team has few hundreds of them
	numbers map[sort]int32
	shelves names     // tags and collections, as the column labels has them each
	sets    names     // of shelves, as the column labels has them
	filed   [][]int32 // the shelves of each set
	found   []finding
}

// The kinds of choices of which a task has exactly one.
const (
	aMaker = iota
	aScene
	aModel
	aRatio
	aState
	kinds
)

// A subject is a task as far as it is counted. Its sort and its set of shelves
// stand as their numbers.
type subject struct {
	created   int64 // unix milliseconds
	sort, set int32
}

// A sort is what is decided and counted once for all tasks that share it. Names
// stand as their numbers. The first sort is of tasks that are not there.
type sort struct {
	of                          [kinds]int32
	there, starred, hidden, bin bool
}

// names numbers words as they come.
type names struct {
	of     []string
	number map[string]int32
}

func (n *names) add(name string) int32 {
	i, ok := n.number[name]
	if !ok {
		if n.number == nil {
			n.number = map[string]int32{}
		}
		i = int32(len(n.of))
		n.of, n.number[name] = append(n.of, name), i
	}
	return i
}

// find is the number of the name, -1 if there is none.
func (n *names) find(name string) int32 {
	if i, ok := n.number[name]; ok {
		return i
	}
	return -1
}

// aBlock is how many tasks are read at a time.
const aBlock = 5000

// update brings the census up to date. Who calls it has the turn.
func (c *census) update(ctx context.Context, tx *sql.Tx) error {
	ids, newest, whole, err := changesSince(ctx, tx, c.seq)
	switch {
	case err != nil:
		return err
	case c.tasks == nil || !whole:
		err = c.readAll(ctx, tx)
	case len(ids) > 0:
		err = c.read(ctx, tx, `id IN (SELECT value FROM json_each(?))`, asJSON(&ids))
	}
	if err == nil {
		c.seq = max(c.seq, newest)
	}
	return err
}

func (c *census) readAll(ctx context.Context, tx *sql.Tx) error {
	var last int64
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM tasks`).Scan(&last); err != nil {
		return err
	}
	c.tasks, c.found = make([]subject, last+1, last+1+last/8), nil
	c.number(sort{})
	for from := int64(0); from <= last; from += aBlock {
		if err := c.read(ctx, tx, `id >= ? AND id < ?`, from, from+aBlock); err != nil {
			c.tasks = nil
			return err
		}
	}
	return nil
}

func (c *census) read(ctx context.Context, tx *sql.Tx, where string, args ...any) error {
	rows, err := tx.QueryContext(ctx, `
		SELECT id, CAST(user_id AS TEXT), scene, model, coalesce(options ->> '$.aspect_ratio', ''), state,
			starred, private, deleted_at IS NOT NULL, purged_at IS NULL, created_at, labels
		FROM tasks WHERE `+where, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var t subject
		var of sort
		var id int64
		var names [kinds]string
		var labels string
		err := rows.Scan(&id, &names[aMaker], &names[aScene], &names[aModel], &names[aRatio], &names[aState],
			&of.starred, &of.hidden, &of.bin, &of.there, &t.created, &labels)
		if err != nil {
			return err
		}
		for k, name := range names {
			of.of[k] = c.names[k].add(name)
		}
		t.sort, t.set = c.number(of), c.set(labels)
		for int64(len(c.tasks)) <= id {
			c.tasks = append(c.tasks, subject{})
		}
		c.tasks[id] = t
	}
	return rows.Err()
}

// number is the number of a sort.
func (c *census) number(of sort) int32 {
	n, ok := c.numbers[of]
	if !ok {
		if c.numbers == nil {
			c.numbers = map[sort]int32{}
		}
		n = int32(len(c.sorts))
		c.numbers[of], c.sorts = n, append(c.sorts, of)
	}
	return n
}

// set is the number of a set of shelves.
func (c *census) set(labels string) int32 {
	n := c.sets.add(labels)
	if int(n) == len(c.filed) {
		var on []int32
		for label := range strings.FieldsSeq(labels) {
			on = append(on, c.shelves.add(label))
		}
		c.filed = append(c.filed, on)
	}
	return n
}

// changesSince returns the tasks that changed after seq, and the newest change.
// It is not whole if older changes are no longer known.
func changesSince(ctx context.Context, tx *sql.Tx, seq int64) (ids []int64, newest int64, whole bool, err error) {
	var oldest int64
	err = tx.QueryRowContext(ctx, `SELECT coalesce(min(seq), 0), coalesce(max(seq), 0) FROM (
		SELECT * FROM (SELECT seq FROM changes ORDER BY seq LIMIT 1)
		UNION ALL
		SELECT * FROM (SELECT seq FROM changes ORDER BY seq DESC LIMIT 1))`).Scan(&oldest, &newest)
	if err != nil || newest <= seq {
		return nil, newest, true, err
	}
	if oldest > seq+1 {
		return nil, newest, false, nil
	}
	rows, err := tx.QueryContext(ctx, `SELECT DISTINCT task_id FROM changes WHERE seq > ?`, seq)
	ids, err = all(rows, err, scanID)
	return ids, newest, true, err
}

// withCensus brings the census up to date and calls do, one caller after the
// other. A waiting caller holds no connection: reading everything for the first
// time takes a moment, and pages that count nothing are not to wait for it.
//
// The functions in then run afterwards in the same transaction, so that they see
// the state that was counted; meanwhile the next caller has its turn.
func (s *Store) withCensus(ctx context.Context, do func(*sql.Tx, *census) error, then ...func(*sql.Tx) error) error {
	if err := s.turn.Acquire(ctx, 1); err != nil {
		return err
	}
	release := sync.OnceFunc(func() { s.turn.Release(1) })
	defer release()
	return s.read(ctx, func(tx *sql.Tx) error {
		if err := s.census.update(ctx, tx); err != nil {
			return err
		}
		if err := do(tx, &s.census); err != nil {
			return err
		}
		release()
		for _, next := range then {
			if err := next(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// Warm reads what the gallery is counted by, so that the first person who
// opens it does not wait for that.
func (s *Store) Warm(ctx context.Context) error {
	err := s.withCensus(ctx, func(*sql.Tx, *census) error { return nil })
	if ctx.Err() != nil {
		return nil
	}
	return about("what is counted", err)
}
