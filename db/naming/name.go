// Package naming decides what a name may contain and when two names are the same.
package naming

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// maxMarks limits the combining marks on one character: those above, below or around
// it, and, counted separately, those beside it, of which Burmese has several.
const maxMarks = 4

// Clean returns the text as a name may be stored and shown: one line, without
// characters that mislead readers. It is the only place that decides what a name may
// contain, whoever or whatever has the name.
//
// It removes invalid UTF-8, control characters, characters that change the direction of
// writing, invisible and private characters, letters and symbols that look blank, marks
// without a character to stand on, and more than maxMarks marks on one character. Spaces
// of any kind become single ones. It keeps emoji sequences, the variants of Chinese
// characters, and the joiners in words of scripts that need them, such as Persian and
// Hindi. The result is empty if nothing visible is left; Clean(Clean(s)) equals
// Clean(s).
func Clean(text string) string {
	if isTidy(text) {
		return text
	}
	return strings.Join(strings.Fields(clean(text, func(rune) bool { return false })), " ")
}

// CleanLines is like Clean for text of several lines, such as a note. It keeps line
// breaks, tabs, and several spaces in a row.
func CleanLines(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text)
	return strings.TrimSpace(clean(text, func(r rune) bool { return r == '\n' || r == '\t' }))
}

// Short is like Clean, and cuts the name to at most the number of characters.
func Short(text string, most int) string {
	name := Clean(text)
	if letters := []rune(name); len(letters) > most {
		name = Clean(string(letters[:most])) // again, because the cut may separate a joiner from what it joins
	}
	return name
}

// LooksBlank reports whether something was typed of which nothing can be seen.
func LooksBlank(text string) bool {
	return strings.TrimSpace(text) != "" && Clean(text) == ""
}

// Key returns the key under which names are compared. Names that differ only in case
// or in ways that cannot be seen have the same key.
func Key(name string) string {
	var key strings.Builder
	last := rune(0)
	for _, r := range strings.ToLower(norm.NFC.String(Clean(name))) {
		if unicode.Is(unicode.Variation_Selector, r) || isJoiner(r) && unicode.In(last, unicode.L, unicode.M) {
			continue
		}
		key.WriteRune(r)
		last = r
	}
	return norm.NFC.String(key.String())
}

// Isolated returns the text as it can stand within a sentence of plain text, such as the
// title of a page: on one line, without direction controls, and, if it has letters that
// are written from right to left, between marks that keep them from changing the order
// of the words around it. Within HTML, <bdi> does this for text as it was typed.
func Isolated(text string) string { return Isolate(Clean(text)) }

// Isolate is like Isolated for a name that Clean has returned.
func Isolate(text string) string {
	if !strings.ContainsFunc(text, isRightToLeft) {
		return text
	}
	return "\u2068" + text + "\u2069"
}

// isRightToLeft reports whether the letter or digit is written from right to left, or in
// an order that depends on the letters beside it.
func isRightToLeft(r rune) bool {
	if r < 0x0590 {
		return false
	}
	p, _ := bidi.LookupRune(r)
	switch p.Class() {
	case bidi.R, bidi.AL, bidi.AN:
		return true
	}
	return false
}

// isTidy reports whether the text is of printable ASCII characters on one line without
// superfluous spaces, as nearly all names are.
func isTidy(text string) bool {
	last := byte(' ')
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == ' ' && last == ' ' {
			return false
		}
		last = text[i]
	}
	return text == "" || last != ' '
}

// clean does the work of Clean and CleanLines. Spaces become ASCII spaces unless
// they are to be kept.
func clean(text string, keep func(rune) bool) string {
	whole := withoutExcess(text, keep)
	out := make([]rune, 0, len(whole))
	for i, r := range whole {
		var next rune
		if i+1 < len(whole) {
			next = whole[i+1]
		}
		switch {
		case isTag(r):
			if mayBeTag(whole, i) {
				out = append(out, r)
			}
		case !dependsOnNeighbours(r) || fits(out, r, next):
			out = append(out, r)
		}
	}
	return string(out)
}

