package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"dailies/db/store/engine"
)

const (
	// longestLexeme limits the letters of a word in the index. Words that are
	// searched for are shorter.
	longestLexeme = 64
	// lastPlace is the largest position of a word that the server stores.
	lastPlace = 16383
)

// Words implements engine.Engine. It returns the words with their positions in the
// text format of a tsvector. They are split here, because the server's own parser
// takes a run of Chinese characters for one word.
func (d *DB) Words(searched, _ string) sql.NullString {
	var b strings.Builder
	for i, word := range split(searched) {
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
		if words := split(term); len(words) > 0 {
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
		Check:     "EXISTS (SELECT 1 FROM tasks f WHERE f.lexemes @@ CAST(%s AS tsquery) AND f.id = %s)",
	}
}

// PlanEach implements engine.Engine. Otherwise the server soon uses a generic plan
// that takes every word for a rare one. With the default work_mem, the rows of a
// frequent word do not fit into memory, so that it would recheck others, too.
func (d *DB) PlanEach(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL work_mem = '32MB'`)
	return err
}

// split returns the words of a text as SQLite's tokenizer unicode61 splits them:
// runs of letters, digits and marks, case-folded, Latin letters without their
// marks.
func split(text string) (words []string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }) {
		var b strings.Builder
		n := 0
		for _, r := range word {
			if r = fold(r); r != 0 && n < longestLexeme {
				b.WriteRune(r)
				n++
			}
		}
		if b.Len() > 0 {
			words = append(words, b.String())
		}
	}
	return words
}

// fold returns the letter in lower case, a Latin letter also without its marks. It
// returns 0 for a combining mark that Latin letters have.
func fold(r rune) rune {
	if r < unicode.MaxASCII {
		return unicode.ToLower(r)
	}
	if latinMark(r) {
		return 0
	}
	if r != 'ı' {
		r = unicode.ToLower(unicode.ToUpper(r)) // via upper case, so that both forms of the Greek sigma become one
	}
	if base := norm.NFD.String(string(r)); base[0] < unicode.MaxASCII {
		return rune(base[0])
	}
	return r
}

// latinMark reports whether SQLite removes the combining mark from every letter.
func latinMark(r rune) bool {
	const first, mask0, mask1 = 768, 0x08029FDF, 0x000361F8
	switch {
	case r < first || r > 817:
		return false
	case r < first+32:
		return mask0&(1<<(r-first)) != 0
	}
	return mask1&(1<<(r-first-32)) != 0
}
