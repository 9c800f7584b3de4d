package cast

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Piece is a part of a text: plain text, a handle, or what looks like a handle although
// nobody in the cast is called that.
type Piece struct {
	Text    string // as it was typed, with the @ of a handle
	Handle  string // as Fold returns it; empty for plain text
	Unknown bool   // nobody in the cast has the handle, so the piece is sent as plain text
}

// MaxText is the length in bytes above which a text is not searched for handles: that of
// 8,000 characters, more than a prompt may have.
const MaxText = 32 << 10

// MaxUnknown limits how many different unknown handles of one request are reported. Each is
// compared with the whole cast, to suggest the member whose handle is most like it.
const MaxUnknown = 48

// longestRun is the number of characters after an @ that are compared with handles. It is
// more than a handle has, because accents may be characters of their own.
const longestRun = 128

// Pieces splits a text into plain text and handles. The Text fields together make up the
// text. The function known reports whether somebody in the cast has the handle, which is
// given as Fold returns it.
//
// An @ begins a handle at the start of the text, and after white space, an opening bracket,
// a quotation mark, a mark between words, and a letter or punctuation mark of a script
// without spaces. Within the
// address of a page or of a mailbox it is plain text. The longest handle that somebody
// has counts. It ends where the word ends; where a script has no spaces, or adds its
// particles to a word, other letters may follow.
func Pieces(text string, known func(handle string) bool) []Piece {
	if len(text) > MaxText || !strings.ContainsAny(text, "@＠") {
		return plain(nil, text)
	}
	var pieces []Piece
	from, address, last := 0, 0, ' '
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if beginsAddress(text, at) {
			address = max(address, at+addressLength(text[at:]))
		}
		if (r == '@' || r == '＠') && at >= address && mayPrecede(last) {
			if p := handleAt(text[at:], size, last, known); p.Text != "" {
				pieces = append(plain(pieces, text[from:at]), p)
				at += len(p.Text)
				from = at
				last, _ = utf8.DecodeLastRuneInString(p.Text)
				continue
			}
		}
		if !unicode.In(r, unicode.M, unicode.Bidi_Control) { // a mark belongs to the letter before it
			last = r
		}
		at += size
	}
	return plain(pieces, text[from:])
}

// plain adds plain text, if there is any.
func plain(pieces []Piece, text string) []Piece {
	if text == "" {
		return pieces
	}
	return append(pieces, Piece{Text: text})
}

// handleAt returns the handle with which the text begins, after an @ of that many bytes
// that follows the character before. The piece is empty if there is none.
func handleAt(text string, size int, before rune, known func(string) bool) Piece {
	ends := handleEnds(text[size:])
	if len(ends) == 0 || isMailbox(text[size+ends[len(ends)-1]:], before) {
		return Piece{}
	}
	for _, end := range slices.Backward(ends) {
		if handle := Fold(text[size : size+end]); known(handle) {
			return Piece{Text: text[:size+end], Handle: handle}
		}
	}
	end := wordEnd(text[size:], ends)
	return Piece{Text: text[:size+end], Handle: Fold(text[size : size+end]), Unknown: true}
}

// wordEnd returns the end at which a word of a script with spaces ends. In a script without
// spaces, it is the last end, because the word's is not known.
func wordEnd(text string, ends []int) int {
	for _, end := range ends {
		last, _ := utf8.DecodeLastRuneInString(text[:end])
		if next, _ := utf8.DecodeRuneInString(text[end:]); !isSpaceless(last) && isSpaceless(next) {
			return end
		}
	}
	return ends[len(ends)-1]
}

// handleEnds returns the offsets at which a handle that begins the text may end, in
// ascending order. There are none if the text begins with no letter or digit.
func handleEnds(text string) (ends []int) {
	last := rune(0) // the last character that is no mark
	end, n := 0, 0  // the end of the last letter or digit, because hyphens do not end a handle
	add := func() []int {
		if end == 0 || len(ends) > 0 && ends[len(ends)-1] == end {
			return ends
		}
		return append(ends, end)
	}
	for at, r := range text {
		n++
		switch {
		case n > longestRun:
			return ends
		case !inHandle(r):
			return add()
		case at == 0 && !isWordLetter(r):
			return nil
		case at > 0 && !isMark(r) && (isSpaceless(last) || mayFollow(r)) && norm.NFKC.PropertiesString(text[at:]).BoundaryBefore():
			ends = add()
		}
		if !isMark(r) {
			last = r
		}
		if last != '-' && last != '_' {
			end = at + utf8.RuneLen(r)
		}
	}
	return add()
}

