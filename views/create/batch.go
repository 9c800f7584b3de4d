package create

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/views/input"
	"dailies/views/part"
)

// A BatchPage is the page on which a table fills in a recipe, one video per row. It
// first shows a field for the table, and then the rows with their total price.
type BatchPage struct {
	Card   RecipeCard
	Text   string   // the table as it was pasted
	Notes  []string // how the table was understood
	Rows   []BatchRow
	Videos int        // number of rows that are not skipped
	Price  part.Price // price of one video
	Token  string
	Sum    string // checksum of what is shown, which the form sends back
	Errors input.Errors
	NoKey  part.KeyLack
	Anyway bool
}

// headings returns the names of the recipe's blanks as the header row of a table.
func (p BatchPage) headings() string {
	var names []string
	for _, b := range p.Card.Recipe.Blanks() {
		names = append(names, b.Name)
	}
	return strings.Join(names, "\t")
}

// A BatchRow holds the values of one video of the batch.
type BatchRow struct {
	Values []string     // one for each blank
	Errors input.Errors // by the keys of BlankError; the empty key is about the whole row
	Hints  []string
	Skip   bool
}

// CellField returns the name of the field for the row's value of the blank, both given
// by index.
func CellField(row, blank int) string { return fmt.Sprintf("cell.%d.%d", row, blank) }

// SkipField returns the name of the field that skips the row.
func SkipField(row int) string { return fmt.Sprintf("skip.%d", row) }

// total returns the number of videos and their price.
func (p BatchPage) total() string {
	if !p.Price.Credits.Known {
		return part.Plural(p.Videos, "%s video, price known once it starts", "%s videos, price known once they start")
	}
	all := p.Price
	all.Credits.Amount *= float64(p.Videos)
	return part.Plural(p.Videos, "%s video, %s", "%s videos, %s", all.InWords())
}

// each explains the total: the price of one video, where it comes from, and the
// recipe's ceiling.
func (p BatchPage) each() string {
	r := p.Card.Recipe
	switch {
	case !p.Price.Credits.Known:
		return ""
	case r.Ceiling.Known:
		return fmt.Sprintf("%s each; up to %s allowed", p.Price.InWords(), part.Number(r.Ceiling.Amount))
	}
	return fmt.Sprintf("%s each", p.Price.InWords())
}

// leftOut lists the indexes of the skipped rows, separated by commas.
func (p BatchPage) leftOut() string {
	var rows []string
	for i, row := range p.Rows {
		if row.Skip {
			rows = append(rows, strconv.Itoa(i))
		}
	}
	return strings.Join(rows, ",")
}

func (p BatchPage) over() bool   { return p.Card.Recipe.Over(p.Price.Credits) }
func (p BatchPage) unsure() bool { return p.Card.Recipe.Unsure(p.Price.Credits) }

// ready reports whether the videos can be ordered with the present rows.
func (p BatchPage) ready() bool { return p.Videos > 0 && !p.over() && p.wrong() == 0 }

// wrong counts the rows with errors.
func (p BatchPage) wrong() (n int) {
	for _, row := range p.Rows {
		if !row.Skip && len(row.Errors) > 0 {
			n++
		}
	}
	return n
}

// example returns a table that fits the recipe, as a placeholder.
func (p BatchPage) example() string {
	var heading, first, second []string
	for _, b := range p.Card.Recipe.Blanks() {
		heading = append(heading, b.Name)
		if b.Picture {
			first, second = append(first, "https://…"), append(second, "https://…")
		} else {
			first, second = append(first, cmp.Or(b.Example, "…")), append(second, "…")
		}
	}
	return strings.Join(heading, "\t") + "\n" + strings.Join(first, "\t") + "\n" + strings.Join(second, "\t")
}

// cell returns the field for the value of the blank with the index, in row i.
func (r BatchRow) cell(i, blank int, b ordering.Blank) input.Text {
	name := capital(b.Name)
	return input.Text{
		Field: input.Field{Name: CellField(i, blank), Label: name, Value: r.Values[blank], Error: r.Errors[BlankError(blank)]},
		Kind:  "text", Others: templ.Attributes{"aria-label": fmt.Sprintf("%s, row %d", name, i+1)},
	}
}

// button returns the label of the button.
func (p BatchPage) button() string {
	return part.Plural(p.Videos, "Make %s video", "Make %s videos")
}

// Made holds the videos that were ordered together.
type Made struct {
	Batch  string
	Recipe *ordering.Recipe // nil if they were made without a recipe
	Cards  []part.Card
}

// batchPath returns the path of the page of videos that were ordered together.
func batchPath(batch string) string { return "/batches/" + url.PathEscape(batch) }

// batchState says how many of the videos that were ordered together are done.
func batchState(b gallery.Batch) string {
	done := b.Videos - b.Running
	if failed := done - b.Ready; failed > 0 {
		return part.Plural(b.Videos, "%[2]d of %[1]s video done, %[3]d failed", "%[2]d of %[1]s videos done, %[3]d failed", done, failed)
	}
	return part.Plural(b.Videos, "%[2]d of %[1]s video done", "%[2]d of %[1]s videos done", done)
}

// Live reports whether the fragment should refresh itself.
func (m Made) Live() bool { return Latest{Cards: m.Cards}.Live() }

// MadePart shows the progress of the videos. It refreshes itself while one of them is
// running.
func MadePart(m Made) templ.Component {
	if !m.Live() {
		return madePart(m)
	}
	return part.Polled(madePart(m))
}

// name names the batch.
func (m Made) name() string {
	if m.Recipe == nil {
		return part.Plural(len(m.Cards), "Batch: %s video", "Batch: %s videos")
	}
	return part.Plural(len(m.Cards), "Batch: %[2]s, %[1]s video", "Batch: %[2]s, %[1]s videos", naming.Isolated(m.Recipe.Name))
}

// done counts the videos that have ended, successfully or not.
func (m Made) done() int { return len(m.Cards) - Latest{Cards: m.Cards}.running() }

// paid says what the videos cost so far.
func (m Made) paid() string {
	sum := 0.0
	for _, c := range m.Cards {
		if c.Task.Charged.Known {
			sum += c.Task.Charged.Amount
		}
		if c.Task.Returned.Known {
			sum -= c.Task.Returned.Amount
		}
	}
	return fmt.Sprintf("%s paid so far", part.Amount(sum))
}

func (m Made) said() string {
	return part.Plural(len(m.Cards), "%[2]d of %[1]s video done", "%[2]d of %[1]s videos done", m.done())
}
