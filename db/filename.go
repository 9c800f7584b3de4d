package db

import (
	"fmt"
	"slices"
	"strings"

	"dailies/db/naming"
)

// Limits of the words in a file name, in characters and in bytes. With the rest of
// the name they fit into the 255 bytes that file systems accept.
const (
	maxFileWords = 60
	maxFileBytes = 180
)

// Name returns the file name for downloads: the task's ID, the words, which
// describe the video, and the extension of the file's type.
func (m Media) Name(words string) string {
	name := fmt.Sprintf("dailies-%d", m.TaskID)
	if m.Position > 0 {
		name += fmt.Sprintf("-%d", m.Position+1)
	}
	return FileName(name, words) + m.Ending()
}

// Title returns the file name for the download of a single video: its title or other words,
// and the extension of the file's type. Without words, or with those that Windows keeps for
// devices, it is Name.
func (m Media) Title(words string) string {
	title := FileName("", words)
	if m.Position > 0 && title != "" {
		title = fmt.Sprintf("%s %d", title, m.Position+1)
	}
	device, _, _ := strings.Cut(strings.ToLower(title), ".")
	if title == "" || strings.HasPrefix(title, ".") || slices.Contains(devices, strings.TrimSpace(device)) {
		return m.Name(words)
	}
	return title + m.Ending()
}

// devices are names that Windows keeps for itself, with any extension.
var devices = strings.Fields("con prn aux nul com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 com¹ com² com³ lpt¹ lpt² lpt³ conin$ conout$")

// Ending returns the extension of the file's type, with its dot.
func (m Media) Ending() string {
	_, kind, _ := strings.Cut(m.Type, "/")
	switch kind {
	case "quicktime":
		return ".mov"
	case "x-matroska":
		return ".mkv"
	case "mp2t":
		return ".ts"
	case "jpeg":
		return ".jpg"
	}
	return "." + kind
}

// FileName returns the name followed by as many of the words as every file system
// accepts, in any script, without an extension and without what naming.Clean removes. The
// leading name makes the result unique, and different from the names that Windows
// reserves.
func FileName(name, words string) string {
	words = naming.Clean(strings.Map(nameable, words))
	if letters := []rune(words); len(letters) > maxFileWords {
		words = wholeWords(string(letters[:maxFileWords]))
	}
	if len(words) > maxFileBytes {
		words = wholeWords(strings.ToValidUTF8(words[:maxFileBytes], ""))
	}
	return strings.TrimRight(strings.TrimLeft(name+" "+naming.Clean(words), " "), " .")
}

// nameable returns the character if every system accepts it in a file name, else a
// space.
func nameable(r rune) rune {
	if strings.ContainsRune(`/\:*?"<>|`, r) {
		return ' '
	}
	return r
}

// wholeWords drops the truncated last word, if that leaves more than half of the
// text.
func wholeWords(cut string) string {
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		return cut[:space]
	}
	return cut
}