// isWordLetter reports whether a handle may begin with the character.
func isWordLetter(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }

// isMark reports whether the character belongs to the letter before it.
func isMark(r rune) bool { return unicode.Is(unicode.M, r) || r == '\u200c' || r == '\u200d' }

func inHandle(r rune) bool { return isWordLetter(r) || isMark(r) || r == '-' || r == '_' }

// isSpaceless reports whether the letter is of a script that is written without spaces
// between words.
func isSpaceless(r rune) bool {
	return r >= 0x0E00 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan))
}

// mayFollow reports whether the letter may follow a handle directly. Korean particles
// follow a word without a space.
func mayFollow(r rune) bool { return isSpaceless(r) || unicode.Is(unicode.Hangul, r) }

// betweenWords are marks that stand between words without a space, unlike the slash, which
// stands before the @ of addresses as well.
const betweenWords = ",;:!?…–—+&*|<،؛؟"

// mayPrecede reports whether an @ after the character begins a handle.
func mayPrecede(r rune) bool {
	switch {
	case unicode.IsSpace(r), unicode.Is(unicode.Ps, r), isQuote(r), strings.ContainsRune(betweenWords, r):
		return true
	case r >= 0x3001 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF65: // the punctuation of Chinese and Japanese
		return unicode.Is(unicode.P, r) && r != '＠' && r != '＿' && r != '－' && r != '／' || isSpaceless(r)
	}
	return isSpaceless(r)
}

func isQuote(r rune) bool {
	return unicode.In(r, unicode.Pi, unicode.Pf) || strings.ContainsRune("\"'`´＂＇", r)
}

// isMailbox reports whether an @ is part of the address of a mailbox, by the text that
// follows the word after it and the character before the @.
func isMailbox(rest string, before rune) bool {
	r, size := utf8.DecodeRuneInString(rest)
	if r == '@' {
		return true
	}
	if r != '.' || !isSpaceless(before) && !isQuote(before) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest[size:])
	return isWordLetter(next)
}

// beginsAddress reports whether the address of a page begins in the text at the offset.
func beginsAddress(text string, at int) bool {
	rest := text[at:]
	if text[at] != ':' && text[at] != 'w' && text[at] != 'W' {
		return false
	}
	if strings.HasPrefix(rest, "://") {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return len(rest) > 4 && strings.EqualFold(rest[:4], "www.") && (at == 0 || !inHandle(r) || isSpaceless(r))
}

// addressLength returns the length of the address with which the text begins, in bytes.
func addressLength(text string) int {
	end := strings.IndexFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.Pi, unicode.Pf) || strings.ContainsRune(`"<>`, r) ||
			r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF65 && unicode.Is(unicode.P, r)
	})
	if end < 0 {
		return len(text)
	}
	return end
}

// Unknown returns what looks like handles although nobody in the cast is called that, as
// typed and each once.
func Unknown(pieces []Piece) (typed []string) {
	seen := map[string]bool{}
	for _, p := range pieces {
		if p.Unknown && !seen[p.Handle] {
			seen[p.Handle] = true
			typed = append(typed, p.Text)
		}
	}
	return typed
}

// Mentioned returns the handles of those in the cast who are in the text, each once and in
// the order of the text.
func Mentioned(pieces []Piece) (handles []string) {
	seen := map[string]bool{}
	for _, p := range pieces {
		if p.Handle != "" && !p.Unknown && !seen[p.Handle] {
			seen[p.Handle] = true
			handles = append(handles, p.Handle)
		}
	}
	return handles
}

// Write returns the text with each handle replaced by what the function words returns for
// it: first says that it is the first mention. The words are not searched for handles.
func Write(pieces []Piece, words func(handle string, first bool) string) string {
	var text strings.Builder
	seen := map[string]bool{}
	for _, p := range pieces {
		if p.Handle == "" || p.Unknown {
			text.WriteString(p.Text)
			continue
		}
		text.WriteString(words(p.Handle, !seen[p.Handle]))
		seen[p.Handle] = true
	}
	return text.String()
}
