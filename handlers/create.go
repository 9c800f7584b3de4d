package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"dailies/db"
	"dailies/views"
	"dailies/web"
	"dailies/web/videoapi"
)

// home leads to the scene that the person used last.
func (a *App) home(w http.ResponseWriter, r *http.Request) error {
	scene := videoapi.Scene(me(r).LastScene)
	if !scene.Valid() {
		scene = videoapi.TextToVideo
	}
	return web.SeeOther(w, r, "/create/"+string(scene))
}

// showCreate is the form: empty, with what the address brings (?prompt=…), with
// what an earlier video was made from (?from=7), or with what could not be
// sent for want of a key.
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
	return web.Fragment(w, r, http.StatusOK, views.CreateOptions(view))
}

// create makes a task of the form, and waits a moment for the service's
// answer, so that a refusal appears in the form with everything still in it.
func (a *App) create(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	values, err := formValues(r)
	if err != nil {
		return err
	}
	form := readForm(scene, a.Catalog, values)
	if err := a.settlePictures(r.Context(), &form); err != nil {
		return err
	}
	if form.Known && form.OptionsOf != "" && form.OptionsOf != form.Model {
		notes := append(form.adapt(a.Catalog), "You chose another model. Please look at its options, then press the button.")
		return a.createPage(w, r, http.StatusUnprocessableEntity, form, nil, notes)
	}
	if errs := form.check(); errs != nil {
		tellUnadded(errs, values)
		return a.createPage(w, r, http.StatusUnprocessableEntity, form, errs, nil)
	}
	t := form.task(me(r))
	t.FormToken = onceToken(values.Get("token"), form)
	if has, err := a.hasKey(r); err != nil {
		return err
	} else if !has {
		return a.keepDraft(w, r, form)
	}
	if errs := a.lookAtPictures(r.Context(), &form); errs != nil {
		return a.createPage(w, r, http.StatusUnprocessableEntity, form, errs, nil)
	}
	if t, err = a.addTask(r.Context(), t); err != nil {
		return err
	}
	return a.answerCreate(w, r, form, t)
}

// onceToken makes a second press find the first video. Somebody who goes back,
// changes a word and presses again means another video, though the page still
// carries the old token; so what was filled in belongs to it.
func onceToken(token string, form createForm) string {
	if token == "" {
		token = db.NewToken()
	}
	return clipped(token, 100) + " " + form.fingerprint()
}

// addTask writes the task down and gives the watcher a moment to send it.
func (a *App) addTask(ctx context.Context, t db.Task) (db.Task, error) {
	t.Quoted = a.price(ctx, t).Credits
	if _, err := a.Store.AddTask(ctx, &t); err != nil {
		return t, err
	}
	if err := a.Store.SetLastScene(ctx, t.UserID, t.Scene); err != nil {
		return t, err
	}
	a.Wake()
	return a.outcome(ctx, t)
}

// How long the form's answer waits for the service's. It looks into the
// database, because the watcher may be another process.
const (
	outcomeWait = 2 * time.Second
	outcomeLook = 25 * time.Millisecond
)

// outcome waits until the service has answered the create call, or the time is
// up.
func (a *App) outcome(ctx context.Context, t db.Task) (db.Task, error) {
	deadline := time.NewTimer(outcomeWait)
	defer deadline.Stop()
	look := time.NewTicker(outcomeLook)
	defer look.Stop()
	for t.State == db.Queued && t.Stumbles == 0 || t.State == db.Sending {
		select {
		case <-ctx.Done():
			return t, ctx.Err()
		case <-deadline.C:
			return t, nil
		case <-look.C:
		}
		var err error
		if t, err = a.Store.Task(ctx, t.ID); err != nil {
			return t, err
		}
	}
	return t, nil
}

// answerCreate leads back to the form, where the video's card is; or says why
// the service did not take it.
func (a *App) answerCreate(w http.ResponseWriter, r *http.Request, form createForm, t db.Task) error {
	if t.State == db.Rejected {
		// It is told here and now; a card beside the form would tell it twice.
		if _, err := a.Store.UpdateTask(r.Context(), t.ID, func(t *db.Task) error { return t.Decide(db.Now()) }); err != nil {
			return err
		}
		form.Refused = &t
		errs := views.Errors{"": views.Why(t) + " Nothing was paid."}
		return a.createPage(w, r, http.StatusUnprocessableEntity, form, errs, nil)
	}
	if err := a.Store.SetSetting(r.Context(), draftName(t.UserID, t.Scene), ""); err != nil {
		return err
	}
	return web.SeeOther(w, r, fmt.Sprintf("/create/%s?from=%d#latest", t.Scene, t.ID))
}

// startingForm is what the form starts with.
func (a *App) startingForm(r *http.Request, scene videoapi.Scene) (createForm, error) {
	query := r.URL.Query()
	if from, err := strconv.ParseInt(query.Get("from"), 10, 64); err == nil {
		t, err := a.Store.Task(r.Context(), from)
		if err == nil && t.VisibleTo(me(r).ID) {
			form := formOf(t, a.Catalog)
			return readForm(scene, a.Catalog, form.values()), nil
		}
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return createForm{}, err
		}
	}
	if len(query) == 0 {
		draft, err := a.Store.Setting(r.Context(), draftName(me(r).ID, string(scene)))
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return createForm{}, err
		}
		query, _ = url.ParseQuery(draft) // our own encoding; junk is an empty form
	}
	return readForm(scene, a.Catalog, query), nil
}

func (a *App) createPage(w http.ResponseWriter, r *http.Request, status int, form createForm, errs views.Errors, notes []string) error {
	view, err := a.formView(r, form, errs, notes)
	if err != nil {
		return err
	}
	if len(view.Pictures) > 0 {
		if view.Earlier, err = a.earlier(r.Context(), me(r).ID); err != nil {
			return err
		}
	}
	latest, err := a.latest(r)
	if err != nil {
		return err
	}
	f, err := a.frame(w, r, "Make a video")
	if err != nil {
		return err
	}
	page := views.Create(f, view, latest)
	return web.PageStatus(w, r, status, page, page)
}

func (a *App) formView(r *http.Request, form createForm, errs views.Errors, notes []string) (views.CreateForm, error) {
	view := form.view(a.Catalog, db.NewToken())
	view.Errors, view.Notes, view.Uploads = errs, notes, a.uploadsReach()
	if form.Refused != nil {
		view.Mend = views.Mend(*form.Refused, a.Sandbox != nil)
	}
	var err error
	if view.HasKey, err = a.hasKey(r); err != nil {
		return view, err
	}
	// The price is of what can be sent, whatever else the form holds.
	form.adapt(a.Catalog)
	view.Price = a.price(r.Context(), form.task(me(r)))
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
