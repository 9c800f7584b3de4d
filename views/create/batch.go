package create

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/option"
	"dailies/db/ordering"
	"dailies/views/input"
	"dailies/views/part"
)

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

// ready lists the IDs of the finished videos.
func (m Made) ready() (ids []string) {
	for _, c := range m.Cards {
		if _, ok := c.Task.Video(); ok {
			ids = append(ids, strconv.FormatInt(c.Task.ID, 10))
		}
	}
	return ids
}

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

// A BatchPage is the page on which a table fills in a recipe, one video per row: a table
// that is written in, and a field into which one can be pasted.
type BatchPage struct {
	Card   RecipeCard
	Text   string   // a pasted table that has not become rows
	Notes  []string // how the table was understood
	Rows   []BatchRow
	Own    []string   // options that rows have of their own: length, shape, resolution
	Videos int        // number of rows that are not skipped
	Total  part.Price // price of all of them
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
	for _, o := range p.own() {
		names = append(names, o.Label)
	}
	if p.more() {
		names = append(names, "") // what is there belongs to no column when it is pasted again, too
	}
	return strings.Join(names, "\t")
}

// A BatchRow holds the values of one video of the batch.
type BatchRow struct {
	Values []string    // one for each blank
	Own    option.Text // options of its own
	More   string      // cells that no column takes
	Price  part.Price
	Errors input.Errors // by the keys of BlankError; the empty key is about the whole row
	Hints  []string
	Skip   bool
	// Checking says that a picture of the row was not looked at yet.
	Checking bool
	// Strangers are the handles in the row that nobody in the cast has.
	Strangers []Stranger
}

// isEmpty reports whether nothing is written in the row.
func (r BatchRow) isEmpty() bool {
	return strings.Join(r.Values, "") == "" && len(r.Own) == 0 && r.More == ""
}

// priceOf returns the price of the row.
func (p BatchPage) priceOf(row BatchRow) part.Price {
	if len(row.Own) > 0 {
		return row.Price
	}
	return p.Price
}

// own returns the options that have a column.
func (p BatchPage) own() (own []part.Option) {
	for _, o := range part.Options {
		if slices.Contains(p.Own, o.Name) {
			own = append(own, o)
		}
	}
	return own
}

// MoreCells names the field of a row for cells that no column takes.
const MoreCells = "more"

// more reports whether a row has cells that no column takes.
func (p BatchPage) more() bool {
	return slices.ContainsFunc(p.Rows, func(r BatchRow) bool { return r.More != "" })
}

// isBad reports whether the row keeps the videos from being made.
func (r BatchRow) isBad() bool { return !r.Skip && len(r.Errors) > 0 }

// firstRows is how many rows a new table has.
const firstRows = 3

// sheet returns the rows of the table: those that are filled in, and empty ones below
// them, for more.
func (p BatchPage) sheet() []BatchRow {
	rows := slices.Clone(p.Rows)
	for len(rows) < max(firstRows, len(p.Rows)+1) && len(rows) < ordering.MaxRows {
		rows = append(rows, BatchRow{Values: make([]string, len(p.Card.Recipe.Blanks()))})
	}
	return rows
}

// isNarrow reports whether there is room for something else beside the table.
func (p BatchPage) isNarrow() bool { return len(p.Card.Recipe.Blanks()) < 4 }

// summary returns the errors that are listed above the table. Those of rows stand in the
// rows.
func (p BatchPage) summary() input.Errors {
	errs := maps.Clone(p.Errors)
	delete(errs, RowErrors)
	return errs
}

// RowErrors is the key of the message that counts the rows with errors.
const RowErrors = "rows"

// strangers returns the handles in all rows that nobody in the cast has.
func (p BatchPage) strangers() (all []Stranger) {
	for _, row := range p.Rows {
		all = append(all, row.Strangers...)
	}
	return all
}

// sum returns the price of all videos.
func (p BatchPage) sum() db.Credits {
	if p.Total.Mixed != nil {
		return p.Total.Total()
	}
	all := p.usual()
	all.Count = p.Videos
	return all.Total()
}

