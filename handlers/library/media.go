package library

import (
	"context"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"slices"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/web"
)

// Media plays the files that are kept here.
type Media struct{ site *site.Site }

// Show plays a kept file to who may see its video.
func (h *Media) Show(w http.ResponseWriter, r *http.Request) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	m, t, err := h.site.Store.Media(r.Context(), id)
	if err != nil {
		return err
	}
	if !t.VisibleTo(site.Me(r).ID) {
		return web.NotFound()
	}
	file, err := h.open(r, m)
	if err != nil {
		return err
	}
	defer file.Close()
	// The browser keeps it and asks each time whether it may show it: after a
	// sign-out, what it kept shows nothing to whoever sits there next.
	keep := "private, no-cache"
	if m.Kind == db.Thumb {
		keep = "private, max-age=31536000, immutable" // its address never has another content
	}
	w.Header().Set("Cache-Control", keep)
	return play(w, r, m, file, t.Title)
}

// open opens the kept file. Where it is missing or cut, its card says so from
// now on.
func (h *Media) open(r *http.Request, m db.Media) (*os.File, error) {
	file, err := h.site.Media.Whole(m.Hash, m.Size)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	h.site.Log.Error("a kept file is missing", "media", m.ID, "err", err)
	if t, err := h.site.Store.Task(r.Context(), m.TaskID); err == nil {
		h.lookAfter(r.Context(), t)
	}
	return nil, &web.Error{
		Status: http.StatusNotFound, Err: err,
		Message: "This file is missing or damaged here. The page of its video says how to get it back.",
	}
}

// lookAfter returns the task with the state of its files as they lie there, and
// writes that down where it changed.
func (h *Media) lookAfter(ctx context.Context, t db.Task) db.Task {
	look := func(t *db.Task) bool {
		t.Media = slices.Clone(t.Media)
		return t.Reconcile(func(m db.Media) bool { return h.site.Media.HasWhole(m.Hash, m.Size) }, db.Now())
	}
	if !look(&t) {
		return t
	}
	if _, err := h.site.Store.UpdateTask(ctx, t.ID, func(t *db.Task) error { look(t); return nil }); err != nil {
		h.site.Log.Error("cannot write down what became of a file", "task", t.ID, "err", err)
	}
	return t
}

// play answers with the file, in ranges where the browser asks for them. A
// download has the title in its name.
func play(w http.ResponseWriter, r *http.Request, m db.Media, file *os.File, title string) error {
	h := w.Header()
	h.Set("Content-Type", m.Type)
	h.Set("ETag", `"`+m.Hash+`"`)
	if r.FormValue("download") != "" {
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": m.Name(title)}))
	}
	http.ServeContent(web.Lasting(w), r, "", m.CreatedAt, file)
	return nil
}
