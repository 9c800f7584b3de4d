package ordering

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"dailies/db/naming"
)

// A Blank is a placeholder in a recipe, for words of the prompt or for a picture.
type Blank struct {
	Name    string
	Picture bool
}

// Key returns the key under which blanks are compared.
func (b Blank) Key() string { return BlankKey(b.Name) }

// BlankKey returns the key under which the names of blanks are compared.
func BlankKey(name string) string { return naming.Key(name) }

// MaxBlankName limits the name of a blank, in characters.
const MaxBlankName = 40

// A Piece is a part of a prompt: either plain text or a blank.
type Piece struct {
	Text  string // as it was typed; a blank's with its braces
	Blank string // the blank's name; empty for plain text
}

// blanks matches names in double braces: letters of any script with the combining
// marks and joiners that some scripts need, digits, spaces, - and _.
var blanks = regexp.MustCompile(`\{\{([\p{L}\p{M}\p{N}\p{Zs}\t\x{200C}\x{200D}_-]+)\}\}`)

// Pieces splits a prompt into text and blanks. The Text fields together make up the
// prompt. Braces that contain no name or are not closed are plain text.
func Pieces(prompt string) []Piece {
	var pieces []Piece
	text := 0 // where the text that is not in pieces yet begins
	for _, at := range blanks.FindAllStringSubmatchIndex(prompt, -1) {
		name := BlankName(prompt[at[2]:at[3]])
		if name == "" {
			continue
		}
		if at[0] > text {
			pieces = append(pieces, Piece{Text: prompt[text:at[0]]})
		}
		pieces = append(pieces, Piece{Text: prompt[at[0]:at[1]], Blank: name})
		text = at[1]
	}
	if text < len(prompt) {
		pieces = append(pieces, Piece{Text: prompt[text:]})
	}
	return pieces
}

// BlankName returns the text as the name of a blank, or "" if it is not a valid
// name.
func BlankName(text string) string {
	name := naming.Clean(text)
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	if !strings.ContainsFunc(name, letter) || utf8.RuneCountInString(name) > MaxBlankName || !blanks.MatchString("{{"+name+"}}") {
		return ""
	}
	return name
}

// PictureBlank returns the name of the blank that takes the place of a picture.
func PictureBlank(picture string) (name string, ok bool) {
	pieces := Pieces(strings.TrimSpace(picture))
	if len(pieces) != 1 || pieces[0].Blank == "" {
		return "", false
	}
	return pieces[0].Blank, true
}

// StrayBraces reports whether the prompt contains double braces that form no blank,
// which may be a mistake.
func StrayBraces(prompt string) bool {
	for _, p := range Pieces(prompt) {
		if p.Blank == "" && (strings.Contains(p.Text, "{{") || strings.Contains(p.Text, "}}")) {
			return true
		}
	}
	return false
}
