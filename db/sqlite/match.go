package sqlite

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"dailies/db"
)

const (
	maxWords      = 8  // of a query; further ones are ignored
	maxWordLength = 32 // characters; a longer word is cut, it is a prefix anyway
)

// match is the filter as a question to the search index: facets that must all
// be there, and words each of which must begin some word of the prompt.
func match(f db.TaskFilter) string {
	terms := []string{visible(f)}
	if f.Scene != "" {
		terms = append(terms, facet('c', f.Scene))
	}
	if f.Model != "" {
		terms = append(terms, facet('m', f.Model))
	}
	for _, word := range words(f.Query) {
		terms = append(terms, `"`+word+`" *`)
	}
	return strings.Join(terms, " AND ")
}

// visible is the rule of db.Task.VisibleTo, together with what the filter says
// of maker and state.
func visible(f db.TaskFilter) string {
	mine := `"` + private + "u" + strconv.FormatInt(f.Viewer, 10) + `"`
	made := facet('s', string(db.Success))
	switch {
	case f.State == db.AnyState && f.Mine:
		return mine
	case f.State == db.AnyState:
		return "(" + mine + " OR " + made + ")"
	case f.State != "" && f.State != db.Success: // only its maker sees it
		return mine + " AND " + facet('s', string(f.State))
	case f.Mine:
		return mine + " AND " + made
	default:
		return made
	}
}

// private begins every facet, see the column facets. It is no letter and no
// digit, so that no word of a query holds it.
const private = "\uE000"

// facet is in hex, because the value may be anything.
func facet(kind rune, value string) string { return fmt.Sprintf(`"%s%c%X"`, private, kind, value) }

// words are what can be looked for in text from outside: runs of letters,
// digits and the marks on them. Nothing is left that means something to FTS5.
func words(query string) []string {
	var found []string
	for word := range strings.FieldsFuncSeq(query, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }) {
		if !strings.ContainsFunc(word, func(r rune) bool { return !unicode.Is(unicode.M, r) }) {
			continue // marks on nothing
		}
		if runes := []rune(word); len(runes) > maxWordLength {
			word = string(runes[:maxWordLength])
		}
		if found = append(found, word); len(found) == maxWords {
			break
		}
	}
	return found
}
