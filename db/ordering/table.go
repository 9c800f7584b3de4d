package ordering

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"dailies/db/option"
)

// Limits of a pasted table.
const (
	MaxTable = 64 << 10  // bytes
	MaxList  = 256 << 10 // bytes of a table or list in the prompt, which may have long prompts
	MaxRows  = 100
)

// Reasons for which a pasted table is refused.
var (
	ErrTableSize  = errors.New("the table has too many characters")
	ErrTableRows  = errors.New("the table has too many rows")
	ErrTableEmpty = errors.New("the table has no rows")
)

// A Table is a table that was pasted for a recipe, with its columns in the order of the
// blanks that they fill.
type Table struct {
	Rows    [][]string    // a value for each blank; empty if there was none
	Options []option.Text // of each row: length, shape and resolution, where it has its own
	Faults  [][]Fault     // of each row: cells that were not understood
	Headed  bool          // the first row has the names of the columns
	Ignored []string      // names of columns that match no blank
	Missing []string      // names of blanks that have no column
}

// ReadTable parses cells copied from a spreadsheet, or CSV with commas or
// semicolons. The first row may name the blanks, in any order and case; otherwise
// the columns are in the order of the blanks. Further columns may be the length, the shape
// and the resolution, by their names or by their values. Empty rows are left out.
func ReadTable(text string, blanks []string) (Table, error) {
	if len(text) > MaxTable {
		return Table{}, ErrTableSize
	}
	cells, l := bestCells(unified(text), blanks)
	t := Table{Headed: l.headed}
	if t.Headed {
		t.name(cells[0], blanks, l)
		cells = cells[1:]
	}
	l.beyond(cells)
	for _, row := range cells {
		t.add(row, l)
	}
	switch {
	case len(t.Rows) > MaxRows:
		return Table{}, ErrTableRows
	case len(t.Rows) == 0:
		return t, ErrTableEmpty
	}
	return t, nil
}

// A layout says where the columns of a table are.
type layout struct {
	headed bool
	blanks []int          // the column of each blank, or -1
	others map[int]column // columns of options, and of the numbers of rows
	names  []cell         // of the columns, if there is a heading
}

// bestCells parses the text with each separator. It returns the first result with a heading
// or with cells that fit and can be nothing else or, if there is none, the result with the most rows of as many cells as there are blanks
// and options.
func bestCells(text string, blanks []string) (cells [][]cell, l layout) {
	best := -1
	for _, separator := range []rune{'\t', ';', ',', none} {
		read := readCells(text, separator)
		if len(read) == 0 || separator == '\t' && tabsAreQuoted(text) {
			continue
		}
		if l, ok := heading(read, blanks); ok {
			return read, l
		}
		others := optionColumns(read, len(blanks))
		fit := fitting(read, len(blanks)+len(others))
		if fit == len(read) && hasColumns(read) && areCells(read) {
			return read, inOrder(len(blanks), others)
		}
		if fit > best {
			best, cells, l = fit, read, inOrder(len(blanks), others)
		}
		if separator == '\t' && fitting(read, 1) < len(read) {
			break // nobody types tabs: they come from a spreadsheet
		}
	}
	return cells, l
}

// fitting counts the rows with want cells.
func fitting(cells [][]cell, want int) (rows int) {
	for _, row := range cells {
		if len(row) == want {
			rows++
		}
	}
	return rows
}

// heading returns where the columns are that the first row names, if it names any. The name
// of an option alone is one only if the cells below it are values of the option.
func heading(rows [][]cell, blanks []string) (l layout, ok bool) {
	l = layout{headed: true, others: map[int]column{}, names: rows[0]}
	at := map[string]int{}
	for i, c := range rows[0] {
		if _, is := at[headingKey(c.text)]; !is {
			at[headingKey(c.text)] = i
		}
	}
	used := map[int]bool{}
	for _, name := range blanks {
		i, is := at[BlankKey(name)]
		if !is {
			i = -1
		}
		l.blanks, used[i], ok = append(l.blanks, i), true, ok || is
	}
	for i, c := range rows[0] {
		if kind := named(c.text); !used[i] && kind.isOption() {
			l.others[i], ok = kind, ok || len(rows) > 1 && areValues(rows[1:], i, kind)
		}
	}
	return l, ok
}

