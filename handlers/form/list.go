package form

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"dailies/db"
	"dailies/db/option"
	"dailies/db/ordering"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web/videoapi"
)

// A formList is the list in a form: what was pasted into the prompt, one video each.
type formList struct {
	ordering.List
	Err   error      // why it cannot be read
	Left  []int      // the rows that are left out, from 0
	Sum   string     // of the rows that the page showed
	Kinds []listKind // what is known of the list where the prompt itself is not sent
}

// A listKind is how many videos of a list have the same options of their own.
type listKind struct {
	Rows    int
	Options option.Text
}

// RowOptions are the options that a row may have of its own.
var RowOptions = []string{"duration", "aspect_ratio", "resolution"}

// readList reads the list in the form's prompt.
func (f *Form) readList() {
	f.Listed.List, f.Listed.Err = ordering.List{}, nil
	if !f.List {
		return
	}
	if f.Listed.List, f.Listed.Err = ordering.ReadList(f.Prompt); f.Listed.Err == ordering.ErrTableEmpty {
		f.Listed.Err = nil
	}
}

// leftOut reads the numbers of rows that are left out.
func leftOut(text string) (rows []int) {
	for _, one := range strings.Split(site.Clip(text, 400), ",") {
		if n, err := strconv.Atoi(one); err == nil && n >= 0 && n < ordering.MaxRows && !slices.Contains(rows, n) {
			rows = append(rows, n)
		}
	}
	slices.Sort(rows)
	return rows
}

// listKinds reads what kindsField writes.
func listKinds(text string) (kinds []listKind) {
	for _, one := range strings.Split(site.Clip(text, 8000), ";") {
		fields := strings.Split(one, ",")
		n, err := strconv.Atoi(fields[0])
		if err != nil || n < 1 || len(fields) != 1+len(RowOptions) || len(kinds) == ordering.MaxRows {
			continue
		}
		k := listKind{Rows: min(n, ordering.MaxRows)}
		for i, name := range RowOptions {
			k.set(name, fields[1+i])
		}
		kinds = append(kinds, k)
	}
	return kinds
}

func (k *listKind) set(name, value string) {
	if value == "" {
		return
	}
	if k.Options == nil {
		k.Options = option.Text{}
	}
	k.Options[name] = value
}

// leftField writes the numbers of the rows that are left out.
func leftField(rows []int) string {
	var all []string
	for _, n := range rows {
		all = append(all, strconv.Itoa(n))
	}
	return strings.Join(all, ",")
}

// kindsField writes the kinds, for requests that do not send the prompt.
func kindsField(kinds []listKind) string {
	var all []string
	for _, k := range kinds {
		fields := []string{strconv.Itoa(k.Rows)}
		for _, name := range RowOptions {
			fields = append(fields, k.Options[name])
		}
		all = append(all, strings.Join(fields, ","))
	}
	return strings.Join(all, ";")
}

// IsList reports whether the form makes a video of each row of its prompt. A single line is
// a prompt like any other.
func (f Form) IsList() bool {
	l := f.Listed
	return f.List && (l.Err != nil || len(l.Rows) > 1 || len(l.Rows) == 1 && (l.Table || l.Headed))
}

// A listedRow is a row of the list, as it would be made.
type listedRow struct {
	Form       // of this one video
	At     int // its place in the list, from 0
	Own    option.Text
	Faults []string // sentences; a row that has some is not made
}

// rowForms returns the rows that are not left out, as they are sent. Their faults are not known
// yet.
func (f Form) rowForms(c *videoapi.Catalog) (rows []listedRow) {
	f = f.sent(c)
	for i, row := range f.Listed.Rows {
		if !slices.Contains(f.Listed.Left, i) {
			rows = append(rows, listedRow{Form: f.with(row), At: i, Own: row.Options})
		}
	}
	return rows
}

// rows returns them with their faults, and the problems that are none of a single row. The
// problems of their videos are given, or nil if they are to be found.
func (f Form) rows(c *videoapi.Catalog, given []site.Problems) (rows []listedRow, whole site.Problems) {
	rows = f.rowForms(c)
	for i := range rows {
		one := &rows[i]
		for _, fault := range f.Listed.Rows[one.At].Faults {
			one.say(createview.CellFault(fault))
		}
		if one.Known {
			own := one.Chosen.Check(one.Chosen.Name, one.spelled(one.Own))
			for _, name := range RowOptions {
				one.say(own[name])
			}
		}
		var problems site.Problems
		if given != nil {
			problems = given[i*f.count()]
		} else {
			problems = f.Casting.check(c, one.Task(db.User{}))
		}
		for _, p := range problems {
			switch {
			case p.Field == "prompt", p.Field == createview.CastField:
				one.say(p.Text)
			case one.Own[p.Field] == "" && i == 0:
				whole = append(whole, p)
			}
		}
	}
	return rows, whole
}

func (r *listedRow) say(sentence string) {
	if sentence != "" && !slices.Contains(r.Faults, sentence) {
		r.Faults = append(r.Faults, sentence)
	}
}

// with returns the form of the row alone.
func (f Form) with(row ordering.ListRow) Form {
	f.Prompt, f.List, f.Listed = row.Prompt, false, formList{}
	for name, value := range f.spelled(row.Options) {
		f.setOption(name, value)
	}
	return f
}

