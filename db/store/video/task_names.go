package video

import (
	"fmt"
	"slices"
	"strings"

	"dailies/db/gallery"
	"dailies/db/store/engine"
	"dailies/db/store/teamdb"
)

// A word of a query is found in the prompt or the title, and also as the beginning of a
// word in the name of the maker or of a tag. The index of words has only the former, so
// that nothing has to be indexed anew when somebody's name changes. A query with words that
// are such names is divided by what they mean: each meaning is a choice of its own, with
// the sources that fit it.

// A term is a word of the query, in the form of the search index.
type term struct {
	word   string
	makers []int64 // the people in whose names it is
	tags   []int64 // the tags in whose names it is
}

func (t term) isName() bool { return len(t.makers) > 0 || len(t.tags) > 0 }

// A meaning says for each word of a query what it is.
type meaning struct {
	words     []string  // found in the prompt or the title
	makers    []int64   // who made it: one of these; nil for anybody
	tags      [][]int64 // what it is tagged with: one of each
	notMakers []int64   // and who did not make it
	notTags   []int64   // and what it is not tagged with
	either    []term    // further words, of which each may mean anything
}

// mostDivided is how many words may divide a query: two make at most nine meanings.
// Further names are looked up for each task.
const mostDivided = 2

// mostNamed limits how many names a word may be the beginning of.
const mostNamed = 200

// termsOf returns the words of the query.
func (s *Search) termsOf(tx *engine.Tx, query string) (terms []term) {
	words := engine.Terms(query)
	if len(words) == 0 {
		return nil
	}
	names := s.db.Names(tx)
	if !tx.OK() {
		return nil
	}
	for _, word := range words {
		t := term{word: word, makers: named(names.People, word), tags: named(names.Tags, word)}
		if s.db.Match([]string{word}) == "" && !t.isName() {
			continue // nothing that could be found
		}
		terms = append(terms, t)
	}
	return terms
}

// named returns the IDs of the names that have a word with this beginning.
func named(names []teamdb.Name, word string) (ids []int64) {
	phrase := engine.Split(word)
	for _, n := range names {
		if n.Has(phrase) {
			ids = append(ids, n.ID)
		}
	}
	return ids[:min(mostNamed, len(ids))]
}

// meanings returns what the words of the filter may mean. Every task that fits has exactly
// one of the meanings.
func (s *Search) meanings(tx *engine.Tx, f gallery.Filter) []meaning {
	all, divided := []meaning{{makers: f.Makers}}, 0
	for _, t := range s.termsOf(tx, f.Query) {
		var next []meaning
		for _, m := range all {
			switch {
			case !t.isName():
				m.words = append(slices.Clip(m.words), t.word)
				next = append(next, m)
			case divided == mostDivided:
				m.either = append(slices.Clip(m.either), t)
				next = append(next, m)
			default:
				next = append(next, m.with(t)...)
			}
		}
		if all = next; t.isName() && divided < mostDivided {
			divided++
		}
	}
	return all
}

// with returns the meaning with what the word may mean: first a maker's name, then a tag,
// then a word of the prompt or the title.
func (m meaning) with(t term) (all []meaning) {
	if len(t.makers) > 0 {
		by := m
		if by.makers = t.makers; m.makers != nil {
			by.makers = slices.DeleteFunc(slices.Clone(t.makers), func(id int64) bool { return !slices.Contains(m.makers, id) })
		}
		if len(by.makers) > 0 {
			all = append(all, by)
		}
		m.notMakers = append(slices.Clip(m.notMakers), t.makers...)
	}
	if len(t.tags) > 0 {
		tagged := m
		tagged.tags = append(slices.Clip(m.tags), t.tags)
		all = append(all, tagged)
		m.notTags = append(slices.Clip(m.notTags), t.tags...)
	}
	m.words = append(slices.Clip(m.words), t.word)
	return append(all, m)
}

// names adds the sources and conditions of a meaning, except for its makers and words.
func (s *Search) names(c *choice, m meaning) {
	for i, tags := range m.tags {
		table := fmt.Sprintf("named%d", i)
		fits, id := oneOf(c, table+".tag_id", tags), table+".task_id"
		c.sources = append(c.sources, source{
			from: "task_tags " + table, id: id, where: fits, joined: true, sorted: true,
			check:  "EXISTS (SELECT 1 FROM task_tags " + table + " WHERE " + fits + " AND " + id + " = %s)",
			each:   table + ".tag_id = $2",
			also:   "EXISTS (SELECT 1 FROM task_tags e WHERE e.task_id = " + id + " AND e.tag_id IN (%s))",
			values: anyOf(tags),
		})
	}
	if len(m.notMakers) > 0 {
		c.also += " AND NOT (" + oneOf(c, "g.user_id", m.notMakers) + ")"
	}
	if len(m.notTags) > 0 {
		c.also += " AND NOT " + isTagged(c, m.notTags)
	}
	for _, t := range m.either {
		may := []string{}
		if match := s.db.Match([]string{t.word}); match != "" {
			may = append(may, fmt.Sprintf(s.db.Index().Check, c.arg(match), "%s"))
		}
		if len(t.makers) > 0 {
			may = append(may, oneOf(c, "g.user_id", t.makers))
		}
		if len(t.tags) > 0 {
			may = append(may, isTagged(c, t.tags))
		}
		c.also += " AND (" + strings.Join(may, " OR ") + ")"
	}
}

// isTagged returns the condition that the task at %s has one of the tags.
func isTagged(c *choice, tags []int64) string {
	return "EXISTS (SELECT 1 FROM task_tags e WHERE " + oneOf(c, "e.tag_id", tags) + " AND e.task_id = %s)"
}
