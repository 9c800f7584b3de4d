package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"dailies/db/store/engine"
)

// lastPlace is the largest position of a word that the server stores.
const lastPlace = 16383

// Words implements engine.Engine. It returns the words with their positions in the
// text format of a tsvector. They are split here, because the server's own parser
// takes a run of Chinese characters for one word.
func (d *DB) Words(searched, _ string) sql.NullString {
	var b strings.Builder
	for i, word := range engine.Split(searched) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "'%s':%d", word, min(i+1, lastPlace))
	}
	return sql.NullString{String: b.String(), Valid: true}
}

// Match implements engine.Engine. Words consist of letters, digits and marks, which
// have no special meaning between quotes in a tsquery.
func (d *DB) Match(terms []string) string {
	var all []string
	for _, term := range terms {
		if words := engine.Split(term); len(words) > 0 {
			all = append(all, "('"+strings.Join(words, "' <-> '")+"':*)")
		}
	}
	return strings.Join(all, " & ")
}

// Index implements engine.Engine. The table tasks has all columns of the gallery,
// so the rows that are found need not be looked up in the table gallery.
func (d *DB) Index() engine.Index {
	return engine.Index{
		From: "tasks g", ID: "g.id", Wide: true,
		Where:     "g.deleted_at IS NULL AND g.lexemes @@ CAST(%s AS tsquery)",
		ScanWhere: "g.deleted_at IS NULL AND (g.lexemes @@ CAST(%s AS tsquery)) IS TRUE", // a form that the index of words cannot answer
		Check:     "EXISTS (SELECT 1 FROM tasks f WHERE f.lexemes @@ CAST(%[1]s AS tsquery) AND f.id = %[2]s)",
	}
}

// PlanEach implements engine.Engine. Otherwise the server soon uses a generic plan
// that takes every word for a rare one. With the default work_mem, the rows of a
// frequent word do not fit into memory, so that it would recheck others, too.
func (d *DB) PlanEach(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL work_mem = '32MB'`)
	return err
}
