package engine

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

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
