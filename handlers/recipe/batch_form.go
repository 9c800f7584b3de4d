package recipe

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"dailies/db/format"
	"dailies/db/option"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/handlers/form"
	"dailies/handlers/press"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// batch is a recipe with several sets of values for its blanks.
type batch struct {
	Recipe ordering.Recipe
	Blanks []ordering.Blank
	Text   string   // a pasted table; empty once it has been split into rows
	Notes  []string // how the table was interpreted
	Rows   []batchRow

	Price  part.Price // of one video
	Anyway bool
	Seen   string // time of the last change of the recipe that the user saw
	Token  string
	Sum    string // checksum of what was shown with the total
	Anew   bool   // pictures that could not be used are looked at again
	Back   bool   // a row is to be made that was left out when the total was shown

	ShownStrangers []string // as in formCasting
}

// batchRow holds the values of one row, with its errors and hints.
type batchRow struct {
	form.FilledForm
	More     string     // cells that no column takes: the row is not made
	Price    part.Price // of the row, if it has options of its own that its price depends on
	Skip     bool
	Checking bool // a picture of it was not looked at yet
	Errors   input.Errors
	Hints    []string
	Unknown  []createview.Stranger // handles that nobody in the cast has
}

// readBatch reads the rows from the form's values: those that are filled in, and below them
// those of the pasted table. It returns errors if there are none, or if the table cannot be
// read, which is then kept as it is.
func readBatch(rec ordering.Recipe, v url.Values) (batch, input.Errors) {
	b := batch{
		Recipe: rec, Blanks: rec.Blanks(), Anyway: option.Switch(v.Get("anyway")) == "true",
		Seen: v.Get("changed"), Token: site.Clip(v.Get("token"), 100), Sum: site.Clip(v.Get("sum"), 100),
		ShownStrangers: press.HandlesIn(v.Get(createview.ToldField)),
	}
	if b.Token == "" {
		b.Token = secrets.NewToken()
	}
	rows, leftOut := rowCount(v), strings.Split(site.Clip(v.Get("left_out"), 4000), ",")
	for i := range rows {
		row := b.row(
			func(j int) string { return v.Get(createview.CellField(i, j)) },
			func(name string) string { return v.Get(createview.OwnField(i, name)) })
		if len(row.values()) == 0 {
			continue
		}
		row.Skip = v.Get(createview.SkipField(i)) != ""
		b.Back = b.Back || !row.Skip && slices.Contains(leftOut, strconv.Itoa(i))
		b.Rows = append(b.Rows, row)
	}
	b.Text = v.Get("table")
	table, err := ordering.ReadTable(b.Text, b.names())
	if len(b.Rows) > 0 && errors.Is(err, ordering.ErrTableEmpty) {
		b.Text = ""
		return b, nil
	}
	if err == nil && len(b.Rows)+len(table.Rows) > ordering.MaxRows {
		err = ordering.ErrTableRows
	}
	if err != nil {
		return b, input.Errors{"table": createview.TableFault(err)}
	}
	for i, cells := range table.Rows {
		own := option.Text{}
		maps.Copy(own, table.Options[i])
		var more []string
		for _, fault := range table.Faults[i] { // kept as it is, and the row says what is wrong
			if fault.Kind == ordering.NoColumn {
				more = append(more, fault.Cell)
				continue
			}
			own[fault.Option] = ordering.JoinCells(own[fault.Option], fault.Cell)
		}
		own[createview.MoreCells] = format.List(more)
		b.Rows = append(b.Rows, b.row(func(j int) string { return cells[j] }, func(name string) string { return own[name] }))
	}
	b.Text, b.Notes = "", createview.TableNotes(table)
	return b, nil
}

// isBlank reports whether nothing was written or pasted.
func (b batch) isBlank() bool { return len(b.Rows) == 0 && strings.TrimSpace(b.Text) == "" }

