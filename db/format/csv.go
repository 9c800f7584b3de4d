package format

import "strings"

// signs begin a formula in a spreadsheet, in some languages also as full-width characters.
const signs = "=+-@＝＋－＠"

// Cell returns the text for a cell of a CSV file that may be opened in a spreadsheet. A
// sign with which a formula begins gets an apostrophe before it wherever a spreadsheet may
// let a cell begin: at the start of the text, of each of its lines, and behind whatever
// spreadsheets split cells at, because the reader chooses that and not the file.
func Cell(text string) string {
	if !strings.ContainsAny(text, signs+"\t\r") {
		return text
	}
	var cell strings.Builder // empty until the first apostrophe: most dates and names need none
	copied := 0              // bytes of the text that are in it
	mark := func(at int) {
		cell.WriteString(text[copied:at])
		cell.WriteByte('\'')
		copied = at
	}
	begins, direct := true, true // a cell may begin here; nothing stands between it and the separator
	for at, r := range text {
		switch {
		case at == 0 && (r == '\t' || r == '\r' || r == '\n'):
			mark(at) // some spreadsheets drop these, and what follows them becomes the beginning
		case begins && strings.ContainsRune(signs, r):
			mark(at)
		}
		switch r {
		case ';', '\t', '|', '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
			begins, direct = true, true
		case ',':
			// A comma is part of prose ("Thanks, @bo"), and the file quotes cells that have one.
			begins, direct = true, false
		case '"', '\'', '\ufeff':
			// Spreadsheets take these off.
		case ' ', '\u00a0', '\u3000':
			begins = begins && direct
		default:
			begins, direct = false, false
		}
	}
	if cell.Len() == 0 {
		return text
	}
	cell.WriteString(text[copied:])
	return cell.String()
}
