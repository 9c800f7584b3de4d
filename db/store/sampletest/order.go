package sampletest

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

const (
	tags        = 30 // the first is OftenTag, the second RareTag
	collections = 20
)

// An order inserts the tags and collections of tasks.
type order struct {
	tag, collect *sql.Stmt
	by           int64
}

func addOrder(tb testing.TB, tx *sql.Tx, by int64, at time.Time) order {
	tb.Helper()
	for i := range tags {
		_, err := tx.Exec(`INSERT INTO tags (name, name_key, created_by, created_at) VALUES (?1, ?1, ?2, ?3)`, tagName(i), by, at.UnixMilli())
		must(tb, err)
	}
	for i := range collections {
		_, err := tx.Exec(`
			INSERT INTO collections (name, note, created_by, created_at, changed_at) VALUES (?1, '', ?2, ?3, ?3)`,
			fmt.Sprint("Collection ", i), by, at.UnixMilli())
		must(tb, err)
	}
	tag, err := tx.Prepare(`INSERT INTO task_tags (task_id, tag_id) SELECT ?, id FROM tags WHERE name_key = ?`)
	must(tb, err)
	collect, err := tx.Prepare(`
		INSERT INTO collection_tasks (collection_id, task_id, position, added_by, added_at) VALUES (?, ?, ?, ?, 0)`)
	must(tb, err)
	return order{tag, collect, by}
}

func tagName(i int) string {
	switch i {
	case 0:
		return OftenTag
	case 1:
		return RareTag
	}
	return fmt.Sprintf("tag %02d", i)
}

// file gives the task some tags, and puts one task in ten into a collection.
func (s order) file(tb testing.TB, r *rand.Rand, i int, id int64) {
	tb.Helper()
	var on []int
	if r.IntN(10) < 3 {
		on = append(on, 0)
	}
	if i%5000 == 3 {
		on = append(on, 1)
	}
	if n := r.IntN(5 * (tags - 2)); n < tags-2 {
		on = append(on, 2+n)
	}
	for _, n := range on {
		_, err := s.tag.Exec(id, tagName(n))
		must(tb, err)
	}
	if r.IntN(10) == 0 {
		n := 1 + r.IntN(collections)
		_, err := s.collect.Exec(n, id, i, s.by)
		must(tb, err)
	}
}
