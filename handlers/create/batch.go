package create

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/db/store/video"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
)

// BatchForm makes many videos of one recipe from a pasted table.
type BatchForm struct {
	check  *batchCheck
	intake *site.Intake
	orders *batchOrders
	page   *batchPage
	typing *site.Typing
}

// batchPage is the page with the table.
type batchPage struct {
	keys    *site.Keys
	pages   *site.Pages
	recipes *Recipes
}

// batchOrders places batches.
type batchOrders struct {
	keys    *site.Keys
	lineage *video.Lineage
	press   *Press
}

// Show shows the page with the table.
func (h *BatchForm) Show(w http.ResponseWriter, r *http.Request) error {
	rec, err := h.check.recipe(r)
	if err != nil {
		return err
	}
	typed, err := h.typing.Typed(r)
	if err != nil {
		return err
	}
	b, errs := readBatch(rec, typed)
	if b.isBlank() {
		return h.page.draw(w, r, http.StatusOK, b, nil)
	}
	h.intake.Patient(w, r)
	if errs, err = h.check.with(r, &b, errs, false); err != nil {
		return err
	}
	return h.page.draw(w, r, http.StatusOK, b, errs)
}

// Send checks the rows, together with those of a pasted table, perhaps leaves out those
// with errors, or makes the videos. It makes them only if the rows and the total are as they
// were last shown. Asked to split a table, it answers its cells as JSON.
func (h *BatchForm) Send(w http.ResponseWriter, r *http.Request) error {
	rec, err := h.check.recipe(r)
	if err != nil {
		return err
	}
	h.intake.Patient(w, r)
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
	if errs, err = h.check.with(r, &b, errs, making); err != nil {
		return err
	}
	if values.Get("do") == "leave" && errs[createview.RowErrors] != "" {
		unread := errs["table"]
		b.leaveOut()
		if errs = b.errors(h.check.recipes.card(r, rec), false); unread != "" {
			errs.Set("table", unread)
		}
	}
	if !making || len(b.Rows) == 0 || b.Text != "" {
		return h.page.draw(w, r, StatusFor(errs), b, errs)
	}
	// A repeated submission leads to the videos of the first, even if the price has
	// risen since.
	made, err := h.orders.lineage.BatchTasks(r.Context(), b.name(site.Me(r).ID), 1)
	if err != nil {
		return err
	}
	if len(made) > 0 {
		return h.made(w, r, made)
	}
	switch lost := Untold(b.strangers(), b.Told); {
	case errs != nil:
	case !b.asShown():
		errs = input.Errors{"": createview.TotalChanged}
	case len(lost) > 0:
		errs = input.Errors{"": createview.NobodyNow(lost)}
	}
	if errs != nil {
		return h.page.draw(w, r, http.StatusUnprocessableEntity, b, errs)
	}
	made, problems, err := h.orders.place(r, b)
	switch {
	case err != nil:
		return err
	case problems != nil:
		if errs, err = h.orders.errors(r, problems); err != nil {
			return err
		}
		return h.page.draw(w, r, problems.Status(), b, errs)
	}
	return h.made(w, r, made)
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

// made redirects to the page of the videos.
func (h *BatchForm) made(w http.ResponseWriter, r *http.Request, tasks []db.Task) error {
	h.typing.Sent(w, r)
	return web.SeeOther(w, r, "/batches/"+url.PathEscape(tasks[0].Batch))
}

// place places all videos in one transaction; the watcher then sends one after
// another. The rows' tokens are derived from the form's token, so that a repeated
// submission finds the first batch. The pictures have already been checked with the
// rows.
func (h *batchOrders) place(r *http.Request, b batch) ([]db.Task, Problems, error) {
	u := site.Me(r)
	o := Order{User: u, Seen: map[string]createview.PictureNote{}, Told: b.Told}
	for i, row := range b.Rows {
		if row.Skip {
			continue
		}
		t := row.Task(u)
		t.Batch, t.Bulk, t.FormToken = b.name(u.ID), true, fmt.Sprintf("%s row %d", OnceToken(b.Token, t, 1), i)
		o.Tasks = append(o.Tasks, t)
		maps.Copy(o.Seen, row.Seen)
	}
	return h.press.Place(r.Context(), o)
}

// errors returns the messages about the problems that keep a batch from being made.
func (h *batchOrders) errors(r *http.Request, problems Problems) (input.Errors, error) {
	errs := problems.Errors()
	switch {
	case problems.Has(NoKey):
		lack, err := h.keys.Lack(r)
		if err != nil {
			return nil, err
		}
		if errs[""] = createview.KeyElsewhere; lack == part.LacksTeamKey {
			errs[""] = createview.KeyMissingYet
		}
	case problems.Has(OverLimit):
		errs[""] = format.Sentences(errs[""], createview.AskElsewhere)
	}
	return errs, nil
}

func (h *batchPage) draw(w http.ResponseWriter, r *http.Request, status int, b batch, errs input.Errors) error {
	page := b.view(h.recipes.card(r, b.Recipe), h.recipes.price(r, b.Recipe), errs)
	var err error
	if page.NoKey, err = h.keys.Lack(r); err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, fmt.Sprintf("Make many: %s", naming.Isolated(b.Recipe.Name)), func(f part.Frame) templ.Component { return createview.ShowBatch(f, page) })
}

// Batches shows what was made in bulk.
type Batches struct {
	cards   *site.Cards
	lineage *video.Lineage
	named   *site.Named
	pages   *site.Pages
}

// shownBatches is the maximum number of batches in the list.
const shownBatches = 100

// List lists the batches that the user has made.
func (h *Batches) List(w http.ResponseWriter, r *http.Request) error {
	batches, err := h.lineage.OwnBatches(r.Context(), site.Me(r).ID, shownBatches)
	if err != nil {
		return err
	}
	return h.pages.Draw(w, r, http.StatusOK, "Batches", func(f part.Frame) templ.Component { return createview.ShowBatches(f, batches) })
}

// maxBatch is the maximum number of videos shown on the page of one submission.
const maxBatch = 200

// Made shows the progress of the videos of one submission.
func (h *Batches) Made(w http.ResponseWriter, r *http.Request) error {
	tasks, err := h.madeTogether(r.Context(), site.Me(r).ID, site.Clip(r.PathValue("batch"), 100))
	if err != nil {
		return err
	}
	cards, err := h.cards.Of(r, tasks)
	if err != nil {
		return err
	}
	made := createview.Made{Batch: tasks[0].Batch, Cards: cards}
	w.Header().Add("Vary", "HX-Request-Type")
	if r.Header.Get("HX-Request-Type") == "partial" {
		return site.Poll(w, r, createview.MadePart(made))
	}
	if made.Recipe, err = h.named.RecipeOf(r, tasks[0]); err != nil {
		return err
	}
	f, err := h.pages.Frame(w, r, "Batch")
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.ShowMade(f, made))
}

// madeTogether returns those videos of one submission that the viewer may see.
func (h *Batches) madeTogether(ctx context.Context, viewer int64, name string) ([]db.Task, error) {
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
