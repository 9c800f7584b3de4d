package format

import "strings"

// Cell returns the text for a cell of a CSV file that a spreadsheet opens: one that
// would be taken for a formula begins with an apostrophe.
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
