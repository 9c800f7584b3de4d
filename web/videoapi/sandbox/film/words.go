package film

import (
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"
)

// maxRunes is how much of a prompt is looked at: no title shows more.
const maxRunes = 700

// motif stands for a prompt whose script the fonts do not have.
const motif = "“…”"

// legible returns what can be drawn of a prompt with the font's glyphs, in single
// spaces. The Go fonts have Latin, Greek and Cyrillic. A word with a letter
// they lack is left out whole, signs and emoji one by one, so that no boxes
// are drawn; where less than half of the letters would remain, the motif
// stands for all of them.
func legible(prompt string, f *sfnt.Font) string {
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
		return motif
	}
	return strings.Join(words, " ")
}

// firstRunes cuts s after n runes, and repairs invalid UTF-8.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return strings.ToValidUTF8(s[:i], "")
		}
		n--
	}
	return strings.ToValidUTF8(s, "")
}
