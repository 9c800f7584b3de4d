package handlers

import (
	"errors"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// home leads to the scene that the person used last.
func (a *App) home(w http.ResponseWriter, r *http.Request) error {
	scene := videoapi.Scene(site.Me(r).LastScene)
	if !scene.Valid() {
		scene = videoapi.TextToVideo
	}
	return web.SeeOther(w, r, "/create/"+string(scene))
}

// showCreate is the form: empty, with what the address brings (?prompt=…), with
// what an earlier video was made from (?from=7) or a part of it (&use=prompt),
// or with what could not be sent for want of a key.
func (a *App) showCreate(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	form, err := a.startingForm(r, scene)
	if err == nil {
		err = a.settlePictures(r.Context(), &form)
	}
	if err != nil {
		return err
	}
	notes := form.adapt(a.Catalog)
	return a.createPage(w, r, http.StatusOK, form, nil, notes)
}

// showOptions is the part of the form that depends on the chosen model.
func (a *App) showOptions(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	form := readForm(scene, a.Catalog, r.URL.Query())
	notes := form.adapt(a.Catalog)
	view, err := a.formView(r, form, nil, notes)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.CreateOptions(view))
}

// create makes a task of the form, or several, and waits a moment for the
// service's answer, so that a refusal appears in the form with everything still
// in it.
func (a *App) create(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	form := readForm(scene, a.Catalog, values)
	if err := errors.Join(a.settlePictures(r.Context(), &form), a.settleParent(r, &form)); err != nil {
		return err
	}
	if form.Known && form.OptionsOf != "" && form.OptionsOf != form.Model {
		notes := append(form.adapt(a.Catalog), "You chose another model. Please look at its options, then press the button.")
		return a.createPage(w, r, http.StatusUnprocessableEntity, form, nil, notes)
	}
	if errs := tellUnadded(form.check(), values); errs != nil {
		return a.createPage(w, r, http.StatusUnprocessableEntity, form, errs, nil)
	}
	if has, err := a.Keys.Has(r); err != nil {
		return err
	} else if !has {
		return a.keepDraft(w, r, form)
	}
	tasks := form.variations(site.Me(r), values.Get("token"))
	if errs, err := a.doubts(r, &form, tasks[0], values.Get("price_shown")); err != nil {
		return err
	} else if errs != nil {
		return a.createPage(w, r, http.StatusUnprocessableEntity, form, errs, nil)
	}
	if tasks, err = a.addTasks(r.Context(), tasks); err != nil {
		errs, err := a.unwritten(r, err)
		if err != nil {
			return err
		}
		return a.createPage(w, r, http.StatusServiceUnavailable, form, errs, nil)
	}
	return a.answerCreate(w, r, form, tasks)
}

// doubts are the messages about a form without mistakes that had better be
// looked at once more. A second press raises none, whatever became dearer in
// between: it makes nothing, and leads to what the first has made.
func (a *App) doubts(r *http.Request, f *createForm, first db.Task, shown string) (part.Errors, error) {
	if again, err := a.Store.Pressed(r.Context(), first.UserID, first.FormToken); err != nil || again {
		return nil, err
	}
	if errs := a.dearer(r, *f, shown); errs != nil {
		return errs, nil
	}
	return a.lookAtPictures(r.Context(), f), nil
}

func (a *App) createPage(w http.ResponseWriter, r *http.Request, status int, form createForm, errs part.Errors, notes []string) error {
	view, err := a.formView(r, form, errs, notes)
	if err != nil {
		return err
	}
	if len(view.Pictures) > 0 {
		if view.Earlier, err = a.earlier(r.Context(), site.Me(r).ID); err != nil {
			return err
		}
	}
	latest, err := a.latest(r)
	if err != nil {
		return err
	}
	f, err := a.Frame(w, r, "Make a video")
	if err != nil {
		return err
	}
	page := createview.Create(f, view, latest)
	return web.PageStatus(w, r, status, page, page)
}

func (a *App) formView(r *http.Request, form createForm, errs part.Errors, notes []string) (createview.CreateForm, error) {
	if err := a.settleParent(r, &form); err != nil {
		return createview.CreateForm{}, err
	}
	view := form.view(a.Catalog, db.NewToken())
	view.Errors, view.Notes, view.Uploads = errs, notes, a.UploadsReach()
	if form.Refused != nil {
		view.Mend = part.Mend(*form.Refused, a.Sandbox != nil)
	}
	if form.Parent != nil {
		view.Origin = &createview.Origin{Card: a.cards.One(r, *form.Parent), Use: form.Use}
	}
	_, key, err := a.Keys.Open(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return view, err
	}
	view.HasKey = err == nil
	// The price is of what can be sent, whatever else the form holds.
	form.adapt(a.Catalog)
	view.Price = a.formPrice(r.Context(), form)
	view.Price.Left = a.balance(r.Context(), key)
	view.Draft = a.draftOffer(r.Context(), form, view.Price)
	return view, nil
}

// sceneOf is the scene in the address.
func sceneOf(r *http.Request) (videoapi.Scene, error) {
	scene := videoapi.Scene(r.PathValue("scene"))
	if !scene.Valid() {
		return "", web.NotFound()
	}
	return scene, nil
}
