package ordering

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dailies/db/option"
)

// A List is what was pasted into the prompt, one video each.
type List struct {
	Rows    []ListRow
	Table   bool     // it has cells; otherwise each line is a prompt
	Headed  bool     // the first row names the columns
	Ignored []string // names of columns that are not sent
}

// A ListRow is one video of a List.
type ListRow struct {
	Prompt  string
	Options option.Text // length, shape and resolution, where the row has its own
	Faults  []Fault     // cells that were not understood; such a row is not made
}

// A Fault is a cell that was not understood.
type Fault struct {
	Kind   FaultKind
	Cell   string
	Column string // its name, if it has one
	Option string // the option that it was read as, if it is one
	Other  string // the value that it contradicts, if its kind is Twice
}

// A FaultKind says why a cell was not understood.
type FaultKind int

// The kinds of faults.
const (
	NotLength     FaultKind = iota + 1 // it stands among lengths and is none
	NotShape                           // … shapes
	NotResolution                      // … resolutions
	NoUnit                             // a number, which may be a length
	Twice                              // another cell of the row says otherwise
	NotInTables                        // an option that no table sets
	NoPromptNamed                      // several columns may be the prompt
	NoColumn                           // no blank of the recipe, and no option, takes it
)

// notOf is the fault of a cell that is no value of its column.
var notOf = map[column]FaultKind{asLength: NotLength, asShape: NotShape, asSize: NotResolution}

// ReadList parses what was pasted into the prompt. It returns ErrTableSize, ErrTableRows or
// ErrTableEmpty if there is too much of it, or nothing.
//
// Tabs part cells: nobody types them. Commas and semicolons stand in prose too, so they part
// cells only if the first row names columns, or if all rows have the same number of cells and
// these are quoted or known values. In doubt, a line is a prompt.
func ReadList(text string) (List, error) {
	if len(text) > MaxList {
		return List{}, ErrTableSize
	}
	rows, headed, table := listCells(unified(text))
	l := List{Table: table, Headed: headed}
	var heading []cell
	if headed {
		heading, rows = rows[0], rows[1:]
	}
	switch {
	case len(rows) > MaxRows:
		return List{}, ErrTableRows
	case len(rows) == 0:
		return List{}, ErrTableEmpty
	}
	if !table {
		l.lines(rows)
		return l, nil
	}
	columns, doubtful := l.columns(heading, rows)
	for _, row := range rows {
		l.Rows = append(l.Rows, listRow(row, heading, columns, doubtful))
	}
	return l, nil
}

// listCells splits the text into rows. table says that these have cells.
func listCells(text string) (rows [][]cell, headed, table bool) {
	if rows = readCells(text, '\t'); hasColumns(rows) && !tabsAreQuoted(text) {
		only := namesColumns(rows[0]) == len(rows[0]) // without rows below it
		return rows, namesColumns(rows[0]) > 0 && len(rows) > 1 || only, true
	}
	for _, separator := range []rune{';', ','} {
		rows = readCells(text, separator)
		switch {
		case len(rows) == 0 || len(rows[0]) < 2:
		case isHeading(rows[0]) && len(rows) > 1:
			return rows, true, true
		case areCells(rows):
			return rows, false, true
		}
	}
	rows = readCells(text, none)
	headed = len(rows) > 1 && isPrompt(rows[0][0].text)
	return rows, headed, false
}

// hasColumns reports whether a row has several cells.
func hasColumns(rows [][]cell) bool {
	return slices.ContainsFunc(rows, func(row []cell) bool { return len(row) > 1 })
}

// tabsAreQuoted reports whether all tabs are in quoted cells of a table with commas or
// semicolons.
func tabsAreQuoted(text string) bool {
	return slices.ContainsFunc([]rune{';', ','}, func(separator rune) bool {
		rows := readCells(text, separator)
		return hasColumns(rows) && !slices.ContainsFunc(rows, func(row []cell) bool {
			return slices.ContainsFunc(row, func(c cell) bool { return !c.quoted && strings.Contains(c.text, "\t") })
		})
	})
}

