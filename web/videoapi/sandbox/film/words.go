package film

import (
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"
)

// maxRunes bounds the part of a prompt that is used. No title shows more.
const maxRunes = 700

// The sentences by which a film says that it leaves out parts of its prompt.
const (
	nothingShown = "This film cannot show the characters of its prompt"
	wordsMissing = "Words in other scripts are left out"
)

// legible returns the part of a prompt that the font can draw, in single spaces,
// and whether words are missing. The Go fonts have Latin, Greek and Cyrillic
// letters. A word with any other letter is left out as a whole; other signs and
// emoji are removed one by one, so that no empty boxes are drawn. If less than
// half of the letters would remain, the text is nothingShown.
func legible(prompt string, f *sfnt.Font) (text string, missing bool) {
	var (
		buf         sfnt.Buffer
		words       []string
		kept, total int
	)
	has := func(r rune) bool {
		g, err := f.GlyphIndex(&buf, r)
		return err == nil && g != 0 && unicode.IsGraphic(r)
	}
	for _, word := range strings.Fields(norm.NFC.String(firstRunes(prompt, maxRunes))) {
		letters, whole := 0, true
		shown := strings.Map(func(r rune) rune {
			letter := unicode.In(r, unicode.L, unicode.M, unicode.N)
			if letter {
				letters++
			}
			if has(r) {
				return r
			}
			// Marks such as the emoji selectors belong to a sign, not to a word.
			whole = whole && (!letter || unicode.Is(unicode.Variation_Selector, r))
			return -1
		}, word)
		total += letters
		if whole && shown != "" {
			words = append(words, shown)
			kept += letters
		}
	}
	if total == 0 && len(words) == 0 && strings.TrimSpace(prompt) != "" || kept*2 < total {
		return nothingShown, false
	}
	return strings.Join(words, " "), kept < total
}

// firstRunes returns the first n runes of s, without invalid UTF-8.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return strings.ToValidUTF8(s[:i], "")
		}
		n--
	}
	return strings.ToValidUTF8(s, "")
}
