package format

import (
	"strings"
	"unicode/utf8"
)

// Cell returns the text for a cell of a CSV file that may be opened in a
// spreadsheet. Text that would be taken for a formula, in some languages also one that
// begins with a full-width sign, gets a leading apostrophe.
func Cell(text string) string {
	if first, _ := utf8.DecodeRuneInString(text); text != "" && strings.ContainsRune("=+-@＝＋－＠\t\r\n", first) {
		return "'" + text
	}
	return text
}