// withoutExcess removes what no name contains wherever it stands. What depends on the
// characters beside it is left.
func withoutExcess(text string, keep func(rune) bool) (out []rune) {
	based, marks, beside := false, 0, 0
	out = make([]rune, 0, len(text))
	for _, r := range strings.ToValidUTF8(text, "") {
		switch {
		case standsAlone(r):
			based, marks, beside = true, 0, 0
		case dependsOnNeighbours(r):
			out = append(out, r)
			continue
		case keep(r):
			based = false
		case unicode.IsSpace(r) || unicode.In(r, unicode.Z):
			r, based = ' ', false
		case isHidden(r):
			continue
		case unicode.Is(unicode.Mc, r):
			if beside++; !based || beside > maxMarks {
				continue
			}
		case unicode.Is(unicode.M, r):
			if marks++; !based || marks > maxMarks {
				continue
			}
		default:
			based, marks, beside = true, 0, 0
		}
		out = append(out, r)
	}
	return out
}

// standsAlone reports whether the character is visible and stands by itself, for the frequent
// ones of which that is known without tables: those of ASCII, Latin and Cyrillic letters,
// Chinese characters and Korean syllables.
func standsAlone(r rune) bool {
	return r > ' ' && r < unicode.MaxASCII || r >= 'À' && r <= 'ɏ' || r >= 'Ѐ' && r <= 'ҁ' || r >= '一' && r <= '鿿' || r >= '가' && r <= '힣'
}

// isHidden reports whether the character is never part of a name, because it cannot be
// seen, changes how others are shown, or means something else on every device.
func isHidden(r rune) bool {
	switch {
	case Invisible(r), r == unicode.ReplacementChar, unicode.In(r, unicode.Co, unicode.Cs, blanks15):
		return true
	case unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S):
		return false
	}
	// Not assigned in the tables of this version of Go: newer emoji and newer Chinese
	// characters are visible; of others nobody knows.
	return !unicode.Is(pictographs, r) && !(r >= 0x20000 && r <= 0x3FFFD && r&0xFFFF < 0xFFFE)
}

// blanks15 are the visible characters, by their category, that look blank, as of Unicode
// 15. The others are in unicode.Other_Default_Ignorable_Code_Point.
var blanks15 = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x2800, 0x2800, 1}, // a Braille pattern without dots
		{0x2D7F, 0x2D7F, 1}, // a joiner of Tifinagh
		{0xFFFC, 0xFFFC, 1}, // stands for an object that is not there
	},
	R32: []unicode.Range32{
		{0x1107F, 0x1107F, 1}, // a joiner of Brahmi numbers
		{0x13441, 0x13442, 1}, // blank hieroglyphs
		{0x16FE4, 0x16FE4, 1}, // a filler of Khitan
		{0x1D159, 0x1D159, 1}, // a note without a head
	},
}

const (
	firstDependent  = '\u180B' // a variation selector of Mongolian; no lower character dependsOnNeighbours
	nonJoiner       = '\u200C'
	joiner          = '\u200D'
	vowelSeparator  = '\u180E' // of Mongolian
	textStyle       = '\uFE0E'
	emojiStyle      = '\uFE0F'
	keycap          = '\u20E3'
	blackFlag       = '\U0001F3F4'
	cancelTag       = '\U000E007F'
	minTags         = 3 // of a region in a flag, such as gbsct
	maxTagsOfFlag   = 6
	firstSkinTone   = '\U0001F3FB'
	lastSkinTone    = '\U0001F3FF'
	firstIdeographs = '\uFE00' // variants of Chinese characters
	lastIdeographs  = '\uFE02'
)

func isJoiner(r rune) bool { return r == joiner || r == nonJoiner }

func isTag(r rune) bool { return r >= 0xE0020 && r <= cancelTag }

func isSkinTone(r rune) bool { return r >= firstSkinTone && r <= lastSkinTone }

// dependsOnNeighbours reports whether the invisible character belongs into a name in
// some places.
func dependsOnNeighbours(r rune) bool {
	return r >= firstDependent && (isJoiner(r) || isTag(r) || r == vowelSeparator || unicode.Is(unicode.Variation_Selector, r))
}

