package sqlite

import (
	"database/sql/driver"
	"strings"
	"sync/atomic"

	engine "modernc.org/sqlite"

	store "dailies/db/store/engine"
)

// addFunctions adds the SQL function has_words(text, match) to the driver's
// connections. It is 1 if the text contains the words of an expression of DB.Match. The
// index of words answers the same for all tasks in the order of their IDs, but for a
// single task it takes much longer.
func addFunctions(d *engine.Driver) error {
	var newest atomic.Pointer[matcher] // of a statement, which calls it for each row
	return d.RegisterDeterministicScalarFunction("has_words", 2,
		func(_ *engine.FunctionContext, args []driver.Value) (driver.Value, error) {
			text, _ := args[0].(string)
			match, _ := args[1].(string)
			m := newest.Load()
			if m == nil || m.match != match {
				m = newMatcher(match)
				newest.Store(m)
			}
			if m.matches(text) {
				return int64(1), nil
			}
			return int64(0), nil
		})
}

// A matcher finds the terms of an expression of DB.Match in a text.
type matcher struct {
	match string
	terms [][]string // the words of each term, which are adjacent; the last one may be a prefix
	plain bool       // each term is one word of ASCII letters and digits
}

func newMatcher(match string) *matcher {
	m := &matcher{match: match, plain: true}
	for i, term := range strings.Split(match, `"`) {
		if words := store.Split(term); i%2 == 1 && len(words) > 0 {
			m.terms = append(m.terms, words)
			m.plain = m.plain && len(words) == 1 && isASCII(words[0])
		}
	}
	m.plain = m.plain && len(m.terms) <= 32
	return m
}

func (m *matcher) matches(text string) bool {
	if m.plain && isASCII(text) {
		return m.matchesPlain(text)
	}
	words := store.Split(text)
	for _, term := range m.terms {
		if !store.Contains(words, term) {
			return false
		}
	}
	return len(m.terms) > 0
}

// matchesPlain is matches for plain terms and an ASCII text, which is what most are. It
// allocates nothing.
func (m *matcher) matchesPlain(text string) bool {
	found := 0 // bits, one for each term
	inWord := false
	for at := range len(text) {
		isLetter := isWord(text[at])
		if isLetter && !inWord {
			for i, term := range m.terms {
				if rest := text[at:]; len(rest) >= len(term[0]) && strings.EqualFold(rest[:len(term[0])], term[0]) {
					found |= 1 << i
				}
			}
			if found == 1<<len(m.terms)-1 {
				return len(m.terms) > 0
			}
		}
		inWord = isLetter
	}
	return false
}

// isWord reports whether the ASCII character belongs to a word.
func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
