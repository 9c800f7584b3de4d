package db

import (
	"fmt"
	"strings"
	"unicode"
)

// Bounds of a file's name: of the words in it, in characters and in bytes.
// With what stands around them it fits into the 255 bytes that file systems
// take.
const (
	maxFileWords = 60
	maxFileBytes = 180
)

// Name returns what the file is called outside: its number, words that tell what it
// shows, and the ending of its type.
func (m Media) Name(words string) string {
	name := fmt.Sprintf("dailies-%d", m.TaskID)
	if m.Position > 0 {
		name += fmt.Sprintf("-%d", m.Position+1)
	}
	return FileName(name, words) + m.ending()
}

func (m Media) ending() string {
	_, kind, _ := strings.Cut(m.Type, "/")
	switch kind {
	case "quicktime":
		return ".mov"
	case "jpeg":
		return ".jpg"
	}
	return "." + kind
}

// FileName returns the name and as many of the words behind it as every file system
// takes, in any script and without an ending. The name makes it unique and
// keeps it off the names that Windows has reserved.
func FileName(name, words string) string {
	words = strings.Join(strings.Fields(strings.Map(nameable, words)), " ")
	if letters := []rune(words); len(letters) > maxFileWords {
		words = wholeWords(string(letters[:maxFileWords]))
	}
	if len(words) > maxFileBytes {
		words = wholeWords(strings.ToValidUTF8(words[:maxFileBytes], ""))
	}
	return strings.TrimRight(name+" "+words, " .")
}

// nameable returns the character if it may stand in the name of a file, else a
// space. What cannot be seen is left out: it could turn the name around.
func nameable(r rune) rune {
	switch {
	case unicode.IsSpace(r), strings.ContainsRune(`/\:*?"<>|`, r):
		return ' '
	case !unicode.IsPrint(r), r == unicode.ReplacementChar:
		return -1
	}
	return r
}

// wholeWords leaves out a last word that was cut, if there are others.
func wholeWords(cut string) string {
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		return cut[:space]
	}
	return cut
}