// fits reports whether the character, which dependsOnNeighbours, may stand between what
// was written before and the next character.
func fits(before []rune, r, next rune) bool {
	last := rune(0)
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	switch {
	case isJoiner(r):
		return joinsEmoji(before, r, next) || joinsLetters(before, r, next)
	case r == vowelSeparator:
		return unicode.Is(unicode.Mongolian, last) && unicode.Is(unicode.Mongolian, next)
	case r == emojiStyle || r == textStyle:
		if last < unicode.MaxASCII {
			return next == keycap && strings.ContainsRune("0123456789#*", last)
		}
		return unicode.Is(pictographs, last) && !isSkinTone(last)
	case unicode.Is(unicode.Mongolian, r): // one of its variation selectors
		return unicode.Is(unicode.Mongolian, last) && unicode.IsLetter(last)
	case r >= firstIdeographs && r <= lastIdeographs || r >= 0xE0100:
		return unicode.Is(unicode.Han, last) && unicode.IsLetter(last)
	}
	return false
}

// joinsEmoji reports whether a joiner makes one picture of two emoji, the first of which
// may have a style or a skin tone.
func joinsEmoji(before []rune, r, next rune) bool {
	if len(before) > 1 && before[len(before)-1] == emojiStyle {
		before = before[:len(before)-1]
	}
	return r == joiner && len(before) > 0 && unicode.Is(pictographs, before[len(before)-1]) &&
		unicode.Is(pictographs, next) && !isSkinTone(next)
}

// virama is the canonical combining class of the marks that take a consonant's vowel
// away.
const virama = 9

// joinsLetters reports whether a joiner stands within a word of a script in which it
// changes the shapes of letters. After a virama it may also end the word, as in older
// spellings of Malayalam.
func joinsLetters(before []rune, r, next rune) bool {
	at := len(before) - 1
	if at >= 0 && r == joiner && norm.NFC.PropertiesString(string(before[at])).CCC() == virama {
		return true
	}
	for at > 0 && unicode.Is(unicode.Inherited, before[at]) && unicode.Is(unicode.M, before[at]) {
		at--
	}
	if at < 0 || !unicode.In(before[at], unicode.L, unicode.M) || !unicode.In(next, unicode.L, unicode.M) {
		return false
	}
	for _, script := range joining {
		if unicode.Is(script, before[at]) {
			return unicode.Is(script, next)
		}
	}
	return false
}

// joining are the scripts in which joiners change the shapes of letters.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
	unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Myanmar, unicode.Khmer, unicode.Tibetan, unicode.Mongolian, unicode.Syriac,
	unicode.Mandaic, unicode.Nko, unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Phags_Pa, unicode.Manichaean, unicode.Sogdian,
	unicode.Balinese, unicode.Javanese, unicode.Sundanese, unicode.Grantha, unicode.Tirhuta, unicode.Newa,
	unicode.Chakma, unicode.Meetei_Mayek,
	unicode.Kaithi, unicode.Sharada, unicode.Brahmi, unicode.Limbu, unicode.Tai_Tham, unicode.Saurashtra, unicode.Khojki, unicode.Modi,
	unicode.Takri, unicode.Siddham, unicode.Kharoshthi, unicode.Khudawadi, unicode.Mahajani, unicode.Ahom,
	unicode.Bhaiksuki, unicode.Masaram_Gondi,
	unicode.Gunjala_Gondi, unicode.Nandinagari, unicode.Zanabazar_Square, unicode.Soyombo, unicode.Syloti_Nagri, unicode.Dives_Akuru,
}

// mayBeTag reports whether the tag at the position is part of the flag of a region, such
// as Scotland: a black flag, the letters of its code as tags, and a tag that ends them.
// Other tags could hide a message.
func mayBeTag(text []rune, at int) bool {
	first, end := at, at
	for first > max(0, at-maxTagsOfFlag) && isTag(text[first-1]) && text[first-1] != cancelTag {
		first--
	}
	for end < min(len(text), at+maxTagsOfFlag) && isTag(text[end]) && text[end] != cancelTag {
		end++
	}
	n := end - first
	if first == 0 || end == len(text) || text[first-1] != blackFlag || text[end] != cancelTag || n < minTags || n > maxTagsOfFlag {
		return false
	}
	for _, r := range text[first:end] {
		if c := r - 0xE0000; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9') {
			return false
		}
	}
	return true
}

