package create

import (
	"net/http"
	"net/url"
	"strings"

	"dailies/db/cast"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web"
	"dailies/web/videoapi"
)

// CastInForm shows what is sent for the cast members in the form.
type CastInForm struct {
	catalog *videoapi.Catalog
	drafts  *Drafts
	origins *origins
}

// Show shows that part of the form, with what its buttons ask for. Without a script, the
// whole form is kept and shown again.
func (h *CastInForm) Show(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	f := readForm(scene, h.catalog, values)
	f.cast(values)
	if err := h.origins.settle(r, &f); err != nil {
		return err
	}
	if err := f.join(r.Context(), h.origins.casting); err != nil {
		return err
	}
	view := f.view(h.catalog, "")
	view.Cast = f.castView(h.catalog)
	if values.Has(createview.UseField) {
		view.Cast.Renamed = []createview.Renamed{{Field: "prompt", Text: f.Prompt}}
	}
	return web.Part(w, r, http.StatusOK, createview.CastPart(view), func(w http.ResponseWriter, r *http.Request) error {
		if err := h.drafts.keep(r, draftName(site.Me(r).ID, string(scene)), f.values()); err != nil {
			return err
		}
		return web.SeeOther(w, r, "/create/"+string(scene)+"#prompt")
	})
}

// cast does what a button beside the prompt asks for: it adds a cast member to the prompt,
// puts a handle in the place of one that nobody has, or makes the first picture of one the start or the end.
func (f *form) cast(v url.Values) {
	if rename, ok := renaming(v.Get(createview.UseField)); ok {
		f.Prompt = rename(f.Prompt)
		f.readList()
	}
	if c, ok := cast.ParseChoice(v.Get("cast_add")); ok {
		f.Prompt = strings.TrimLeft(f.Prompt+" "+cast.Choice{Handle: c.Handle, Number: 1}.String(), " ")
	}
	if c, ok := cast.ParseChoice(v.Get("cast_start")); ok {
		f.put(f.place(PictureField(0)), c.String())
	}
	if c, ok := cast.ParseChoice(v.Get("cast_end")); ok && f.Scene == videoapi.FramesToVideo {
		f.put(f.place(PictureField(1)), c.String())
	} else if ok {
		f.put(f.place("end_image_url"), c.String())
	}
}
