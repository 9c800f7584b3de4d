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
	// longestLexeme bounds the letters of a word that the index has. What is looked
	// for is shorter.
	longestLexeme = 64
	// lastPlace is the last position that the server keeps of a word.
	lastPlace = 16383
)

// Words implements engine.Engine: the words as the server reads a tsvector, each
// with its places. They are split here, because the server's own parser takes a
// run of Chinese characters for one word.
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

// Match implements engine.Engine. Words are letters, digits and marks, none of
// which means something in a tsquery between quotes.
func (d *DB) Match(terms []string) string {
	var all []string
	for _, term := range terms {
		if words := split(term); len(words) > 0 {
			all = append(all, "('"+strings.Join(words, "' <-> '")+"':*)")
		}
	}
	return strings.Join(all, " & ")
}

// Index implements engine.Engine. The tasks themselves have all that the gallery
// has of them, so none that is found has to be looked up there.
func (d *DB) Index() engine.Index {
	return engine.Index{
		From: "tasks g", ID: "g.id", Wide: true,
		Where:  "g.deleted_at IS NULL AND g.lexemes @@ CAST(%s AS tsquery)",
		Walked: "g.deleted_at IS NULL AND (g.lexemes @@ CAST(%s AS tsquery)) IS TRUE", // which no index of words can answer
		Check:  "EXISTS (SELECT 1 FROM tasks f WHERE f.lexemes @@ CAST(%s AS tsquery) AND f.id = %s)",
	}
}

// PlanEach implements engine.Engine. Otherwise the server soon plans a statement for
// parameters that it does not know, and takes every word for a rare one. In its usual
// memory the rows of a frequent word do not fit, so that it would read others, too.
func (d *DB) PlanEach(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL work_mem = '32MB'`)
	return err
}

// split returns the words of a text as SQLite's tokenizer unicode61 has them: runs
// of letters, digits and marks, in one case, Latin letters without their marks.
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

// fold returns the letter in lower case, a Latin one without its marks, and 0 for
// a mark of the kind that Latin letters have.
func fold(r rune) rune {
	if r < unicode.MaxASCII {
		return unicode.ToLower(r)
	}
	if latinMark(r) {
		return 0
	}
	if r != 'ı' {
		r = unicode.ToLower(unicode.ToUpper(r)) // by way of upper case, so that both of a Greek word's sigmas are one
	}
	if base := norm.NFD.String(string(r)); base[0] < unicode.MaxASCII {
		return rune(base[0])
	}
	return r
}

// latinMark reports whether SQLite takes the combining mark off every letter.
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
