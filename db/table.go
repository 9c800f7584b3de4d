package db

import (
	"encoding/csv"
	"errors"
	"slices"
	"strings"
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

// none is a separator that nobody types.
const none = '\x1f'

// bestCells reads the text with each separator. The one that gives a heading is
// right; else the one that most often gives as many cells as there are blanks,
// and of these the first. The columns are where the heading has the names, nil
// without one.
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

// readCells reads rows of cells that the separator sets apart, as many as show
// whether there are too many for a table, and leaves out rows with nothing in them. A line whose
// quotes are not those of CSV is taken as it stands.
func readCells(text string, separator rune) (cells [][]string) {
	for text = strings.TrimLeft(text, "\n"); text != "" && len(cells) <= MaxRows+1; text = strings.TrimLeft(text, "\n") {
		row, end, err := readRow(text, separator, false)
		if errors.Is(err, csv.ErrBareQuote) { // 5" within a cell
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

// readRow reads the first row of the text, and returns where it ends.
func readRow(text string, separator rune, lazily bool) (row []string, end int, err error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = separator, lazily, -1
	row, err = r.Read()
	return row, int(r.InputOffset()), err
}

// withRow adds the row, its cells without space around them, unless there is
// nothing in it.
func withRow(cells [][]string, row []string) [][]string {
	for i := range row {
		row[i] = strings.TrimSpace(row[i])
	}
	if strings.Join(row, "") == "" {
		return cells
	}
	return append(cells, row)
}
