package format

import "strings"

// Cell returns the text for a cell of a CSV file that may be opened in a
// spreadsheet. Text that would be taken for a formula gets a leading apostrophe.
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
