package db

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Blank is something that a recipe leaves open: words of the prompt, or a
// picture.
type Blank struct {
	Name    string
	Picture bool
}

// Key returns the key under which blanks are compared.
func (b Blank) Key() string { return BlankKey(b.Name) }

// BlankKey returns the key under which the names of blanks are compared: neither
// case nor the spaces around them matter.
func BlankKey(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// MaxBlankName is how many characters the name of a blank may have.
const MaxBlankName = 40

// A Piece is a part of a prompt: text as it stands, or else a blank.
type Piece struct {
	Text  string // as it was typed, the braces of a blank too
	Blank string // its name; empty for text
}

// blanks finds names in double braces: letters of any script with the marks
// and joiners that some need, digits, spaces, - and _.
var blanks = regexp.MustCompile(`\{\{([\p{L}\p{M}\p{N}\p{Zs}\t\x{200C}\x{200D}_-]+)\}\}`)

// Pieces takes a prompt apart. Together their texts are the prompt. Braces that
// hold no name, or are not closed, are text.
func Pieces(prompt string) []Piece {
	var pieces []Piece
	text := 0 // where the text that was not taken yet begins
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

// BlankName returns the text as the name of a blank, or empty if it cannot be one.
func BlankName(text string) string {
	name := strings.Join(strings.Fields(text), " ")
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	if !strings.ContainsFunc(name, letter) || utf8.RuneCountInString(name) > MaxBlankName || !blanks.MatchString("{{"+name+"}}") {
		return ""
	}
	return name
}

// PictureBlank returns the name of the blank that stands in a picture's place.
func PictureBlank(picture string) (name string, ok bool) {
	pieces := Pieces(strings.TrimSpace(picture))
	if len(pieces) != 1 || pieces[0].Blank == "" {
		return "", false
	}
	return pieces[0].Blank, true
}

// StrayBraces reports whether the text of the prompt holds double braces that
// make no blank, which may be a slip.
func StrayBraces(prompt string) bool {
	for _, p := range Pieces(prompt) {
		if p.Blank == "" && (strings.Contains(p.Text, "{{") || strings.Contains(p.Text, "}}")) {
			return true
		}
	}
	return false
}
