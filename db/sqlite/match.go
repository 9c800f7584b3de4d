package sqlite

import (
	"fmt"
	"strconv"
	"strings"

	"dailies/db"
)

// match is the filter as a question to the search index: facets that must all
// be there, and words each of which must begin some word of the prompt. In the
// bin there are no facets to choose by.
func match(f db.TaskFilter) string {
	terms := []string{visible(f)}
	if !f.Bin {
		terms = append(terms, choices(f)...)
	}
	return strings.Join(append(terms, wordTerms(f.Query)...), " AND ")
}

func choices(f db.TaskFilter) (terms []string) {
	for _, t := range []struct {
		kind  rune
		value string
	}{{'c', f.Scene}, {'m', f.Model}, {'r', f.Ratio}, {'t', db.TagKey(f.Tag)}} {
		if t.value != "" {
			terms = append(terms, facet(t.kind, t.value))
		}
	}
	if f.Maker != 0 {
		terms = append(terms, facetOf('u', f.Maker))
	}
	if f.Collection != 0 {
		terms = append(terms, facetOf('k', f.Collection))
	}
	if f.Starred {
		terms = append(terms, `"`+private+`f"`)
	}
	return terms
}

func wordTerms(query string) (terms []string) {
	for _, word := range words(query) {
		terms = append(terms, `"`+searched(word)+`" *`)
	}
	return terms
}

// visible is the rule of db.Task.VisibleTo, together with what the filter says
// of the state.
func visible(f db.TaskFilter) string {
	mine, team := facetOf('u', f.Viewer), `"`+private+`v"`
	switch {
	case f.Bin && f.AllBins:
		return "(" + facetOf('b', f.Viewer) + ` OR "` + private + `b")`
	case f.Bin:
		return facetOf('b', f.Viewer)
	case f.State == db.AnyState:
		return "(" + mine + " OR " + team + ")"
	case f.State != "" && f.State != db.Success: // only its maker sees it
		return mine + " AND " + facet('s', string(f.State))
	case f.Mine():
		return mine + " AND " + facet('s', string(db.Success))
	default:
		return "(" + team + " OR " + facetOf('x', f.Viewer) + ")"
	}
}

// private begins every facet, see the column facets. It is no letter and no
// digit, so that no word of a query holds it.
const private = "\uE000"

// facet is in hex, because the value may be anything.
func facet(kind rune, value string) string { return fmt.Sprintf(`"%s%c%X"`, private, kind, value) }

// facetOf is the facet of something with an id.
func facetOf(kind rune, id int64) string {
	return `"` + private + string(kind) + strconv.FormatInt(id, 10) + `"`
}
