package create

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// Forms serves the pages with the form that makes a video.
type Forms struct {
	catalog  *videoapi.Catalog
	keyring  *site.Keys
	limits   *people.Limits
	log      *slog.Logger
	network  *site.Network
	pages    *site.Pages
	sandbox  site.Sandbox
	settings *people.Settings
	tasks    *video.Tasks
	typing   *site.Typing
	versions func(context.Context, string) (schedule.Versions, error)
	cards    *site.Cards
	latest   *Latest
	press    *Press
	prices   Prices
	pictures *Pictures
	uploads  *Uploads
}

// Home redirects to the scene that the user used last, and users who may only look to
// the gallery.
func (h *Forms) Home(w http.ResponseWriter, r *http.Request) error {
	if !site.Me(r).Makes() {
		return web.SeeOther(w, r, "/gallery")
	}
	return web.SeeOther(w, r, part.ScenePath(homeScene(site.Me(r))))
}

// homeScene returns the scene that the user used last.
func homeScene(u db.User) videoapi.Scene {
	if scene := videoapi.Scene(u.LastScene); scene.Valid() {
		return scene
	}
	return videoapi.TextToVideo
}

// Show shows the form: empty, with values from the URL (?prompt=…), with the values
// of an earlier video (?from=7) or a part of them (&use=prompt), or with a draft that
// could not be sent because there was no key.
func (h *Forms) Show(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	f, err := h.startingForm(r, scene)
	if err != nil {
		return err
	}
	notes := f.adapt(h.catalog)
	return h.page(w, r, http.StatusOK, f, nil, notes)
}

// Options shows the part of the form that depends on the chosen model.
func (h *Forms) Options(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	f := readForm(scene, h.catalog, r.URL.Query())
	notes := f.adapt(h.catalog)
	view, err := h.view(r, nil, f, nil, notes)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.CreateOptions(view))
}

// Create makes one or several videos from the form, and waits briefly for the
// service's answer, so that a refusal appears in the form with everything that was
// typed.
func (h *Forms) Create(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	f := readForm(scene, h.catalog, values)
	if err := h.settleParent(r, &f); err != nil {
		return err
	}
	if values.Get("do") == "ask" {
		return h.ask(w, r, f, values)
	}
	if f.Known && f.OptionsOf != "" && f.OptionsOf != f.Model {
		if notes := f.adapt(h.catalog); notes != nil {
			notes = append(notes, "You chose another model. Please look at its options, then press the button.")
			return h.page(w, r, http.StatusUnprocessableEntity, f, nil, notes)
		}
	}
	if errs := addUploadErrors(f.check(h.press), values); errs != nil {
		return h.page(w, r, http.StatusUnprocessableEntity, f, errs, nil)
	}
	u := site.Me(r)
	tasks, problems, err := h.press.Place(r.Context(), Order{
		User: u, Tasks: h.press.variations(f.sent(h.catalog).task(u), f.count(), values.Get("token")),
		Shown: values.Get("price_shown"), Accepted: f.SlowTold, Resent: f.resent(u), Wait: true,
	})
	switch {
	case err != nil:
		return err
	case problems != nil:
		return h.refuse(w, r, f, problems)
	}
	return h.answer(w, r, f, tasks)
}

// resent returns the ID of the unconfirmed task that the form replaces, or 0.
func (f form) resent(u db.User) int64 {
	if old := f.Parent; old != nil && f.Use == db.Retried && old.UserID == u.ID && old.State == db.Unconfirmed {
		return old.ID
	}
	return 0
}

// refuse shows the form again, with the problems that keep it from being sent.
func (h *Forms) refuse(w http.ResponseWriter, r *http.Request, f form, problems Problems) error {
	f.SlowTold = append(f.SlowTold, problems.Slow()...)
	errs, status := f.errors(problems), http.StatusUnprocessableEntity
	switch {
	case problems.Has(NoKey):
		kept := h.press.keepDraft(r, draftName(site.Me(r).ID, string(f.Scene)), f.values())
		h.press.keepScene(r.Context(), site.Me(r), string(f.Scene))
		lack, err := h.keyring.Lack(r)
		if err != nil {
			return err
		}
		errs = input.Errors{"": part.WithoutKey(lack, kept)}
	case problems.Has(NotSaved):
		status = http.StatusServiceUnavailable
	}
	return h.page(w, r, status, f, errs, nil)
}

