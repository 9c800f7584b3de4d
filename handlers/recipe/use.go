package recipe

import (
	"fmt"
	"net/http"
	"net/url"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/handlers/form"
	"dailies/handlers/press"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// Show shows the form that fills in a recipe, with values from the URL, or with a
// draft that could not be sent because there was no key.
func (h *Recipe) Show(w http.ResponseWriter, r *http.Request) error {
	rec, err := h.recipe(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	if len(query) == 0 {
		if query, err = h.making.BegunDraft(r, form.RecipeDraft(site.Me(r).ID, rec.ID)); err != nil {
			return err
		}
	}
	f, err := h.filled(r, rec, query)
	if err != nil {
		return err
	}
	return h.drawFilling(w, r, http.StatusOK, f, nil)
}

// ShowCast shows what is sent for the cast members in the values.
func (h *Recipe) ShowCast(w http.ResponseWriter, r *http.Request) error {
	rec, err := h.recipe(r)
	if err != nil {
		return err
	}
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	renamed := form.RenameBlanks(rec, values)
	f, err := h.filled(r, rec, values)
	if err != nil {
		return err
	}
	view := f.CastView(h.catalog)
	view.Renamed = renamed
	shown := createview.FilledCast(view, createview.RecipeCastPath(rec))
	return web.Part(w, r, http.StatusOK, shown, func(w http.ResponseWriter, r *http.Request) error {
		return h.drawFilling(w, r, http.StatusOK, f, nil)
	})
}

// filled returns the recipe with the values, and the cast members in it.
func (h *Recipe) filled(r *http.Request, rec ordering.Recipe, values url.Values) (f form.FilledForm, err error) {
	f = form.ReadFilling(rec, values)
	f.Company, f.Strangers, err = h.press.Meet(r.Context(), f.Task(db.User{}))
	return f, err
}

// Use makes a video from the recipe. It reads only the blanks from the submitted
// values; everything else comes from the recipe.
func (h *Recipe) Use(w http.ResponseWriter, r *http.Request) error {
	rec, err := h.recipe(r)
	if err != nil {
		return err
	}
	values, came, err := h.pictures.Receive(w, r)
	if err != nil {
		return err
	}
	f, err := h.filled(r, rec, values)
	if err != nil {
		return err
	}
	if came = form.Pressed(came, values); len(came) > 0 {
		errs := f.Take(came)
		return h.drawFilling(w, r, form.StatusFor(errs), f, errs)
	}
	u := site.Me(r)
	t := f.Task(u)
	t.FormToken = press.OnceToken(values.Get("token"), t, 1)
	order, err := h.press.Complete(r.Context(), press.Order{
		User: u, Tasks: []db.Task{t}, ShownPrice: values.Get("price_shown"), Service: site.ParseID(values.Get("service")),
		Accepted: f.SlowTold, Wait: true, Company: f.Company, ShownStrangers: f.ShownStrangers, ShownMembers: f.ShownMembers,
	})
	if err != nil {
		return err
	}
	errs := h.checkFilling(r, f, order)
	if errs = form.AddUploadErrors(errs, values); errs != nil {
		return h.drawFilling(w, r, http.StatusUnprocessableEntity, f, errs)
	}
	tasks, problems, err := h.press.Place(r.Context(), order)
	switch {
	case err != nil:
		return err
	case problems != nil:
		return h.refuseFilling(w, r, f, problems)
	}
	return h.answerFilling(w, r, f, tasks[0])
}

// checkFilling returns errors if no video can be made of the filling, and otherwise
// nil.
func (h *Recipe) checkFilling(r *http.Request, f form.FilledForm, order *press.Completed) input.Errors {
	if form.IsStale(f.Recipe, f.Seen) {
		return input.Errors{"": createview.RecipeChanged}
	}
	if errs := f.Check(order.Check()); errs != nil {
		return errs
	}
	return ceilingErrors(h.card(r, f.Recipe), order.Price(), f.Anyway)
}

// refuseFilling shows the recipe again, with the problems that keep the video from
// being made.
func (h *Recipe) refuseFilling(w http.ResponseWriter, r *http.Request, f form.FilledForm, problems site.Problems) error {
	f.SlowTold = append(f.SlowTold, problems.Slow()...)
	errs := f.Place(problems)
	switch {
	case problems.Has(site.NoKey):
		var err error
		if errs, err = h.making.WithoutKey(r, form.RecipeDraft(site.Me(r).ID, f.Recipe.ID), f.Fields()); err != nil {
			return err
		}
	case problems.Has(site.OverLimit):
		errs[""] = format.Sentences(errs[""], createview.AskElsewhere)
	}
	return h.drawFilling(w, r, problems.Status(), f, errs)
}

// ceilingErrors returns an error if the price exceeds the recipe's ceiling, or if the
// price is unknown and anyway is false.
func ceilingErrors(c createview.RecipeCard, price part.Price, anyway bool) input.Errors {
	switch {
	case c.Recipe.Over(price.Credits):
		return input.Errors{"": createview.OverCeiling(c, price)}
	case c.Recipe.Unsure(price.Credits) && !anyway:
		return input.Errors{"anyway": createview.AnywayMissing}
	}
	return nil
}

// answerFilling redirects to the recipe with the video's card, and with the values
// still filled in, because the next video often differs in only a word. If the
// service refused the video, it shows the form with the reason.
func (h *Recipe) answerFilling(w http.ResponseWriter, r *http.Request, f form.FilledForm, t db.Task) error {
	if h.press.HideRefused(r, []db.Task{t}) {
		f.Refused = &t
		return h.drawFilling(w, r, http.StatusUnprocessableEntity, f, input.Errors{
			"": format.Sentences(part.FailureReason(t), part.NothingPaid(1)),
		})
	}
	h.making.DraftSent(w, r, form.RecipeDraft(t.UserID, f.Recipe.ID))
	back := f.Fields()
	if len(back.Encode()) > 4000 { // a longer URL might exceed the limit of a proxy
		back = url.Values{}
	}
	back.Set("made", fmt.Sprint(t.ID))
	return web.SeeOther(w, r, fmt.Sprintf("/recipes/%d?%s#latest", f.Recipe.ID, back.Encode()))
}

func (h *Recipe) drawFilling(w http.ResponseWriter, r *http.Request, status int, f form.FilledForm, errs input.Errors) error {
	page, err := h.viewFilling(r, f, errs)
	if err != nil {
		return err
	}
	latest, err := h.making.Latest(r, videoapi.Scene(f.Recipe.Scene))
	if err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, f.Recipe.Name, createview.ShowRecipe(page, latest))
}

func (h *Recipe) viewFilling(r *http.Request, f form.FilledForm, errs input.Errors) (createview.RecipePage, error) {
	p := createview.RecipePage{Card: h.card(r, f.Recipe), Anyway: f.Anyway, Cast: f.CastView(h.catalog)}
	for _, b := range f.Blanks {
		p.Fields = append(p.Fields, createview.RecipeField{Blank: b, Value: f.Values[b.Key()]})
	}
	p.Form = createview.CreateForm{
		Cast:  p.Cast,
		Scene: videoapi.Scene(f.Recipe.Scene), Token: secrets.NewToken(), Errors: errs, SlowTold: f.SlowTold,
		Uploads: h.network.CanFetchUploads(), Price: h.price(r, f.Recipe),
		Paths: createview.FormPaths{Upload: fmt.Sprintf("/recipes/%d", f.Recipe.ID)},
	}
	if f.Refused != nil {
		p.Form.Remedy = part.Remedy(*f.Refused, h.registry.IsPractice())
	}
	var err error
	if p.Form.NoKey, err = h.keys.Lack(r); err == nil && len(f.Recipe.Pictures) > 0 {
		p.Form.Earlier, err = h.making.Earlier(r.Context(), site.Me(r).ID)
	}
	return p, err
}
