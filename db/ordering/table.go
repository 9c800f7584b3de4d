package ordering

import (
	"encoding/csv"
	"errors"
	"slices"
	"strings"
)

// Limits of a pasted table.
const (
	MaxTable = 64 << 10 // bytes
	MaxRows  = 100
)

// Reasons for which a pasted table is refused.
var (
	ErrTableSize  = errors.New("the table has too many characters")
	ErrTableRows  = errors.New("the table has too many rows")
	ErrTableEmpty = errors.New("the table has no rows")
)

// A Table is a pasted table, with its columns in the order of the blanks that they
// fill.
type Table struct {
	Rows    [][]string // a value for each blank; empty if there was none
	Headed  bool       // the first row has the names of the columns
	Ignored []string   // names of columns that match no blank
	Missing []string   // names of blanks that have no column
	Beyond  int        // rows with more cells than there are blanks, if there is no heading
}

// ReadTable parses cells copied from a spreadsheet, or CSV with commas or
// semicolons. The first row may name the blanks, in any order and case; otherwise
// the columns are in the order of the blanks. Empty rows are left out.
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

// none is a separator that nobody types: with it, each line is one cell.
const none = '\x1f'

// bestCells parses the text with each separator. It returns the first result with a
// heading or, if there is none, the result with the most rows of as many cells as
// there are blanks. Columns says where the heading has each name; it is nil without
// a heading.
func bestCells(text string, names []string) (cells [][]string, columns []int) {
	best := -1
	for _, separator := range []rune{'\t', ';', ',', none} {
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
			break // nobody types tabs: they come from a spreadsheet
		}
	}
	return cells, nil
}

// fitting counts the rows with want cells.
func fitting(cells [][]string, want int) (rows int) {
	for _, row := range cells {
		if len(row) == want {
			rows++
		}
	}
	return rows
}

// heading returns, for each name, the column whose cell in the row has it, or -1.
// It returns nil if the row has none of the names.
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

// headingKey returns the key of a heading's cell, which may have the blank's
// braces.
func headingKey(cell string) string {
	return BlankKey(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(cell), "{{"), "}}"))
}

// name records which columns match no blank, and which blanks have no column.
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

// readCells parses rows of cells separated by separator, without empty rows, and
// stops when there are too many for a table. A line whose quotes are not valid CSV
// is split at the separators.
func readCells(text string, separator rune) (cells [][]string) {
	for text = strings.TrimLeft(text, "\n"); text != "" && len(cells) <= MaxRows+1; text = strings.TrimLeft(text, "\n") {
		row, end, err := readRow(text, separator, false)
		if errors.Is(err, csv.ErrBareQuote) { // for example 5" within a cell
			row, end, err = readRow(text, separator, true)
		}
		if err != nil {
			line, _, _ := strings.Cut(text, "\n")
			row, end = strings.Split(line, string(separator)), len(line)
		}
		cells, text = withRow(cells, row), text[end:]
	}
	return cells
}

// readRow parses the first row of the text, and returns the offset of its end.
func readRow(text string, separator rune, lazily bool) (row []string, end int, err error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = separator, lazily, -1
	row, err = r.Read()
	return row, int(r.InputOffset()), err
}

// withRow appends the row with its cells trimmed, unless they are all empty.
func withRow(cells [][]string, row []string) [][]string {
	for i := range row {
		row[i] = strings.TrimSpace(row[i])
	}
	if strings.Join(row, "") == "" {
		return cells
	}
	return append(cells, row)
}