// answer redirects to the form, where the videos' cards are. If the service refused
// all of them, it shows the form with the reason.
func (h *Forms) answer(w http.ResponseWriter, r *http.Request, f form, tasks []db.Task) error {
	first := tasks[0]
	if h.press.hideRefused(r, tasks) {
		f.Refused = &first
		errs := input.Errors{"": format.Sentences(part.Why(first), part.NothingPaid(len(tasks)))}
		return h.page(w, r, http.StatusUnprocessableEntity, f, errs, nil)
	}
	h.press.forgetDraft(r, draftName(first.UserID, first.Scene))
	h.typing.Sent(w, r)
	more := ""
	if first.Private { // the next video will also be private, unless the user changes that
		more = "&use=" + string(db.Copied)
	}
	if first.Model != f.Model { // the form keeps the full model of this draft
		more += "&draft_first=true&model=" + url.QueryEscape(f.Model)
	}
	return web.SeeOther(w, r, fmt.Sprintf("/create/%s?from=%d%s#latest", first.Scene, first.ID, more))
}

func (h *Forms) page(w http.ResponseWriter, r *http.Request, status int, f form, errs input.Errors, notes []string) error {
	watch, err := h.latest.watches.Own(r)
	if err != nil {
		return err
	}
	view, err := h.view(r, watch.Versions, f, errs, notes)
	if err != nil {
		return err
	}
	if len(view.Pictures) > 0 {
		if view.Earlier, err = h.uploads.earlier(r.Context(), site.Me(r).ID); err != nil {
			return err
		}
	}
	latest, err := h.latest.at(r, watch, f.Scene)
	if err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, "Make a video", func(f part.Frame) templ.Component { return createview.Create(f, view, latest) })
}

// view returns the form's data for its page. The price is that of the values that can
// be submitted: options that the model does not support count as its defaults. The
// versions, if they are not nil, must have been read for this request.
func (h *Forms) view(r *http.Request, v schedule.Versions, f form, errs input.Errors, notes []string) (createview.CreateForm, error) {
	if err := errors.Join(h.settleParent(r, &f), h.settlePictures(r, &f)); err != nil {
		return createview.CreateForm{}, err
	}
	view := f.view(h.catalog, secrets.NewToken())
	view.Errors, view.Notes, view.Uploads = errs, notes, h.network.UploadsReach()
	if f.Refused != nil {
		view.Remedy = part.Remedy(*f.Refused, h.sandbox != nil)
	}
	if f.Parent != nil {
		view.Origin = &createview.Origin{Card: h.cards.One(r, *f.Parent), Use: f.Use}
	}
	_, key, err := h.keyring.Open(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return view, err
	}
	if err != nil {
		if view.NoKey, err = h.keyring.Lack(r); err != nil {
			return view, err
		}
	}
	left := h.prices.balance(r.Context(), key)
	if v == nil {
		if v, err = h.versions(r.Context(), ""); err != nil {
			return view, err
		}
	}
	prices := h.prices.at(v)
	view.Price, view.Draft = prices.ofForm(r.Context(), f)
	if view.DraftFirst && view.Draft != nil {
		view.Price = view.Draft.Price
	}
	view.Price.Left = left
	if f.resent(site.Me(r)) == 0 { // such a form may use the credits reserved for the old task
		if view.Price.Room, err = h.limits.Room(r.Context(), site.Me(r).ID, db.Now()); err != nil {
			return view, err
		}
		if err := h.fillAsk(r, f, &view); err != nil {
			return view, err
		}
	}
	view.Each = prices.each(r.Context(), f)
	view.Seen, err = h.pictures.seen(r.Context(), append(view.Pictures, view.EndPicture))
	return view, err
}

// settlePictures replaces the addresses of uploaded pictures with the current ones.
func (h *Forms) settlePictures(r *http.Request, f *form) error {
	end := []string{f.EndPicture}
	err := errors.Join(h.pictures.Settle(r.Context(), f.Pictures), h.pictures.Settle(r.Context(), end))
	f.EndPicture = end[0]
	return err
}

// sceneOf returns the scene in the path.
func sceneOf(r *http.Request) (videoapi.Scene, error) {
	scene := videoapi.Scene(r.PathValue("scene"))
	if !scene.Valid() {
		return "", web.NotFound()
	}
	return scene, nil
}
