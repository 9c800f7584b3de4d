package room

import (
	"errors"
	"net/http"
	"net/url"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/video"
	"dailies/handlers/site"
	roomview "dailies/views/room"
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

// Earlier leads from the addresses that files of links had in earlier versions, and that
// mails and messengers still have, to those under the link.
type Earlier struct {
	links   *video.Links
	viewers *site.Viewers
}

// OrGuarded redirects a request with a link that shows the file. Others go through the
// guard, except that a request with a useless link and no session gets an error instead of
// a redirect to the sign-in page.
func (h *Earlier) OrGuarded(guarded web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		query := r.URL.Query()
		token := query.Get("share")
		if !query.Has("share") {
			return guarded(w, r)
		}
		id, err := site.ID(r)
		if err == nil && token != "" {
			if _, err = h.links.SharedMedia(r.Context(), token, id, db.Now()); err == nil {
				to := roomview.MediaPath(token, id)
				if query.Has("download") {
					to += "?" + url.Values{"download": {"1"}}.Encode()
				}
				w.Header().Set("Cache-Control", "private, no-store")
				http.Redirect(w, r, to, http.StatusFound)
				return nil
			}
			if !errors.Is(err, db.ErrNotFound) {
				return err
			}
		}
		if _, err := h.viewers.Viewer(r); err != nil {
			return err
		}
		return guarded(w, r)
	}
}
