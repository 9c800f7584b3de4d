package recipe

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/handlers/form"
	"dailies/handlers/picture"
	"dailies/handlers/press"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
)

// ShowTable shows the page with the table.
func (h *Recipe) ShowTable(w http.ResponseWriter, r *http.Request) error {
	rec, err := h.recipeWithBlanks(r)
	if err != nil {
		return err
	}
	typed, err := h.typed.Typed(r)
	if err != nil {
		return err
	}
	b, errs := readBatch(rec, typed)
	if b.isBlank() {
		return h.drawBatch(w, r, http.StatusOK, b, nil)
	}
	h.uploads.Patient(w, r)
	if _, errs, err = h.checkTable(r, &b, errs, false); err != nil {
		return err
	}
	return h.drawBatch(w, r, http.StatusOK, b, errs)
}

// SendTable checks the rows, together with those of a pasted table, perhaps leaves out those
// with errors, or makes the videos. It makes them only if the rows and the total are as they
// were last shown. Asked to split a table, it answers its cells as JSON.
func (h *Recipe) SendTable(w http.ResponseWriter, r *http.Request) error {
	rec, err := h.recipeWithBlanks(r)
	if err != nil {
		return err
	}
	h.uploads.Patient(w, r)
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	if values.Get("do") == "split" {
		if cells, err := ordering.Cells(values.Get("table")); err == nil {
			return sendCells(w, cells)
		} // otherwise the page says what is wrong with the table
	}
	b, errs := readBatch(rec, values)
	b.rename(values)
	making := values.Get("do") == "make"
	b.Anew = values.Get("do") == "check"
	order, errs, err := h.checkTable(r, &b, errs, making)
	if err != nil {
		return err
	}
	if values.Get("do") == "leave" && errs[createview.RowErrors] != "" {
		unread := errs["table"]
		b.leaveOut()
		if errs = b.errors(h.card(r, rec), false); unread != "" {
			errs.Set("table", unread)
		}
	}
	if !making || len(b.Rows) == 0 || b.Text != "" {
		return h.drawBatch(w, r, form.StatusFor(errs), b, errs)
	}
	// A repeated submission leads to the videos of the first, even if the price has
	// risen since.
	made, err := h.lineage.BatchTasks(r.Context(), b.name(site.Me(r).ID), 1)
	if err != nil {
		return err
	}
	if len(made) > 0 {
		return h.redirectToBatch(w, r, made)
	}
	switch lost := press.Unshown(b.strangers(), b.ShownStrangers); {
	case errs != nil:
	case !b.asShown():
		errs = input.Errors{"": createview.TotalChanged}
	case len(lost) > 0:
		errs = input.Errors{"": createview.NobodyNow(lost)}
	}
	if errs != nil {
		return h.drawBatch(w, r, http.StatusUnprocessableEntity, b, errs)
	}
	made, problems, err := h.press.Place(r.Context(), order)
	switch {
	case err != nil:
		return err
	case problems != nil:
		if errs, err = h.batchErrors(r, problems); err != nil {
			return err
		}
		return h.drawBatch(w, r, problems.Status(), b, errs)
	}
	return h.redirectToBatch(w, r, made)
}

