package db

import (
	"errors"
	"slices"
	"strings"
	"unicode"
)

// Bounds of a pasted table.
const (
	MaxTable = 64 << 10 // bytes
	MaxRows  = 100
)

// What a table cannot be.
var (
	ErrTableSize  = errors.New("the table has too many characters")
	ErrTableRows  = errors.New("the table has too many rows")
	ErrTableEmpty = errors.New("the table has no rows")
)

// A Table is a pasted one, put in the order of the blanks that it fills.
type Table struct {
	Rows    [][]string // a value for each blank; empty where there was none
	Headed  bool       // the first row named the columns
	Ignored []string   // columns that no blank has the name of
	Missing []string   // blanks that no column has the name of
	Beyond  int        // rows with more cells than there are blanks, without a heading
}

// ReadTable reads what was copied from a spreadsheet, or CSV with commas or
// semicolons. The first row may name the blanks, in any order and case;
// otherwise the columns are taken in the order of the blanks. Rows with nothing
// in them are left out.
func ReadTable(text string, names []string) (Table, error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	if len(text) > MaxTable {
		return Table{}, ErrTableSize
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, ""))
	cells, columns := bestCells(text, names)
	t := Table{Headed: columns != nil}
	if t.Headed {
		t.name(cells[0], names, columns)
		cells = cells[1:]
	} else {
		columns = inOrder(len(names))
	}
	for _, row := range cells {
		if !t.Headed && len(row) > len(names) {
			t.Beyond++
		}
		t.Rows = append(t.Rows, choose(row, columns))
	}
	switch {
	case len(t.Rows) > MaxRows:
		return Table{}, ErrTableRows
	case len(t.Rows) == 0:
		return t, ErrTableEmpty
	}
	return t, nil
}

// bestCells reads the text with each separator. The one that gives a heading is
// right; else the one that most often gives as many cells as there are blanks,
// and of these the first. The columns are where the heading has the names, nil
// without one.
func bestCells(text string, names []string) (cells [][]string, columns []int) {
	best := -1
	for _, separator := range []rune{'\t', ';', ',', 0} {
		read := readCells(text, separator)
		if len(read) == 0 {
			continue
		}
		if at := heading(read[0], names); at != nil {
			return read, at
		}
		if fit := fitting(read, len(names)); fit > best {
			best, cells = fit, read
		}
		if separator == '\t' && fitting(read, 1) < len(read) {
			break // nobody types tabs
		}
	}
	return cells, nil
}

// fitting counts the rows with so many cells.
func fitting(cells [][]string, want int) (rows int) {
	for _, row := range cells {
		if len(row) == want {
			rows++
		}
	}
	return rows
}

// heading is, for each name, the column whose first cell has it, or -1. It is
// nil if the row has none of the names.
func heading(row, names []string) []int {
	found := false
	at := make([]int, len(names))
	for i, name := range names {
		at[i] = slices.IndexFunc(row, func(cell string) bool { return headingKey(cell) == BlankKey(name) })
		found = found || at[i] >= 0
	}
	if !found {
		return nil
	}
	return at
}

// headingKey lets the heading have the blank's braces.
func headingKey(cell string) string {
	return BlankKey(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(cell), "{{"), "}}"))
}

// name tells the columns apart that are used and that are not.
func (t *Table) name(heading, names []string, columns []int) {
	for i, cell := range heading {
		if cell != "" && !slices.Contains(columns, i) {
			t.Ignored = append(t.Ignored, cell)
		}
	}
	for i, column := range columns {
		if column < 0 {
			t.Missing = append(t.Missing, names[i])
		}
	}
}

func inOrder(n int) []int {
	columns := make([]int, n)
	for i := range columns {
		columns[i] = i
	}
	return columns
}

func choose(row []string, columns []int) []string {
	values := make([]string, len(columns))
	for i, column := range columns {
		if column >= 0 && column < len(row) {
			values[i] = row[column]
		}
	}
	return values
}

// readCells reads rows of cells that the separator sets apart; 0 sets nothing
// apart. A cell in quotes may hold separators and line breaks. Quotes that are
// not closed are text, and so are all after them.
func readCells(text string, separator rune) (cells [][]string) {
	var row []string
	quotes, rest := true, text
	for rest != "" {
		cell, after, quoted := "", "", false
		if quotes && strings.HasPrefix(rest, `"`) {
			cell, after, quoted = quotedCell(rest, separator)
			quotes = quoted || after != ""
		}
		if !quoted {
			end := strings.IndexFunc(rest, func(r rune) bool { return r == '\n' || separator != 0 && r == separator })
			if end < 0 {
				end = len(rest)
			}
			cell, after = rest[:end], rest[end:]
		}
		row = append(row, strings.TrimFunc(cell, unicode.IsSpace))
		if rest = after; rest == "" || rest[0] == '\n' {
			cells, row = withRow(cells, row), nil
		} else if len(rest) == 1 {
			cells = withRow(cells, append(row, "")) // the last cell is empty
		}
		rest = rest[min(1, len(rest)):]
	}
	return cells
}

// withRow leaves out a row with nothing in it.
func withRow(cells [][]string, row []string) [][]string {
	if strings.Join(row, "") == "" {
		return cells
	}
	return append(cells, row)
}

// quotedCell reads a cell that begins with a quote. It ends with a quote before
// a separator, a line break or the end; two quotes are one. If it is none, rest
// is where that showed, or empty if there is no further quote.
func quotedCell(text string, separator rune) (cell, rest string, ok bool) {
	var b strings.Builder
	for text = text[1:]; ; {
		end := strings.IndexByte(text, '"')
		if end < 0 {
			return "", "", false
		}
		b.WriteString(text[:end])
		text = text[end+1:]
		switch {
		case strings.HasPrefix(text, `"`):
			b.WriteByte('"')
			text = text[1:]
		case text == "" || text[0] == '\n' || separator != 0 && rune(text[0]) == separator:
			return b.String(), text, true
		default:
			return "", text, false
		}
	}
}
