package video

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"dailies/db"
	"dailies/db/store/engine"
)

const (
	maxWords      = 8  // in a query; further ones are ignored
	maxWordLength = 32 // characters; a longer word is cut, and found as a prefix
)

// terms returns the words of the query in the form of the search index. Each must be
// the beginning of a word of the title or the prompt.
func (s *Search) terms(query string) (terms []string) {
	for _, word := range words(query) {
		if term := searched(word); s.db.Match([]string{term}) != "" {
			terms = append(terms, term)
		}
	}
	return terms
}

// words returns the searchable words of untrusted text: sequences of letters, digits
// and the marks on them. They have no characters with a special meaning to a search
// index.
func words(query string) []string {
	var found []string
	for word := range strings.FieldsFuncSeq(norm.NFKC.String(query), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }) {
		if !strings.ContainsFunc(word, func(r rune) bool { return !unicode.Is(unicode.M, r) }) {
			continue // only marks
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

// searched returns the text in the form of the search index: different encodings of a
// character become the same, and characters of scripts without spaces become separate
// words, so that any part of a text is found as a phrase. Korean has spaces; its words
// are found by their beginnings, whatever particle follows.
func searched(text string) string {
	text = norm.NFKC.String(text)
	if !strings.ContainsFunc(text, runsOn) {
		return text
	}
	var b strings.Builder
	apart := false // the last character has become a separate word
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Variation_Selector, r):
			continue
		case unicode.Is(unicode.M, r): // stays with the character that it is on
		case runsOn(r):
			b.WriteByte(' ')
			apart = true
		case apart:
			b.WriteByte(' ')
			apart = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// runsOn reports whether the character belongs to a script that is written without
// spaces between words.
func runsOn(r rune) bool {
	return r >= 0x0E00 && !unicode.Is(unicode.M, r) && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan))
}

// wordsIn returns the title and the prompt in the form of the search index.
func wordsIn(t db.Task) string {
	if t.Title == "" {
		return searched(t.Prompt)
	}
	return searched(strings.TrimSpace(t.Title + "\n" + t.Prompt))
}

// FillWords is part of a migration of SQLite: it fills the column words of tasks that
// were added before the column existed.
func FillWords(tx *engine.Tx) {
	for last := int64(0); ; {
		tasks := engine.All(tx, engine.ScanFields(promptFields), `SELECT id, prompt FROM tasks WHERE id > $1 ORDER BY id LIMIT 1000`, last)
		if !tx.OK() || len(tasks) == 0 {
			return
		}
		for _, t := range tasks {
			last = t.ID
			words := wordsIn(t)
			if words == t.Prompt {
				continue
			}
			tx.Exec(`UPDATE tasks SET words = $1 WHERE id = $2`, words, t.ID)
		}
	}
}

func promptFields(t *db.Task) []any {
	return []any{&t.ID, &t.Prompt}
}