// sendCells answers a script that fills rows with pasted cells.
func sendCells(w http.ResponseWriter, cells [][]string) error {
	body, err := json.Marshal(cells)
	if err != nil {
		return fmt.Errorf("encode pasted cells: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // it fails if the browser has closed the connection
	return nil
}

// redirectToBatch redirects to the page of the videos.
func (h *Recipe) redirectToBatch(w http.ResponseWriter, r *http.Request, tasks []db.Task) error {
	h.typed.Sent(w, r)
	return web.SeeOther(w, r, "/batches/"+url.PathEscape(tasks[0].Batch))
}

// order returns the order of all rows that are not skipped. Their videos are placed in one
// transaction; the watcher then sends one after another. The rows' tokens are derived from the
// form's token, so that a repeated submission finds the first batch.
func (b batch) order(u db.User) press.Order {
	o := press.Order{User: u, ShownStrangers: b.ShownStrangers}
	for i, row := range b.Rows {
		if row.Skip {
			continue
		}
		t := row.Task(u)
		t.Batch, t.Bulk, t.FormToken = b.name(u.ID), true, fmt.Sprintf("%s row %d", press.OnceToken(b.Token, t, 1), i)
		o.Tasks = append(o.Tasks, t)
	}
	return o
}

// batchErrors returns the messages about the problems that keep a batch from being made.
func (h *Recipe) batchErrors(r *http.Request, problems site.Problems) (input.Errors, error) {
	errs := problems.Errors()
	switch {
	case problems.Has(site.NoKey):
		lack, err := h.keys.Lack(r)
		if err != nil {
			return nil, err
		}
		if errs[""] = createview.KeyElsewhere; lack == part.LacksTeamKey {
			errs[""] = createview.KeyMissingYet
		}
	case problems.Has(site.OverLimit):
		errs[""] = format.Sentences(errs[""], createview.AskElsewhere)
	}
	return errs, nil
}

func (h *Recipe) drawBatch(w http.ResponseWriter, r *http.Request, status int, b batch, errs input.Errors) error {
	page := b.view(h.card(r, b.Recipe), h.price(r, b.Recipe), errs)
	var err error
	if page.NoKey, err = h.keys.Lack(r); err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, fmt.Sprintf("Make many: %s", naming.Isolated(b.Recipe.Name)), createview.ShowBatch(page))
}

// shownBatches is the maximum number of batches in the list.
const shownBatches = 100

// ListBatches lists the batches that the user has made.
func (h *Recipe) ListBatches(w http.ResponseWriter, r *http.Request) error {
	batches, err := h.lineage.OwnBatches(r.Context(), site.Me(r).ID, shownBatches)
	if err != nil {
		return err
	}
	return h.pages.Draw(w, r, http.StatusOK, "Batches", createview.ShowBatches(batches))
}

// maxBatch is the maximum number of videos shown on the page of one submission.
const maxBatch = 200

// ShowBatch shows the progress of the videos of one submission.
func (h *Recipe) ShowBatch(w http.ResponseWriter, r *http.Request) error {
	tasks, err := h.madeTogether(r.Context(), site.Me(r).ID, site.Clip(r.PathValue("batch"), 100))
	if err != nil {
		return err
	}
	cards, err := h.cards.Of(r, tasks)
	if err != nil {
		return err
	}
	made := createview.Made{Batch: tasks[0].Batch, Cards: cards}
	if web.IsPartial(r) {
		w.Header().Add("Vary", "HX-Request-Type")
		return site.Poll(w, r, createview.MadePart(made))
	}
	if made.Recipe, err = h.named.RecipeOf(r, tasks[0]); err != nil {
		return err
	}
	return h.pages.Draw(w, r, http.StatusOK, "Batch", createview.ShowMade(made))
}

// madeTogether returns those videos of one submission that the viewer may see.
func (h *Recipe) madeTogether(ctx context.Context, viewer int64, name string) ([]db.Task, error) {
	all, err := h.lineage.BatchTasks(ctx, name, maxBatch)
	if err != nil {
		return nil, err
	}
	var seen []db.Task
	for _, t := range all {
		if t.ListedFor(viewer) {
			seen = append(seen, t)
		}
	}
	if len(seen) == 0 {
		return nil, web.NotFound()
	}
	return seen, nil
}

// batchPatience is how long a page waits for the pictures of a batch that are being checked.
const batchPatience = 20 * time.Second

// recipeWithBlanks returns the recipe in the path, if it has blanks that a table can fill.
func (h *Recipe) recipeWithBlanks(r *http.Request) (ordering.Recipe, error) {
	return h.permittedRecipe(r, func(rec ordering.Recipe) bool { return rec.DeletedAt.IsZero() && len(rec.Blanks()) > 0 })
}

// checkTable checks the rows, and returns their order, and their errors with those of the table, if
// there are any.
func (h *Recipe) checkTable(r *http.Request, b *batch, errs input.Errors, making bool) (*press.Completed, input.Errors, error) {
	if len(b.Rows) == 0 {
		return nil, errs, nil
	}
	order, found, err := h.checkRows(r, b, making)
	if found == nil {
		return order, errs, err
	}
	maps.Copy(found, errs)
	return order, found, err
}

// checkRows checks each row like the form of a single video, prices it, and looks at its
// pictures. making is as for batch.errors.
func (h *Recipe) checkRows(r *http.Request, b *batch, making bool) (*press.Completed, input.Errors, error) {
	b.Price = h.price(r, b.Recipe)
	company, err := h.castOf(r.Context(), b)
	if err != nil {
		return nil, nil, err
	}
	of := b.order(site.Me(r))
	of.Company = company
	order, err := h.press.Complete(r.Context(), of)
	if err != nil {
		return nil, nil, err
	}
	order.Check()
	order.Price()
	seen, at := map[string]int{}, 0
	for i := range b.Rows {
		row := &b.Rows[i]
		if row.Skip {
			continue
		}
		row.Errors = row.check(h.catalog, order.Faults[at])
		if len(row.Own) > 0 {
			row.Price = order.Prices[at]
			if b.Recipe.Over(row.Price.Credits) {
				row.Errors.Set("", createview.OverCeiling(h.card(r, b.Recipe), row.Price))
			}
		}
		if row.Errors == nil && utf8.RuneCountInString(of.Tasks[at].Prompt) > createview.LongPrompt {
			row.Hints = append(row.Hints, createview.PromptLong)
		}
		what := row.values().Encode()
		if first, again := seen[what]; again {
			row.Hints = append(row.Hints, createview.SameRow(first))
		} else {
			seen[what] = i + 1
		}
		at++
	}
	h.checkPictures(r, b, order)
	return order, b.errors(h.card(r, b.Recipe), making), nil
}

// castOf reads the cast members in the rows, and finds the handles that nobody has.
func (h *Recipe) castOf(ctx context.Context, b *batch) (press.Company, error) {
	var tasks []db.Task
	for _, row := range b.Rows {
		tasks = append(tasks, row.Task(db.User{}))
	}
	company, err := h.press.Company(ctx, tasks...)
	if err != nil {
		return nil, err
	}
	strangers, err := h.press.Strangers(ctx, company.Unknown(tasks...))
	if err != nil {
		return nil, err
	}
	by, has := map[string]createview.Stranger{}, company.Has()
	for _, s := range strangers {
		by[cast.KeyOf(s.Typed)] = s
	}
	for i := range b.Rows {
		for _, one := range press.Unknown(has, tasks[i]) {
			if s, ok := by[cast.KeyOf(one)]; ok {
				b.Rows[i].Unknown = append(b.Rows[i].Unknown, s)
			}
		}
	}
	return company, nil
}

// checkPictures checks each picture of the batch once. An unusable picture causes an error in
// its rows, and one that is only slow a hint. Those that could not be looked at yet are
// checked in the background; until then their rows cannot be made.
func (h *Recipe) checkPictures(r *http.Request, b *batch, order *press.Completed) {
	var addresses []string
	at := 0
	for _, row := range b.Rows {
		if row.Skip {
			continue
		}
		if row.Errors == nil {
			addresses = append(addresses, picture.WithoutGaps(order.Tasks[at].Pictures)...)
		}
		at++
	}
	slices.Sort(addresses)
	ctx, cancel := context.WithTimeout(r.Context(), batchPatience)
	defer cancel()
	order.Seen = h.pictures.JudgeLater(ctx, site.Me(r).ID, slices.Compact(addresses), b.Anew)
	at = -1
	for i := range b.Rows {
		row := &b.Rows[i]
		if row.Skip {
			continue
		}
		if at++; row.Errors != nil {
			continue
		}
		var problems site.Problems
		for j, address := range order.Tasks[at].Pictures {
			switch note := order.Seen[address]; {
			case note.Unchecked:
				row.Checking = true
			case !h.pictures.Refuses(note):
			case note.Slow:
				row.Hints = append(row.Hints, note.InRow())
			default:
				problems = append(problems,
					site.Problem{Kind: site.BadPicture, Field: site.PictureField(j), Text: note.Text, Address: address})
			}
		}
		if problems != nil {
			row.Errors = row.Place(press.OfCast(problems, order.Tasks[at]))
		}
	}
}