// spelled returns the options of a row in the spelling of the model.
func (f Form) spelled(own option.Text) option.Text {
	spelled := option.Text{}
	for name, value := range own {
		spelled[name] = f.offered(name, value)
	}
	return spelled
}

// offered returns the value in the spelling of the model, if it offers it.
func (f Form) offered(name, value string) string {
	choices := f.Chosen.Choices(name)
	if at := slices.IndexFunc(choices, func(one string) bool { return strings.EqualFold(one, value) }); at >= 0 {
		return choices[at]
	}
	return value
}

// made returns the rows that are made: those without faults.
func made(rows []listedRow) []listedRow {
	return slices.DeleteFunc(slices.Clone(rows), func(r listedRow) bool { return len(r.Faults) > 0 })
}

// listProblems says what keeps the list from being made. Rows with faults are no problem once
// the page has shown them: they are left out.
func (f Form) listProblems(rows []listedRow, whole site.Problems) site.Problems {
	if f.Listed.Err != nil {
		return site.Problems{{Field: "prompt", Text: createview.ListFault(f.Listed.Err)}}
	}
	good := made(rows)
	if whole != nil {
		return whole
	}
	if len(good)*f.count() > ordering.MaxRows {
		return site.Problems{{Field: "prompt", Text: createview.TooManyVideos(ordering.MaxRows)}}
	}
	shown := f.Listed.Sum == listSum(rows)
	for _, r := range rows {
		if len(r.Faults) > 0 && (!shown || len(good) == 0) {
			return site.Problems{{Field: "prompt", Text: createview.InLine(r.At+1, r.Faults[0])}}
		}
	}
	switch {
	case len(rows) == 0:
		return site.Problems{{Field: "prompt", Text: createview.RowsLeftOut}}
	case f.Listed.Sum != "" && !shown:
		return site.Problems{{Field: "prompt", Text: createview.TotalChanged}}
	}
	return nil
}

// listSum returns a checksum of the rows and of which of them are made.
func listSum(rows []listedRow) string {
	hash := sha256.New()
	for _, r := range rows {
		fmt.Fprintf(hash, "%d %q %v %t\n", r.At, r.Prompt, r.Own, len(r.Faults) > 0)
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// kinds returns how many videos with which options of their own the form makes, not counting
// copies: one without any if it has no list. Where the prompt was not sent, it is what the
// page knew of it.
func (f Form) kinds(c *videoapi.Catalog) (kinds []listKind) {
	if f.List && f.Prompt == "" {
		s := f.sent(c)
		for _, k := range f.Listed.Kinds {
			if !s.Known || s.Chosen.Check(s.Chosen.Name, s.spelled(k.Options)) == nil {
				kinds = append(kinds, k)
			}
		}
		return kinds
	}
	if !f.IsList() {
		return []listKind{{Rows: 1}}
	}
	rows, _ := f.rows(c, nil)
	at := map[string]int{}
	for _, r := range made(rows) {
		key := fmt.Sprint(r.Own)
		i, known := at[key]
		if !known {
			i = len(kinds)
			at[key], kinds = i, append(kinds, listKind{Options: r.Own})
		}
		kinds[i].Rows++
	}
	return kinds
}

// lines returns how many videos the list makes, not counting copies.
func lines(kinds []listKind) (n int) {
	for _, k := range kinds {
		n += k.Rows
	}
	return n
}

// first returns the prompt of the first video.
func (f Form) first() string {
	if f.IsList() && len(f.Listed.Rows) > 0 {
		return f.Listed.Rows[0].Prompt
	}
	return f.Prompt
}

// each returns the task of each row, or the form's only one.
func (f Form) each() (tasks []db.Task) {
	if !f.IsList() {
		return []db.Task{f.Task(db.User{})}
	}
	for _, row := range f.Listed.Rows {
		tasks = append(tasks, f.with(row).Task(db.User{}))
	}
	return tasks
}

// listView returns the list as the page shows it, or nil if there is none.
func (f Form) listView(c *videoapi.Catalog, price func(db.Task) string) *createview.List {
	if !f.IsList() {
		return nil
	}
	rows, _ := f.rows(c, nil)
	view := &createview.List{
		Table: f.Listed.Table, Ignored: f.Listed.Ignored, Err: f.Listed.Err, Sum: listSum(rows),
		Confirms: f.Listed.Err == nil && len(rows) > 1,
	}
	for _, r := range rows {
		view.Rows = append(view.Rows, createview.ListRow{
			At: r.At, Prompt: r.Prompt, Options: r.Chosen.Complete(r.Options).Text(),
			Price: price(r.Task(db.User{})), Faults: r.Faults,
		})
		view.Confirms = view.Confirms && (f.Listed.Table || words(r.Prompt) >= 3)
	}
	return view
}

// words counts the words of a line, about also those of scripts without spaces.
func words(line string) (n int) {
	for _, word := range strings.Fields(line) {
		spaceless := 0
		for _, r := range word {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
				spaceless++
			}
		}
		n += max(1, spaceless/2)
	}
	return n
}