// namesColumns counts the cells that are the name of a column that is sent.
func namesColumns(row []cell) (n int) {
	for _, c := range row {
		if kind := named(c.text); kind == asPrompt || kind.isOption() {
			n++
		}
	}
	return n
}

// isHeading reports whether a row with commas or semicolons names columns, and is no
// sentence that contains such a word: all cells are short, and one of them is “prompt”, or
// two are known.
func isHeading(row []cell) bool {
	const longest = 30
	prompt := false
	for _, c := range row {
		if len(c.text) > longest {
			return false
		}
		prompt = prompt || isPrompt(c.text)
	}
	return prompt || namesColumns(row) > 1
}

// isPrompt reports whether it is the one name of a column that is no line of prose.
func isPrompt(name string) bool { return slices.Contains([]string{"prompt", "prompts"}, nameKey(name)) }

// areCells reports whether rows with commas or semicolons are those of a table: all have the
// same number of cells, and a column has known values alone, or quotation marks are there
// that only a table needs.
func areCells(rows [][]cell) bool {
	width, needed, all := len(rows[0]), false, true
	for _, row := range rows {
		if len(row) != width {
			return false
		}
		needed = needed || slices.ContainsFunc(row, func(c cell) bool { return c.needed })
		all = all && slices.ContainsFunc(row, func(c cell) bool { return c.quoted })
	}
	if needed || all {
		return true
	}
	for i := range width {
		if kind, mixed := kindOfColumn(rows, i); kind.isOption() && !mixed {
			return true
		}
	}
	return false
}

// kindOfColumn returns to which column the cells belong by their values, and whether some of
// them do not.
func kindOfColumn(rows [][]cell, i int) (kind column, mixed bool) {
	for _, row := range rows {
		text := cellAt(row, i).text
		if text == "" {
			continue
		}
		switch is := kindOf(text); {
		case is == unnamed:
			mixed = true
		case kind == unnamed:
			kind = is
		case kind != is:
			mixed = true
		}
	}
	return kind, mixed
}

func cellAt(row []cell, i int) cell {
	if i < len(row) {
		return row[i]
	}
	return cell{}
}

// lines makes each row a prompt. Quotation marks around a line are those of a table if all
// lines have them; otherwise they are the person's.
func (l *List) lines(rows [][]cell) {
	all := !slices.ContainsFunc(rows, func(row []cell) bool { return !row[0].quoted })
	for _, row := range rows {
		c := row[0]
		if c.quoted && !c.needed && !all {
			c.text = `"` + c.text + `"`
		}
		l.Rows = append(l.Rows, ListRow{Prompt: c.text})
	}
}

// columns says what each column is for. A column is doubtful if some of its cells are known
// values and others are not, or if it has numbers that may be lengths.
func (l *List) columns(heading []cell, rows [][]cell) (columns []column, doubtful []bool) {
	width := len(heading)
	for _, row := range rows {
		width = max(width, len(row))
	}
	columns, doubtful = make([]column, width), make([]bool, width)
	for i := range columns {
		name := cellAt(heading, i).text
		switch columns[i] = named(name); {
		case name == "":
			columns[i], doubtful[i] = byValue(rows, i)
		case columns[i] == unnamed, columns[i] == asNumber && !areInts(rows, i),
			columns[i] == asPrompt && !isPrompt(name) && slices.ContainsFunc(heading, func(c cell) bool { return isPrompt(c.text) }):
			columns[i] = asNothing
		}
	}
	l.findPrompt(heading, rows, columns, doubtful)
	for i, kind := range columns {
		if kind == asNothing && hasText(rows, i) {
			l.Ignored = append(l.Ignored, heading[i].text)
		}
	}
	return columns, doubtful
}

// byValue says what a column without a name is for.
func byValue(rows [][]cell, i int) (kind column, doubtful bool) {
	kind, mixed := kindOfColumn(rows, i)
	switch {
	case kind != unnamed:
		return kind, mixed
	case !hasText(rows, i):
		return asNothing, false
	case areNumbers(rows, i):
		return asNumber, false
	case areInts(rows, i):
		return asLength, true
	}
	return asPrompt, false
}

