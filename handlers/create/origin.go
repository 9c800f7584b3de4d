package create

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/web/videoapi"
)

// startingForm returns the form as it is first shown. Values in the address
// take precedence over those of another video.
func (h *Forms) startingForm(r *http.Request, scene videoapi.Scene) (form, error) {
	query := r.URL.Query()
	query.Del("take") // it is about the stage
	if len(query) == 0 {
		if typed, err := h.Typed(r); typed != nil || err != nil {
			return readForm(scene, h.Catalog, typed), err
		}
		draft, err := h.Store.Setting(r.Context(), draftName(site.Me(r).ID, string(scene)))
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return form{}, err
		}
		query, _ = url.ParseQuery(draft) // our own encoding; junk is an empty form
		return readForm(scene, h.Catalog, query), nil
	}
	if query.Has("drop") {
		query.Del("from")
	}
	if query.Has("options_of") { // the whole form was sent
		return readForm(scene, h.Catalog, query), nil
	}
	t, err := h.parent(r, site.ParseID(query.Get("from")))
	if err != nil {
		return form{}, err
	}
	if t != nil {
		taken := h.taken(*t, db.Reuse(query.Get("use")))
		maps.Copy(taken, query)
		query = taken
	}
	return readForm(scene, h.Catalog, query), nil
}

// parent returns the task with the id if the viewer may make something of it, else
// nil.
func (h *Forms) parent(r *http.Request, id int64) (*db.Task, error) {
	if id == 0 {
		return nil, nil
	}
	t, err := h.Store.Task(r.Context(), id)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case !t.VisibleTo(site.Me(r).ID) || !t.DeletedAt.IsZero() && !t.Private:
		// What is made of a private video stays private though it was deleted meanwhile.
		return nil, nil
	}
	return &t, nil
}

// taken returns the form's fields that the verb takes from the task.
func (h *Forms) taken(t db.Task, use db.Reuse) url.Values {
	switch use {
	case db.Reseeded:
		t.Options.Seed = nil
	case db.Prompted:
		t = db.Task{Scene: t.Scene, Prompt: t.Prompt}
	case db.Pictured:
		t = db.Task{Scene: t.Scene, Pictures: t.Pictures}
	case db.Finalized:
		if full, ok := h.Catalog.Final(t.Model, videoapi.Scene(t.Scene)); ok {
			t.Model = full.ID
		}
	case db.Continued: // the picture comes with the address
		t.Options.Seed, t.Pictures = nil, nil
	}
	return formOf(t, h.Catalog).values()
}

// settleParent looks up what the form says it is made from. Without a verb,
// or where the viewer may not see it, or where it has nothing to give, it is
// made from nothing.
func (h *Forms) settleParent(r *http.Request, f *form) error {
	if f.Parent != nil || f.Use == db.NoReuse {
		return nil
	}
	t, err := h.parent(r, f.From)
	if err != nil {
		return err
	}
	if t == nil || !gives(*t, f.Use) {
		f.From, f.Use = 0, db.NoReuse
		return nil
	}
	f.Parent, f.Use = t, h.reuse(*t, *f)
	return nil
}

// gives reports whether the task has what the verb takes.
func gives(t db.Task, use db.Reuse) bool {
	switch use {
	case db.Prompted:
		return t.Prompt != ""
	case db.Pictured:
		return len(t.Pictures) > 0
	case db.Continued:
		return t.State == db.Success
	}
	return true
}

// reuse returns how the form relates to the task that it is made from. It is the
// final of a draft only on the draft's full model, however the form was opened.
func (h *Forms) reuse(t db.Task, f form) db.Reuse {
	full, ok := h.Catalog.Final(t.Model, f.Scene)
	final := ok && t.State == db.Success && full.ID == f.Model
	switch {
	case f.Use == db.Finalized && !final:
		return db.Copied
	case f.Use == db.Copied && final && t.Prompt == f.Prompt && slices.Equal(t.Pictures, withoutGaps(f.pictures())):
		return db.Finalized
	}
	return f.Use
}
