package create

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/ordering"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/web/videoapi"
)

// batchPatience is how long a page waits for the pictures of a batch that are being checked.
const batchPatience = 20 * time.Second

// batchCheck checks tables.
type batchCheck struct {
	catalog  *videoapi.Catalog
	pictures *Pictures
	recipes  *Recipes
}

// recipe returns the recipe in the path, if it has blanks that a table can fill.
func (h *batchCheck) recipe(r *http.Request) (ordering.Recipe, error) {
	return h.recipes.named(r, func(rec ordering.Recipe) bool { return rec.DeletedAt.IsZero() && len(rec.Blanks()) > 0 })
}

// with checks the rows, and returns their errors with those of the table, if there are any.
func (h *batchCheck) with(r *http.Request, b *batch, errs input.Errors, making bool) (input.Errors, error) {
	if len(b.Rows) == 0 {
		return errs, nil
	}
	found, err := h.of(r, b, making)
	if found == nil {
		return errs, err
	}
	maps.Copy(found, errs)
	return found, err
}

// of checks each row like the form of a single video, and checks its
// pictures. making is as for batch.errors.
func (h *batchCheck) of(r *http.Request, b *batch, making bool) (input.Errors, error) {
	b.Price = h.recipes.price(r, b.Recipe)
	if err := h.castOf(r.Context(), b); err != nil {
		return nil, err
	}
	seen := map[string]int{}
	for i := range b.Rows {
		row := &b.Rows[i]
		if row.Skip {
			continue
		}
		row.Errors = row.check(h.catalog)
		if len(row.Own) > 0 {
			row.Price = h.recipes.prices.Of(r.Context(), row.Task(db.User{}))
			if b.Recipe.Over(row.Price.Credits) {
				row.Errors.Set("", createview.OverCeiling(h.recipes.card(r, b.Recipe), row.Price))
			}
		}
		if row.Errors == nil && utf8.RuneCountInString(row.Task(db.User{}).Prompt) > createview.LongPrompt {
			row.Hints = append(row.Hints, createview.PromptLong)
		}
		what := row.values().Encode()
		if first, again := seen[what]; again {
			row.Hints = append(row.Hints, createview.SameRow(first))
		} else {
			seen[what] = i + 1
		}
	}
	if err := h.checkPictures(r, b); err != nil {
		return nil, err
	}
	return b.errors(h.recipes.card(r, b.Recipe), making), nil
}

// castOf reads the cast members in the rows, and finds the handles that nobody has.
func (h *batchCheck) castOf(ctx context.Context, b *batch) error {
	var tasks []db.Task
	for _, row := range b.Rows {
		tasks = append(tasks, row.Task(db.User{}))
	}
	company, err := h.recipes.casting.Of(ctx, tasks...)
	if err != nil {
		return err
	}
	strangers, err := h.recipes.casting.Strangers(ctx, company.Unknown(tasks...))
	if err != nil {
		return err
	}
	by, has := map[string]createview.Stranger{}, company.Has()
	for _, s := range strangers {
		by[cast.KeyOf(s.Typed)] = s
	}
	for i := range b.Rows {
		b.Rows[i].Company = company
		for _, one := range Unknown(has, tasks[i]) {
			if s, ok := by[cast.KeyOf(one)]; ok {
				b.Rows[i].Unknown = append(b.Rows[i].Unknown, s)
			}
		}
	}
	return nil
}

// checkPictures checks each picture of the batch once. An unusable picture causes an error in
// its rows, and one that is only slow a hint. Those that could not be looked at yet are
// checked in the background; until then their rows cannot be made.
func (h *batchCheck) checkPictures(r *http.Request, b *batch) error {
	var addresses []string
	for i := range b.Rows {
		row := &b.Rows[i]
		if row.Skip || row.Errors != nil {
			continue
		}
		t := row.Task(db.User{})
		row.Company.Cast(h.catalog, &t, nil)
		row.Pictures, row.Cast = t.Pictures, t.Cast
		if err := h.pictures.Settle(r.Context(), row.Pictures); err != nil {
			return err
		}
		addresses = append(addresses, WithoutGaps(row.Pictures)...)
	}
	slices.Sort(addresses)
	ctx, cancel := context.WithTimeout(r.Context(), batchPatience)
	defer cancel()
	notes := h.pictures.JudgeLater(ctx, site.Me(r).ID, slices.Compact(addresses), b.Anew)
	for i := range b.Rows {
		row := &b.Rows[i]
		var problems Problems
		row.Seen = map[string]createview.PictureNote{}
		for j, address := range row.Pictures {
			row.Seen[address] = notes[address]
			switch note := notes[address]; {
			case note.Unchecked:
				row.Checking = true
			case !h.pictures.Refuses(note):
			case note.Slow:
				row.Hints = append(row.Hints, note.InRow())
			default:
				problems = append(problems, Problem{Kind: BadPicture, Field: PictureField(j), Text: note.Text, Address: address})
			}
		}
		if problems != nil {
			t := row.Task(db.User{})
			t.Pictures, t.Cast = row.Pictures, row.Cast
			row.Errors = row.Place(OfCast(problems, t))
		}
	}
	return nil
}