// findPrompt decides which column is the prompt if none is called so: the only one of which
// nothing else is known. Of a heading with several such columns none is, and no row is made.
func (l *List) findPrompt(heading []cell, rows [][]cell, columns []column, doubtful []bool) {
	if slices.Contains(columns, asPrompt) {
		return
	}
	var free []int
	for i, kind := range columns {
		if kind == asNothing && hasText(rows, i) {
			free = append(free, i)
		}
	}
	switch {
	case len(free) == 1:
		columns[free[0]] = asPrompt
	case len(free) > 1:
		for _, i := range free {
			columns[i], doubtful[i] = asPrompt, true
		}
	case heading == nil: // a prompt may be “10 s” if everything else is a value, too
		if i := slices.Index(doubtful, true); i >= 0 && !areInts(rows, i) {
			columns[i], doubtful[i] = asPrompt, false
		}
	}
}

func hasText(rows [][]cell, i int) bool {
	return slices.ContainsFunc(rows, func(row []cell) bool { return cellAt(row, i).text != "" })
}

// labels are what may stand before the number of a shot.
var labels = regexp.MustCompile(`^(?:shot|scene|no\.?|nr\.?|#)?\s*(\d{1,6})[.)]?$`)

// numberAt returns the whole number in the cell, which may be written as the number of a
// shot.
func numberAt(row []cell, i int) (n int, ok bool) {
	parts := labels.FindStringSubmatch(plain(cellAt(row, i).text))
	if parts == nil {
		return 0, false
	}
	n, _ = strconv.Atoi(parts[1]) // cannot fail: six digits at most
	return n, true
}

// areInts reports whether each cell of the column is empty or a whole number.
func areInts(rows [][]cell, i int) bool {
	return !slices.ContainsFunc(rows, func(row []cell) bool {
		_, ok := numberAt(row, i)
		return !ok && cellAt(row, i).text != ""
	})
}

// areNumbers reports whether the cells of the column number the rows: each is one more than
// that before it or, as shots are often numbered, ten more. The first of a single row is 1.
func areNumbers(rows [][]cell, i int) bool {
	first, ok := numberAt(rows[0], i)
	if len(rows) == 1 {
		return ok && first == 1
	}
	second, _ := numberAt(rows[1], i)
	step := second - first
	if step != 1 && (step != 10 || first%10 != 0 || i > 0) {
		return false
	}
	for at, row := range rows {
		if n, is := numberAt(row, i); !is || n != first+at*step {
			return false
		}
	}
	return ok
}

// listRow reads a row.
func listRow(row, heading []cell, columns []column, doubtful []bool) (r ListRow) {
	for i, kind := range columns {
		c, name := cellAt(row, i), cellAt(heading, i).text
		if c.text == "" {
			continue
		}
		switch {
		case kind == asPrompt && doubtful[i]:
			r.Faults = append(r.Faults, Fault{Kind: NoPromptNamed, Cell: c.text, Column: name})
		case kind == asPrompt:
			r.Prompt = joined(r.Prompt, c.text)
		case kind == notOffered:
			r.Faults = append(r.Faults, Fault{Kind: NotInTables, Cell: c.text, Column: name})
		case kind.isOption():
			r.option(kind, c.text, name, doubtful[i])
		}
	}
	return r
}

// option sets the option to the value in the cell.
func (r *ListRow) option(kind column, text, name string, doubtful bool) {
	value, ok := kind.valueOf(text)
	fault := FaultKind(0)
	switch was := r.Options[string(kind)]; {
	case !ok:
		fault = notOf[kind]
	case doubtful && kind == asLength: // a length only if every cell has its unit
		fault = NoUnit
	case was != "" && was != value:
		fault = Twice
	}
	if fault != 0 {
		r.Faults = append(r.Faults, Fault{Kind: fault, Cell: text, Column: name, Option: string(kind), Other: r.Options[string(kind)]})
		return
	}
	if r.Options == nil {
		r.Options = option.Text{}
	}
	r.Options[string(kind)] = value
}

// joined joins the words of two cells.
func joined(words, more string) string {
	switch {
	case words == "":
		return more
	case strings.ContainsAny(words[len(words)-1:], ".!?,;:"):
		return fmt.Sprintf("%s %s", words, more)
	}
	return fmt.Sprintf("%s, %s", words, more)
}
