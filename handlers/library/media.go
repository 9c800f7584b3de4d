package library

import (
	"net/http"

	"dailies/db/store/video"
	"dailies/handlers/site"
	"dailies/web"
)

// Media serves the files that are stored here.
type Media struct {
	files  *video.Files
	stored *site.Stored
}

// Show serves a stored file to users who may see its video. A download gets a file name
// with the title, and may be redirected to the bucket.
func (h *Media) Show(w http.ResponseWriter, r *http.Request, id int64) error {
	m, t, err := h.files.Media(r.Context(), id)
	if err != nil {
		return err
	}
	if !t.VisibleTo(site.Me(r).ID) {
		return web.NotFound()
	}
	file, err := h.stored.Open(r, m)
	if err != nil {
		return err
	}
	defer file.Close()
	// The browser may cache the file but must revalidate it each time, so that after a
	// sign-out the cache shows nothing to the next user of the computer.
	w.Header().Set("Cache-Control", "private, no-cache")
	name := ""
	if r.FormValue("download") != "" {
		name = m.Title(t.Heading())
		if done, err := h.stored.Redirect(w, r, m, name); done || err != nil {
			return err
		}
	}
	return h.stored.Play(w, r, m, file, name)
}