// pictographs are the characters of which emoji are made, with those that are reserved
// for future ones: the property Extended_Pictographic of Unicode 15, and skin tones.
var pictographs = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00A9, 0x00A9, 1}, {0x00AE, 0x00AE, 1}, {0x203C, 0x203C, 1}, {0x2049, 0x2049, 1}, {0x2122, 0x2122, 1}, {0x2139, 0x2139, 1},
		{0x2194, 0x2199, 1}, {0x21A9, 0x21AA, 1}, {0x231A, 0x231B, 1}, {0x2328, 0x2328, 1}, {0x2388, 0x2388, 1}, {0x23CF, 0x23CF, 1},
		{0x23E9, 0x23F3, 1}, {0x23F8, 0x23FA, 1}, {0x24C2, 0x24C2, 1}, {0x25AA, 0x25AB, 1}, {0x25B6, 0x25B6, 1}, {0x25C0, 0x25C0, 1},
		{0x25FB, 0x25FE, 1}, {0x2600, 0x2605, 1}, {0x2607, 0x2612, 1}, {0x2614, 0x2685, 1}, {0x2690, 0x2705, 1}, {0x2708, 0x2712, 1},
		{0x2714, 0x2714, 1}, {0x2716, 0x2716, 1}, {0x271D, 0x271D, 1}, {0x2721, 0x2721, 1}, {0x2728, 0x2728, 1}, {0x2733, 0x2734, 1},
		{0x2744, 0x2744, 1}, {0x2747, 0x2747, 1}, {0x274C, 0x274C, 1}, {0x274E, 0x274E, 1}, {0x2753, 0x2755, 1}, {0x2757, 0x2757, 1},
		{0x2763, 0x2767, 1}, {0x2795, 0x2797, 1}, {0x27A1, 0x27A1, 1}, {0x27B0, 0x27B0, 1}, {0x27BF, 0x27BF, 1}, {0x2934, 0x2935, 1},
		{0x2B05, 0x2B07, 1}, {0x2B1B, 0x2B1C, 1}, {0x2B50, 0x2B50, 1}, {0x2B55, 0x2B55, 1}, {0x3030, 0x3030, 1}, {0x303D, 0x303D, 1},
		{0x3297, 0x3297, 1}, {0x3299, 0x3299, 1},
	},
	R32: []unicode.Range32{
		{0x1F000, 0x1F0FF, 1}, {0x1F10D, 0x1F10F, 1}, {0x1F12F, 0x1F12F, 1}, {0x1F16C, 0x1F171, 1}, {0x1F17E, 0x1F17F, 1},
		{0x1F18E, 0x1F18E, 1}, {0x1F191, 0x1F19A, 1}, {0x1F1AD, 0x1F1E5, 1}, {0x1F201, 0x1F20F, 1}, {0x1F21A, 0x1F21A, 1},
		{0x1F22F, 0x1F22F, 1}, {0x1F232, 0x1F23A, 1}, {0x1F23C, 0x1F23F, 1}, {0x1F249, 0x1F53D, 1}, {0x1F546, 0x1F64F, 1},
		{0x1F680, 0x1F6FF, 1}, {0x1F774, 0x1F77F, 1}, {0x1F7D5, 0x1F7FF, 1}, {0x1F80C, 0x1F80F, 1}, {0x1F848, 0x1F84F, 1},
		{0x1F85A, 0x1F85F, 1}, {0x1F888, 0x1F88F, 1}, {0x1F8AE, 0x1F8FF, 1}, {0x1F90C, 0x1F93A, 1}, {0x1F93C, 0x1F945, 1},
		{0x1F947, 0x1FAFF, 1}, {0x1FC00, 0x1FFFD, 1},
	},
	LatinOffset: 2,
}

// Invisible reports whether the character cannot be seen, or only changes how others are
// shown.
func Invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point) ||
		r == '\u2800' // a Braille pattern without dots
}
