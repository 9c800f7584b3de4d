package create

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"dailies/db"
	"dailies/db/format"
	"dailies/handlers/form"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// Make makes one or several videos from the form, and waits briefly for the
// service's answer, so that a refusal appears in the form with everything that was
// typed.
func (h *Create) Make(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	f := form.ReadForm(scene, h.catalog, values)
	answers := f.Use == db.Answered
	if err := h.making.SettleParent(r, &f); err != nil {
		return err
	}
	if answers && f.Parent == nil { // it would not be what was asked for
		return h.draw(w, r, http.StatusUnprocessableEntity, f, input.Errors{"": createview.TakeGone}, nil)
	}
	if values.Get("do") == "ask" {
		return h.requestCredits(w, r, f, values)
	}
	if f.Known && f.OptionsOf != "" && f.OptionsOf != f.Model {
		if notes := f.Adapt(h.catalog); notes != nil {
			notes = append(notes, createview.NewModel)
			return h.draw(w, r, http.StatusUnprocessableEntity, f, nil, notes)
		}
	}
	if f.Casting.Choose && f.Casting.Chosen == nil { // the token depends on the pictures that are chosen
		if err := f.Join(r.Context(), h.press); err != nil {
			return err
		}
	}
	order, err := h.press.Complete(r.Context(), f.Order(h.catalog, site.Me(r), values))
	if err != nil {
		return err
	}
	if errs := form.AddUploadErrors(f.Errors(f.CheckOrder(h.catalog, order)), values); errs != nil {
		return h.draw(w, r, http.StatusUnprocessableEntity, f, errs, nil)
	}
	order.Price()
	tasks, problems, err := h.press.Place(r.Context(), order)
	switch {
	case err != nil:
		return err
	case problems != nil:
		return h.refuse(w, r, f, problems)
	}
	return h.made(w, r, f, tasks)
}

// refuse shows the form again, with the problems that keep it from being sent.
func (h *Create) refuse(w http.ResponseWriter, r *http.Request, f form.Form, problems site.Problems) error {
	f.SlowTold = append(f.SlowTold, problems.Slow()...)
	errs := f.Errors(problems)
	if problems.Has(site.NoKey) {
		h.press.KeepScene(r.Context(), site.Me(r), f.Scene)
		var err error
		if errs, err = h.making.WithoutKey(r, form.DraftName(site.Me(r).ID, f.Scene), f.Values()); err != nil {
			return err
		}
	}
	return h.draw(w, r, problems.Status(), f, errs, nil)
}

// made redirects to the form, where the videos' cards are. If the service refused
// all of them, it shows the form with the reason.
func (h *Create) made(w http.ResponseWriter, r *http.Request, f form.Form, tasks []db.Task) error {
	first := tasks[0]
	if h.press.HideRefused(r, tasks) {
		f.Refused = &first
		errs := input.Errors{"": format.Sentences(part.FailureReason(first), part.NothingPaid(len(tasks)))}
		return h.draw(w, r, http.StatusUnprocessableEntity, f, errs, nil)
	}
	h.making.DraftSent(w, r, form.DraftName(first.UserID, first.Scene))
	more := ""
	if first.Private { // the next video will also be private, unless the user changes that
		more = "&use=" + string(db.Copied)
	}
	if f.IsList() { // the form goes on without the first row and what that has of its own
		more += "&prompt="
		for _, name := range form.RowOptions {
			more += "&" + url.Values{name: {f.Texts()[name]}}.Encode()
		}
	}
	if first.Model != f.Model { // the form keeps the full model of this draft
		more += "&draft_first=true&model=" + url.QueryEscape(f.Model)
	}
	return web.SeeOther(w, r, fmt.Sprintf("/create/%s?from=%d%s#latest", first.Scene, first.ID, more))
}

// requestCredits stores the user's request to spend more than the limit, and shows the form
// again with everything that was typed.
func (h *Create) requestCredits(w http.ResponseWriter, r *http.Request, f form.Form, values url.Values) error {
	asked, err := h.creditRequests.Add(r.Context(), site.Me(r), values)
	if err != nil {
		return err
	}
	f.Asked = &asked
	status := http.StatusOK
	if asked.IsRefused() {
		status = http.StatusUnprocessableEntity
	}
	return h.draw(w, r, status, f, nil, nil)
}

