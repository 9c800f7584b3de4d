package db

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// EmailKey returns the form of an e-mail address in which two spellings of one
// address are equal: in lower case, with compatibility characters such as
// fullwidth letters replaced, without what cannot be seen.
func EmailKey(email string) string {
	visible := strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, email)
	return strings.TrimSpace(norm.NFKC.String(strings.ToLower(norm.NFKC.String(visible))))
}

// HasInvisible reports whether the text has a character that cannot be seen,
// such as a zero-width space.
func HasInvisible(text string) bool { return strings.ContainsFunc(text, invisible) }

func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
		r == '\u2800' // a Braille pattern without dots
}
