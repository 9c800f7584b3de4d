package engine

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	maxTerms      = 8  // in a query; further ones are ignored
	maxTermLength = 32 // characters; a longer word is cut, and found as a prefix
)

// Terms returns the words of a query, which is untrusted text, in the form of the search
// index: sequences of letters, digits and the marks on them. They have no characters with a
// special meaning to an index. Each is to be found at the beginning of a word.
func Terms(query string) (terms []string) {
	for word := range strings.FieldsFuncSeq(norm.NFKC.String(query),
		func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }) {
		if !strings.ContainsFunc(word, func(r rune) bool { return !unicode.Is(unicode.M, r) }) {
			continue // only marks
		}
		if runes := []rune(word); len(runes) > maxTermLength {
			word = string(runes[:maxTermLength])
		}
		if terms = append(terms, IndexText(word)); len(terms) == maxTerms {
			break
		}
	}
	return terms
}

// IndexText returns the text in the form of the search index: different encodings of a
// character become the same, and characters of scripts without spaces become separate
// words, so that any part of a text is found as a phrase. Korean has spaces; its words
// are found by their beginnings, whatever particle follows.
func IndexText(text string) string {
	text = norm.NFKC.String(text)
	if !strings.ContainsFunc(text, func(r rune) bool { return runsOn(r) || unicode.Is(unicode.Variation_Selector, r) }) {
		return text
	}
	var b strings.Builder
	apart := false // the last character has become a separate word
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Variation_Selector, r): // after an emoji it would be the beginning of the next word
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
	return r >= 0x0E00 && !unicode.Is(unicode.M, r) &&
		(r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi,
			unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan))
}

// Contains reports whether the words of the term, of which the last may be a prefix, follow
// each other in the text.
func Contains(text, term []string) bool {
	last := len(term) - 1
search:
	for at := 0; last >= 0 && at+last < len(text); at++ {
		if !strings.HasPrefix(text[at+last], term[last]) {
			continue
		}
		for i, word := range term[:last] {
			if text[at+i] != word {
				continue search
			}
		}
		return true
	}
	return false
}

// longestWord limits the letters of a word. Words that are searched for are shorter.
const longestWord = 64

// Split returns the words of a text as SQLite's tokenizer unicode61 splits them:
// runs of letters, digits and marks, case-folded, Latin letters without their
// marks.
func Split(text string) (words []string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }) {
		var b strings.Builder
		n := 0
		for _, r := range word {
			if r = fold(r); r != 0 && n < longestWord {
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