// Home redirects to the scene that the user used last, and users who may only look to
// the gallery.
func (h *Create) Home(w http.ResponseWriter, r *http.Request) error {
	if !site.Me(r).Makes() {
		return web.SeeOther(w, r, "/gallery")
	}
	return web.SeeOther(w, r, part.ScenePath(form.HomeScene(site.Me(r))))
}

// ShowForm shows the form: empty, with values from the URL (?prompt=…), with the values
// of an earlier video (?from=7) or a part of them (&use=prompt), or with a draft that
// could not be sent because there was no key.
func (h *Create) ShowForm(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	f, err := h.startingForm(r, scene)
	if err != nil {
		return err
	}
	notes := f.Adapt(h.catalog)
	return h.draw(w, r, http.StatusOK, f, nil, notes)
}

// startingForm returns the form of the scene with its initial values. Values in the URL take
// precedence over those of another video.
func (h *Create) startingForm(r *http.Request, scene videoapi.Scene) (form.Form, error) {
	query := r.URL.Query()
	query.Del("take") // selects the video on the stage, and is no part of the form
	if len(query) == 0 {
		begun, err := h.making.BegunDraft(r, form.DraftName(site.Me(r).ID, string(scene)))
		return form.ReadForm(scene, h.catalog, begun), err
	}
	if query.Has("drop") {
		query.Del("from")
	}
	if query.Has("options_of") { // the URL contains the whole form
		f := form.ReadForm(scene, h.catalog, query)
		return f, h.making.InsertNote(r, &f, site.ParseID(query.Get("insert")))
	}
	t, err := h.making.Parent(r, site.ParseID(query.Get("from")))
	if err != nil {
		return form.Form{}, err
	}
	if t != nil {
		taken, err := h.making.Taken(r.Context(), *t, db.Reuse(query.Get("use")))
		if err != nil {
			return form.Form{}, err
		}
		if err := h.making.Without(r.Context(), *t, site.ParseID(query.Get("without")), &taken); err != nil {
			return form.Form{}, err
		}
		return taken.With(scene, h.catalog, query), nil
	}
	return form.ReadForm(scene, h.catalog, query), nil
}

// Options shows the part of the form that depends on the chosen model.
func (h *Create) Options(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	f := form.ReadForm(scene, h.catalog, r.URL.Query())
	notes := f.Adapt(h.catalog)
	view, err := h.making.View(r, nil, f, nil, notes)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.CreateOptions(view))
}

func (h *Create) draw(w http.ResponseWriter, r *http.Request, status int, f form.Form, errs input.Errors, notes []string) error {
	watch, err := h.listVersions.Own(r)
	if err != nil {
		return err
	}
	view, err := h.making.View(r, watch.Versions, f, errs, notes)
	if err != nil {
		return err
	}
	if err := h.making.FillEarlier(r, &view); err != nil {
		return err
	}
	if view.Cast.Members, err = h.press.Members.Names(r.Context()); err != nil {
		return err
	}
	latest, err := h.making.LatestFor(r, watch, videoapi.Scene(f.Scene))
	if err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, "Make a video", createview.Create(view, latest))
}

// sceneOf returns the scene in the path.
func sceneOf(r *http.Request) (videoapi.Scene, error) {
	scene := videoapi.Scene(r.PathValue("scene"))
	if !scene.Valid() {
		return "", web.NotFound()
	}
	return scene, nil
}

// DiscardDraft deletes what was typed on a page, and shows the page without it.
func (h *Create) DiscardDraft(w http.ResponseWriter, r *http.Request) error {
	page, id := site.Local(r.PostFormValue("page")), site.Me(r).ID
	if err := h.typed.DropTyped(w, r, id, page); err != nil {
		return err
	}
	name := ""
	if scene, ok := strings.CutPrefix(page, "/create/"); ok && videoapi.Scene(scene).Valid() {
		name = form.DraftName(id, scene)
	} else if recipe, ok := strings.CutPrefix(page, "/recipes/"); ok && site.ParseID(recipe) > 0 {
		name = form.RecipeDraft(id, site.ParseID(recipe))
	}
	if name != "" {
		if err := h.making.DropDraft(r, name); err != nil {
			return err
		}
	}
	return web.SeeOther(w, r, page)
}
