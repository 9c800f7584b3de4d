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
	origins *Origins
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
	f := ReadForm(scene, h.catalog, values)
	f.Cast(values)
	if err := h.origins.Settle(r, &f); err != nil {
		return err
	}
	if err := f.Join(r.Context(), h.origins.Casting); err != nil {
		return err
	}
	view := f.View(h.catalog, "")
	view.Cast = f.CastView(h.catalog)
	if values.Has(createview.UseField) {
		view.Cast.Renamed = []createview.Renamed{{Field: "prompt", Text: f.Prompt}}
	}
	return web.Part(w, r, http.StatusOK, createview.CastPart(view), func(w http.ResponseWriter, r *http.Request) error {
		if err := h.drafts.Keep(r, DraftName(site.Me(r).ID, string(scene)), f.Values()); err != nil {
			return err
		}
		return web.SeeOther(w, r, "/create/"+string(scene)+"#prompt")
	})
}

// Cast does what a button beside the prompt asks for: it adds a cast member to the prompt,
// puts a handle in the place of one that nobody has, or makes the first picture of one the start or the end.
func (f *Form) Cast(v url.Values) {
	if rename, ok := Renaming(v.Get(createview.UseField)); ok {
		f.Prompt = rename(f.Prompt)
		f.readList()
	}
	if c, ok := cast.ParseChoice(v.Get("cast_add")); ok {
		f.Prompt = strings.TrimLeft(f.Prompt+" "+cast.Choice{Handle: c.Handle, Number: 1}.String(), " ")
	}
	if c, ok := cast.ParseChoice(v.Get("cast_start")); ok {
		f.Put(f.place(PictureField(0)), c.String())
	}
	if c, ok := cast.ParseChoice(v.Get("cast_end")); ok && f.Scene == videoapi.FramesToVideo {
		f.Put(f.place(PictureField(1)), c.String())
	} else if ok {
		f.Put(f.place("end_image_url"), c.String())
	}
}
