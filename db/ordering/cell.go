package ordering

import (
	"regexp"
	"strings"
)

// A cell is one cell of a pasted table.
type cell struct {
	text   string
	quoted bool // it stood in quotation marks
	needed bool // it needed them: it has a separator, a line break or a quotation mark in it
}

// none is a separator that nobody types: with it, each line is one cell.
const none = '\x1f'

// maxCells is how many cells a row has at most: more than all columns that there can be.
const maxCells = 100

// unified replaces the line ends of other systems, and the mark with which some files begin.
func unified(text string) string {
	text = strings.TrimPrefix(strings.ToValidUTF8(text, ""), "\uFEFF")
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\v", "\n", string(none), "").Replace(text)
}

// readCells parses rows of cells separated by separator, without empty rows, and stops when
// there are more than a table may have. A cell in quotation marks may contain separators and
// line breaks, and two marks there stand for one. Where the marks are not those of a cell, as
// in 5" or in “"flat" lamp”, they are text.
//
// The time grows with the length of the text: a quoted cell that is searched for and not
// found ends the search at the first run of marks that does not belong in it, and every
// later mark that could begin a cell is in a run that ends its own search.
func readCells(text string, separator rune) [][]cell { return readRows(text, separator, false) }

// readRows is readCells, which keeps empty rows if empty is true.
func readRows(text string, separator rune, empty bool) (rows [][]cell) {
	var row []cell
	parts := separator
	end := func() {
		if !isEmptyRow(row) || empty && row != nil {
			rows = append(rows, row)
		}
		row, separator = nil, parts
	}
	for at := 0; at < len(text) && len(rows) <= MaxRows+1; {
		if len(row) == maxCells {
			separator = none // the rest of the row is one cell
		}
		c, next := readCell(text, at, separator)
		row = append(row, c)
		switch {
		case next == len(text):
			at = next
		case text[next] == '\n':
			end()
			at = next + 1
		default:
			if at = next + 1; at == len(text) { // a separator at the very end
				row = append(row, cell{})
			}
		}
	}
	end()
	return rows
}

// Cells splits rows that were copied from a spreadsheet, to be pasted over others: empty rows
// stay where they are, and line breaks in a cell become spaces. It returns ErrTableSize,
// ErrTableRows or ErrTableEmpty if there is too much, or nothing.
func Cells(text string) ([][]string, error) {
	if len(text) > MaxTable {
		return nil, ErrTableSize
	}
	var cells [][]string
	for _, row := range readRows(unified(text), '\t', true) {
		line := []string{}
		for _, c := range row {
			line = append(line, breaks.ReplaceAllString(c.text, " "))
		}
		cells = append(cells, line)
	}
	switch {
	case len(cells) > MaxRows:
		return nil, ErrTableRows
	case len(cells) == 0:
		return nil, ErrTableEmpty
	}
	return cells, nil
}

var breaks = regexp.MustCompile(`\s*\n\s*`)

func isEmptyRow(row []cell) bool {
	for _, c := range row {
		if c.text != "" {
			return false
		}
	}
	return true
}

// readCell parses the cell that begins at the offset, and returns the offset of the
// separator, the line break or the end that follows it.
func readCell(text string, at int, separator rune) (c cell, next int) {
	begin := at
	for begin < len(text) && text[begin] == ' ' {
		begin++
	}
	if begin < len(text) && text[begin] == '"' {
		if c, next, ok := quotedCell(text, begin+1, separator); ok {
			return c, next
		}
	}
	next = at
	for next < len(text) && text[next] != '\n' && rune(text[next]) != separator {
		next++
	}
	return cell{text: strings.TrimSpace(text[at:next])}, next
}

// quotedCell parses a cell after the quotation mark with which it begins.
func quotedCell(text string, at int, separator rune) (c cell, next int, ok bool) {
	var content strings.Builder
	from := at
	for {
		mark := strings.IndexByte(text[at:], '"')
		if mark < 0 {
			return c, 0, false
		}
		at += mark
		if at+1 < len(text) && text[at+1] == '"' {
			content.WriteString(text[from : at+1])
			at += 2
			from, c.needed = at, true
			continue
		}
		content.WriteString(text[from:at])
		break
	}
	for next = at + 1; next < len(text) && text[next] == ' '; {
		next++
	}
	if next < len(text) && text[next] != '\n' && rune(text[next]) != separator {
		return c, 0, false
	}
	c.text, c.quoted = strings.TrimSpace(content.String()), true
	c.needed = c.needed || strings.ContainsAny(c.text, "\n"+string(separator))
	return c, next, true
}
