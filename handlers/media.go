package handlers

import (
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/web"
)

// showMedia plays a kept file to who may see its video.
func (a *App) showMedia(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	m, t, err := a.Store.Media(r.Context(), id)
	if err != nil {
		return err
	}
	if !t.VisibleTo(me(r).ID) {
		return web.NotFound()
	}
	// The browser keeps it and asks each time whether it may show it: after a
	// sign-out, what it kept shows nothing to whoever sits there next.
	w.Header().Set("Cache-Control", "private, no-cache")
	return a.play(w, r, m)
}

// play answers with the file, in ranges where the browser asks for them.
func (a *App) play(w http.ResponseWriter, r *http.Request, m db.Media) error {
	file, err := a.Media.File(m.Hash)
	if err != nil {
		return fmt.Errorf("media %d: %w", m.ID, err)
	}
	defer file.Close()
	h := w.Header()
	h.Set("Content-Type", m.Type)
	h.Set("ETag", `"`+m.Hash+`"`)
	if r.FormValue("download") != "" {
		h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", m.Name("")))
	}
	http.ServeContent(web.Lasting(w), r, "", m.CreatedAt, file)
	return nil
}