// leaveOut leaves out the rows with errors.
func (b batch) leaveOut() {
	for i, row := range b.Rows {
		b.Rows[i].Skip = row.Skip || row.Errors != nil
	}
}

// rowCount returns how many rows the form contains, at most ordering.MaxRows.
func rowCount(v url.Values) int {
	n, err := strconv.Atoi(v.Get("rows"))
	if err != nil {
		return 0
	}
	return min(n, ordering.MaxRows)
}

func (b batch) names() []string {
	var names []string
	for _, blank := range b.Blanks {
		names = append(names, blank.Name)
	}
	return names
}

// rename puts another handle in the place of one that nobody has, if a button of the form
// asks for that.
func (b batch) rename(v url.Values) {
	rename, ok := press.Renaming(v.Get(createview.UseField))
	if !ok {
		return
	}
	for _, row := range b.Rows {
		for key, value := range row.Values {
			row.Values[key] = rename(value)
		}
	}
}

// strangers returns the handles in the rows that nobody in the cast has, as typed.
func (b batch) strangers() (typed []string) {
	for _, row := range b.Rows {
		for _, s := range row.Unknown {
			typed = append(typed, s.Typed)
		}
	}
	return typed
}

// row returns a row with the given cells, and the options of its own. Line breaks become
// spaces, because a blank is a single-line field.
func (b batch) row(cell func(j int) string, own func(name string) string) batchRow {
	f := form.FilledForm{Recipe: b.Recipe, Blanks: b.Blanks, Values: map[string]string{}}
	for j, blank := range b.Blanks {
		f.Values[blank.Key()] = form.FilledText(strings.ReplaceAll(site.PlainText(cell(j)), "\n", " "))
	}
	for _, name := range form.RowOptions {
		text := strings.TrimSpace(site.Clip(site.PlainText(own(name)), 100))
		if value, ok := ordering.OptionValue(name, text); ok {
			text = value
		}
		if text != "" {
			if f.Own == nil {
				f.Own = option.Text{}
			}
			f.Own[name] = text
		}
	}
	return batchRow{FilledForm: f, More: form.FilledText(strings.ReplaceAll(site.PlainText(own(createview.MoreCells)), "\n", " "))}
}

// values returns the row's values, to be compared.
func (r batchRow) values() url.Values {
	v := r.FilledForm.Fields()
	for name, value := range r.Own {
		v.Set("own:"+name, value)
	}
	if r.More != "" {
		v.Set("more", r.More)
	}
	return v
}

// check returns the errors of the row. The problems are those of its video.
func (r batchRow) check(c *videoapi.Catalog, problems site.Problems) input.Errors {
	errs := r.FilledForm.Check(problems)
	if r.More != "" {
		errs.Set(createview.MoreCells, createview.CellFault(ordering.Fault{Kind: ordering.NoColumn, Cell: r.More}))
	}
	m, known := press.ModelFor(c, r.Recipe.Model, videoapi.Scene(r.Recipe.Scene))
	for name, value := range r.Own {
		if _, ok := ordering.OptionValue(name, value); !ok {
			errs.Set(name, createview.CellFault(ordering.Misread(name, value)))
		} else if why := m.Check(m.Name, option.Text{name: value})[name]; known && why != "" {
			errs.Set(name, why)
		}
	}
	return errs
}

// total returns the price of all rows that are made.
func (b batch) total() part.Price {
	var prices []part.Price
	for _, row := range b.Rows {
		if !row.Skip {
			prices = append(prices, row.price(b.Price))
		}
	}
	if len(prices) == 0 {
		return b.Price
	}
	return part.Mix(prices...)
}

// price returns the price of the row, where usual is that of the recipe.
func (r batchRow) price(usual part.Price) part.Price {
	if len(r.Own) == 0 {
		return usual
	}
	return r.Price
}

// count returns how many videos would be made.
func (b batch) count() (n int) {
	for _, row := range b.Rows {
		if !row.Skip {
			n++
		}
	}
	return n
}

