package create

import (
	"cmp"
	"errors"
	"fmt"

	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/option"
	"dailies/db/ordering"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Fields about the list in a form.
const (
	KindsField = "line_kinds" // how many rows have which options of their own
	LeftField  = "list_left"  // numbers of the rows that are left out
	SumField   = "list_sum"   // checksum of the rows that the page shows
)

// A List is a text in the prompt of which each row becomes a video, as these would be made.
type List struct {
	Rows     []ListRow
	Table    bool     // the text has cells
	Ignored  []string // names of columns that are not sent
	Err      error    // why the text cannot be read
	Sum      string
	Pasted   int  // number of the rows that were just pasted; 0 are all
	Confirms bool // whoever pastes the text probably means a video each
}

// A ListRow is one video of a List.
type ListRow struct {
	At      int // its place in the text, from 0
	Prompt  string
	Options option.Text // as they are sent
	Price   string
	Faults  []string // sentences; a row that has some is not made
}

// facts says which shape, length and resolution the video gets.
func (r ListRow) facts() string {
	var facts []string
	for _, o := range part.Options {
		if value := r.Options[o.Name]; value != "" && (o.Name == "duration" || o.Name == "aspect_ratio" || o.Name == "resolution") {
			facts = append(facts, o.Words(value))
		}
	}
	if r.Price != "" {
		facts = append(facts, r.Price)
	}
	return format.Facts(facts...)
}

// rowsPath is the path of the list in a form of the scene.
func rowsPath(s videoapi.Scene) string { return part.ScenePath(s) + "/list" }

// heading says how many videos the list makes.
func (f CreateForm) heading() string {
	one, many := "%s video, one per line", "%s videos, one per line"
	if f.Listing.Table {
		one, many = "%s video, one per row", "%s videos, one per row"
	}
	return part.Plural(f.Lines, one, many)
}

// question is the question after a text was pasted.
func (f CreateForm) question() string {
	if f.Lines == 0 {
		return "None of these rows can be made yet."
	}
	return part.Plural(max(1, f.Count)*f.Lines, "Make %s video?", "Make %s videos?")
}

// pasted says what was pasted, and what its videos cost together.
func (f CreateForm) pasted() string {
	n := cmp.Or(f.Listing.Pasted, len(f.Listing.Rows))
	switch price := f.Price.InAll(); {
	case f.Lines == 0:
		return part.Plural(n, "You pasted %s row.", "You pasted %s rows.")
	case price == "" && f.Listing.Table:
		return part.Plural(n, "You pasted %s row. Each can be a video.", "You pasted %s rows. Each can be a video.")
	case price == "":
		return part.Plural(n, "You pasted %s line. Each can be a video.", "You pasted %s lines. Each can be a video.")
	case f.Listing.Table:
		return part.Plural(
			n, "You pasted %s row. Each can be a video: %[2]s in all.",
			"You pasted %s rows. Each can be a video: %[2]s in all.", price,
		)
	default:
		return part.Plural(
			n, "You pasted %s line. Each can be a video: %[2]s in all.",
			"You pasted %s lines. Each can be a video: %[2]s in all.", price,
		)
	}
}

// wrong says how many rows are not made.
func (l List) wrong() string {
	n := 0
	for _, r := range l.Rows {
		if len(r.Faults) > 0 {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return part.Plural(n, "%s row needs a look, and isn’t made.", "%s rows need a look, and aren’t made.")
}

// ignored says which columns are not sent.
func (l List) ignored() string {
	switch len(l.Ignored) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("The column %s isn’t sent.", quoted(l.Ignored))
	}
	return fmt.Sprintf("The columns %s aren’t sent.", quoted(l.Ignored))
}

// removeLabel names the button that leaves out the row.
func (r ListRow) removeLabel() string { return fmt.Sprintf("Remove line %d", r.At+1) }

// ListFault says why the text in the prompt cannot be read as a list.
func ListFault(err error) string {
	if errors.Is(err, ordering.ErrTableSize) {
		return fmt.Sprintf("This table is over %s. Split it.", part.Bytes(ordering.MaxList))
	}
	return TableFault(err)
}

// CellFault says why a cell of a table was not understood.
func CellFault(f ordering.Fault) string {
	cell, column := naming.Isolated(part.Clip(f.Cell, 40)), naming.Isolated(part.Clip(f.Column, 40))
	switch f.Kind {
	case ordering.NotLength:
		return fmt.Sprintf("“%s” isn’t a length, such as 5 s.", cell)
	case ordering.NotShape:
		return fmt.Sprintf("“%s” isn’t a shape, such as 16:9.", cell)
	case ordering.NotResolution:
		return fmt.Sprintf("“%s” isn’t a resolution, such as 720p.", cell)
	case ordering.NoUnit:
		return fmt.Sprintf("Is “%s” the length? Write the unit in every row, or name the column “Length”.", cell)
	case ordering.Twice:
		return fmt.Sprintf("“%s” contradicts “%s” in the same row. Keep one of them.", cell, naming.Isolated(part.Clip(f.Other, 40)))
	case ordering.NoColumn:
		return fmt.Sprintf("“%s” belongs to no column. Empty this cell, or leave out the row.", cell)
	case ordering.NotInTables:
		return fmt.Sprintf("A table can’t set “%s”. Take out the column.", column)
	}
	return "Which column is the prompt? Name it “Prompt”."
}