// areValues reports whether each cell of the column is empty or a value of the option.
func areValues(rows [][]cell, i int, kind column) bool {
	return !slices.ContainsFunc(rows, func(row []cell) bool {
		_, ok := kind.valueOf(cellAt(row, i).text)
		return !ok && cellAt(row, i).text != ""
	})
}

// headingKey returns the key of a heading's cell, which may have the blank's
// braces.
func headingKey(cell string) string {
	return BlankKey(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(cell), "{{"), "}}"))
}

// optionColumns returns the columns of options, by their values, and that of the numbers of
// rows: as many as there are more columns than blanks, the last ones first.
func optionColumns(rows [][]cell, blanks int) map[int]column {
	width, others := 0, map[int]column{}
	for _, row := range rows {
		width = max(width, len(row))
	}
	for i := width - 1; i >= 0 && width-len(others) > blanks; i-- {
		if kind, mixed := kindOfColumn(rows, i); kind.isOption() && !mixed {
			others[i] = kind
		}
	}
	if width-len(others) > blanks && areNumbers(rows, 0) {
		others[0] = asNumber
	}
	return others
}

// inOrder is the layout of a table whose columns are in the order of the blanks.
func inOrder(blanks int, others map[int]column) layout {
	l := layout{others: others}
	for i := 0; len(l.blanks) < blanks; i++ {
		if _, is := others[i]; !is {
			l.blanks = append(l.blanks, i)
		}
	}
	return l
}

// beyond says by their values what the columns are for that no blank takes and no name
// tells. Some cells may be values of the option and others not: those are faults.
func (l layout) beyond(rows [][]cell) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	for i := range width {
		if _, is := l.others[i]; is || slices.Contains(l.blanks, i) || cellAt(l.names, i).text != "" {
			continue
		}
		switch kind, mixed := kindOfColumn(rows, i); {
		case kind.isOption() && !(mixed && kind == asLength): // a length only if every cell has its unit
			l.others[i] = kind
		case areNumbers(rows, i):
			l.others[i] = asNumber
		default:
			l.others[i] = asNothing
		}
	}
}

// name records which columns match nothing, and which blanks have no column.
func (t *Table) name(heading []cell, blanks []string, l layout) {
	for i, c := range heading {
		if _, is := l.others[i]; c.text != "" && !is && !slices.Contains(l.blanks, i) {
			t.Ignored = append(t.Ignored, c.text)
		}
	}
	for i, column := range l.blanks {
		if column < 0 {
			t.Missing = append(t.Missing, blanks[i])
		}
	}
}

// add adds the row.
func (t *Table) add(row []cell, l layout) {
	values := make([]string, len(l.blanks))
	for i, at := range l.blanks {
		if at >= 0 {
			values[i] = cellAt(row, at).text
		}
	}
	var own ListRow
	for i := range row {
		switch kind := l.others[i]; {
		case row[i].text == "":
		case kind == asNothing:
			own.Faults = append(own.Faults, Fault{Kind: NoColumn, Cell: row[i].text})
		case kind.isOption():
			own.option(kind, row[i].text, cellAt(l.names, i).text, false)
		}
	}
	t.Rows, t.Options, t.Faults = append(t.Rows, values), append(t.Options, own.Options), append(t.Faults, own.Faults)
}

// A cell is one cell of a pasted table.
type cell struct {
	text   string
	quoted bool // it stood in quotation marks
	needed bool // it needed them: it has a separator, a line break or a quotation mark in it
}

// none is a separator that nobody types: with it, each line is one cell.
const none = '\x1f'

// maxCells limits the cells of a row. A table never has so many columns.
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
