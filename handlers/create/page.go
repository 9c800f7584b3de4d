package create

import (
	"maps"
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// Forms shows the form that makes a video.
type Forms struct {
	catalog *videoapi.Catalog
	drafts  *Drafts
	origins *Origins
	page    *formPage
	views   *FormViews
}

// formPage is the page with the form.
type formPage struct {
	fields *PictureFields
	latest *Latest
	pages  *site.Pages
	views  *FormViews
}

// Home redirects to the scene that the user used last, and users who may only look to
// the gallery.
func (h *Forms) Home(w http.ResponseWriter, r *http.Request) error {
	if !site.Me(r).Makes() {
		return web.SeeOther(w, r, "/gallery")
	}
	return web.SeeOther(w, r, part.ScenePath(HomeScene(site.Me(r))))
}

// HomeScene returns the scene that the user used last.
func HomeScene(u db.User) videoapi.Scene {
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
	f, err := h.starting(r, scene)
	if err != nil {
		return err
	}
	notes := f.Adapt(h.catalog)
	return h.page.draw(w, r, http.StatusOK, f, nil, notes)
}

// starting returns the form of the scene with its initial values. Values in the URL take
// precedence over those of another video.
func (h *Forms) starting(r *http.Request, scene videoapi.Scene) (Form, error) {
	query := r.URL.Query()
	query.Del("take") // selects the video on the stage, and is no part of the form
	if len(query) == 0 {
		begun, err := h.drafts.Begun(r, DraftName(site.Me(r).ID, string(scene)))
		return ReadForm(scene, h.catalog, begun), err
	}
	if query.Has("drop") {
		query.Del("from")
	}
	if query.Has("options_of") { // the URL contains the whole form
		f := ReadForm(scene, h.catalog, query)
		return f, h.origins.Insert(r, &f, site.ParseID(query.Get("insert")))
	}
	t, err := h.origins.Parent(r, site.ParseID(query.Get("from")))
	if err != nil {
		return Form{}, err
	}
	if t != nil {
		taken, err := h.origins.Values(r.Context(), *t, db.Reuse(query.Get("use")))
		if err != nil {
			return Form{}, err
		}
		if err := h.origins.Casting.Without(r.Context(), *t, site.ParseID(query.Get("without")), taken); err != nil {
			return Form{}, err
		}
		maps.Copy(taken, query)
		query = taken
	}
	return ReadForm(scene, h.catalog, query), nil
}

// Options shows the part of the form that depends on the chosen model.
func (h *Forms) Options(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	f := ReadForm(scene, h.catalog, r.URL.Query())
	notes := f.Adapt(h.catalog)
	view, err := h.views.Of(r, nil, f, nil, notes)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.CreateOptions(view))
}

func (h *formPage) draw(w http.ResponseWriter, r *http.Request, status int, f Form, errs input.Errors, notes []string) error {
	watch, err := h.latest.Watches.Own(r)
	if err != nil {
		return err
	}
	view, err := h.views.Of(r, watch.Versions, f, errs, notes)
	if err != nil {
		return err
	}
	if err := h.fields.FillEarlier(r, &view); err != nil {
		return err
	}
	if view.Cast.Members, err = h.views.Origins.Casting.Members.Names(r.Context()); err != nil {
		return err
	}
	latest, err := h.latest.Whole(r, watch, f.Scene)
	if err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, "Make a video", func(f part.Frame) templ.Component { return createview.Create(f, view, latest) })
}

// sceneOf returns the scene in the path.
func sceneOf(r *http.Request) (videoapi.Scene, error) {
	scene := videoapi.Scene(r.PathValue("scene"))
	if !scene.Valid() {
		return "", web.NotFound()
	}
	return scene, nil
}
