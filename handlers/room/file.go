package room

import (
	"net/http"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/video"
	"dailies/handlers/site"
	"dailies/web"
)

// Files serves the files that a link shows.
type Files struct {
	links  *video.Links
	stored *site.Stored
}

// Show serves a file of the link: a video, its cover or its thumbnail. It never redirects to
// the bucket, whose addresses would work for a while after the link has ended.
func (h *Files) Show(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	m, err := h.links.SharedMedia(r.Context(), link.Token, id, db.Now())
	if err != nil {
		return err
	}
	save := r.URL.Query().Get("download") != ""
	if save && !link.Download {
		return web.Forbidden(noDownload)
	}
	file, err := h.stored.Open(r, m)
	if err != nil {
		return err
	}
	defer file.Close()
	// The browser must revalidate the file each time, so that access ends with the link.
	w.Header().Set("Cache-Control", "private, max-age=0, must-revalidate")
	name := ""
	if save {
		m.TaskID, m.Position = m.ID, 0 // keeps the video's ID out of the download's name
		name = m.Title(link.Title)
	}
	return h.stored.Play(w, r, m, file, name)
}