// CellField returns the name of the field for the row's value of the blank, both given
// by index.
func CellField(row, blank int) string { return fmt.Sprintf("cell.%d.%d", row, blank) }

// OwnField returns the name of the field for an option of the row.
func OwnField(row int, option string) string { return fmt.Sprintf("cell.%d.%s", row, option) }

// SkipField returns the name of the field that skips the row.
func SkipField(row int) string { return fmt.Sprintf("skip.%d", row) }

// usual returns the price of one video: that of the rows, if they cost the same.
func (p BatchPage) usual() part.Price {
	if len(p.Own) > 0 && p.Total.Mixed == nil {
		return p.Total
	}
	return p.Price
}

// total returns the number of videos and their price.
func (p BatchPage) total() string {
	if p.Total.Mixed != nil && p.Total.InAll() != "" {
		return part.Plural(p.Videos, "%s video, %s", "%s videos, %s", p.Total.InAll())
	}
	if !p.usual().Credits.Known || p.Total.Mixed != nil {
		return part.Plural(p.Videos, "%s video, price known once it starts", "%s videos, price known once they start")
	}
	all := p.usual()
	all.Credits.Amount *= float64(p.Videos)
	return part.Plural(p.Videos, "%s video, %s", "%s videos, %s", all.InWords())
}

// each explains the total: the price of one video, where it comes from, and the
// recipe's ceiling.
func (p BatchPage) each() string {
	r := p.Card.Recipe
	switch {
	case !p.usual().Credits.Known, p.Total.Mixed != nil:
		return ""
	case r.Ceiling.Known:
		return fmt.Sprintf("%s each; up to %s allowed", p.usual().InWords(), part.Number(r.Ceiling.Amount))
	}
	return fmt.Sprintf("%s each", p.usual().InWords())
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

func (p BatchPage) over() bool { return p.Card.Recipe.Over(p.Price.Credits) }
func (p BatchPage) unsure() bool {
	return p.Card.Recipe.Unsure(p.Price.Credits) || len(p.Own) > 0 && p.Card.Recipe.Unsure(p.Total.Credits)
}

// ready reports whether the videos can be ordered with the present rows.
func (p BatchPage) ready() bool {
	return p.Videos > 0 && !p.over() && p.wrong() == 0 && p.checking() == 0
}

// checking counts the rows with pictures that were not looked at yet.
func (p BatchPage) checking() (n int) {
	for _, row := range p.Rows {
		if row.Checking && !row.Skip {
			n++
		}
	}
	return n
}

// checks says that pictures are being checked.
func (p BatchPage) checks() string {
	return part.Plural(p.checking(), "Checking the pictures of %s row…", "Checking the pictures of %s rows…")
}

// wrong counts the rows with errors.
func (p BatchPage) wrong() (n int) {
	for _, row := range p.Rows {
		if row.isBad() {
			n++
		}
	}
	return n
}

// cellName names the field for screen readers.
func cellName(b ordering.Blank, row int) string {
	return fmt.Sprintf("%s, row %d", capital(b.Name), row+1)
}

// leaveOut labels the button that leaves out all rows with errors.
func (p BatchPage) leaveOut() string {
	return part.Plural(p.wrong(), "Leave out %s row", "Leave out %s rows")
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

// ownID returns the ID of the field for an option of the row.
func ownID(row int, option string) string { return fmt.Sprintf("cell-%d-%s", row, option) }

// ownName names the field for screen readers.
func ownName(o part.Option, row int) string { return fmt.Sprintf("%s, row %d", o.Label, row+1) }

// cellID returns the ID of the field for the row's value of the blank.
func cellID(row, blank int) string { return fmt.Sprintf("cell-%d-%d", row, blank) }

// button returns the label of the button.
func (p BatchPage) button() string {
	return part.Plural(p.Videos, "Make %s video", "Make %s videos")
}