// checking returns how many rows have pictures that were not looked at yet.
func (b batch) checking() (n int) {
	for _, row := range b.Rows {
		if !row.Skip && row.Checking {
			n++
		}
	}
	return n
}

// wrong returns how many rows cannot be made as they are.
func (b batch) wrong() (n int) {
	for _, row := range b.Rows {
		if !row.Skip && row.Errors != nil {
			n++
		}
	}
	return n
}

// errors returns the message for all rows together. It requires a confirmation of an
// unknown price only if making is true, which means that the user has pressed the
// button that makes the videos.
func (b batch) errors(c createview.RecipeCard, making bool) input.Errors {
	switch {
	case form.IsStale(b.Recipe, b.Seen):
		return input.Errors{"": createview.RowsChanged}
	case b.count() == 0:
		return input.Errors{"": createview.RowsLeftOut}
	}
	if errs := ceilingErrors(c, b.Price, b.Anyway || !making); errs != nil {
		return errs
	}
	for _, row := range b.Rows {
		if making && !b.Anyway && !row.Skip && row.Errors == nil && b.Recipe.Unsure(row.price(b.Price).Credits) {
			return input.Errors{"anyway": createview.AnywayMissing}
		}
	}
	if b.wrong() > 0 {
		return input.Errors{createview.RowErrors: createview.RowsToMend(b.wrong())}
	}
	if n := b.checking(); making && n > 0 {
		return input.Errors{"": createview.StillChecking(n)}
	}
	return nil
}

// asShown reports whether the rows, the recipe and the price are as they were when the
// total was shown. Fewer rows are no change that a user has to look at: they cost less.
func (b batch) asShown() bool { return b.Sum == b.sum() && !b.Back }

// sum returns a checksum of all rows, skipped or not, the recipe's version and the
// price, to detect changes since they were shown.
func (b batch) sum() string {
	return b.digest(fmt.Sprint(b.Recipe.ChangedAt.UnixMilli(), b.Price), func(row batchRow) string {
		if len(row.Own) == 0 {
			return ""
		}
		return row.Price.Shown()
	})
}

// name returns an ID for the batch that is the same for each submission of one form
// with the same rows, and unique to the user.
func (b batch) name(userID int64) string {
	return b.digest(fmt.Sprint("batch", userID, b.Token), func(row batchRow) string { return strconv.FormatBool(row.Skip) })
}

// digest returns a checksum of the rows' values, with more about each row and about the
// batch.
func (b batch) digest(more string, ofRow func(batchRow) string) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%d %s\n", b.Recipe.ID, more)
	for _, row := range b.Rows {
		fmt.Fprintf(hash, "%s %s\n", ofRow(row), row.values().Encode())
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// view returns the batch's data for its page.
func (b batch) view(c createview.RecipeCard, price part.Price, errs input.Errors) createview.BatchPage {
	b.Price = price
	page := createview.BatchPage{
		Card: c, Text: b.Text, Notes: b.Notes, Errors: errs, Price: price, Anyway: b.Anyway,
		Token: secrets.NewToken(), Sum: b.sum(), Videos: b.count(), Total: b.total(),
	}
	for _, name := range form.RowOptions {
		if slices.ContainsFunc(b.Rows, func(row batchRow) bool { return row.Own[name] != "" }) {
			page.Own = append(page.Own, name)
		}
	}
	for _, row := range b.Rows {
		shown := createview.BatchRow{
			Errors: row.Errors, Hints: row.Hints, Strangers: row.Unknown, Skip: row.Skip, Checking: row.Checking,
			Own: row.Own, More: row.More, Price: row.price(price),
		}
		for _, blank := range b.Blanks {
			shown.Values = append(shown.Values, row.Values[blank.Key()])
		}
		page.Rows = append(page.Rows, shown)
	}
	return page
}
