package create

import (
	"net/http"

	"dailies/db/ordering"
	"dailies/handlers/form"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web"
)

// ShowCast shows what is sent for the cast members in the form, with what its buttons ask
// for. Without a script, the whole form is kept and shown again.
func (h *Create) ShowCast(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	f := form.ReadForm(scene, h.catalog, values)
	f.Cast(values)
	if err := h.making.SettleParent(r, &f); err != nil {
		return err
	}
	if err := f.Join(r.Context(), h.press); err != nil {
		return err
	}
	view := f.View(h.catalog, "")
	view.Cast = f.CastView(h.catalog)
	if values.Has(createview.UseField) {
		view.Cast.Renamed = []createview.Renamed{{Field: "prompt", Text: f.Prompt}}
	}
	return web.Part(w, r, http.StatusOK, createview.CastPart(view), func(w http.ResponseWriter, r *http.Request) error {
		if err := h.making.KeepDraft(r, form.DraftName(site.Me(r).ID, string(scene)), f.Values()); err != nil {
			return err
		}
		return web.SeeOther(w, r, "/create/"+string(scene)+"#prompt")
	})
}

// ShowList shows what becomes of a text that was pasted into the prompt, one video each: the
// rows as they would be made, and what they cost. Without a script, it shows the whole form
// with them.
func (h *Create) ShowList(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	values.Set("lines", "true")
	f := form.ReadForm(scene, h.catalog, values)
	notes := f.Adapt(h.catalog)
	if !web.IsPartial(r) {
		w.Header().Add("Vary", "HX-Request-Type")
		return h.draw(w, r, http.StatusOK, f, nil, notes)
	}
	view, err := h.making.View(r, nil, f, nil, nil)
	if err != nil {
		return err
	}
	if pasted, err := ordering.ReadList(site.PlainText(values.Get("pasted"))); err == nil && view.Listing != nil {
		view.Listing.Pasted = len(pasted.Rows)
	}
	return web.Part(w, r, http.StatusOK, createview.ListPart(view), nil)
}
