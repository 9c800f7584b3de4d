package room

import (
	"bytes"
	"net/http"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/team"
	"dailies/handlers/site"
	roomview "dailies/views/room"
	"dailies/web"
)

// fresh makes browsers ask each time whether the file is still the same and whether the
// link still works.
func fresh(w http.ResponseWriter, kind, tag string) {
	header := w.Header()
	header.Set("Cache-Control", "private, max-age=0, must-revalidate")
	header.Set("Content-Type", kind)
	header.Set("ETag", `"`+tag+`"`)
}

// Style serves the style sheet with the team's colour, which changes nothing if the team has none.
func (h *Room) Style(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	brand, err := h.settings.Brand(r.Context())
	if err != nil {
		return err
	}
	style, tag := roomview.UsualStyle, "usual"
	if colour, ok := team.ParseColour(brand.Colour); ok && link.Named {
		style, tag = roomview.Style(colour), colour.String()[1:]
	}
	fresh(w, "text/css; charset=utf-8", tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader([]byte(style)))
	return nil
}

// Logo serves the team's logo.
func (h *Room) Logo(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	if !link.Named {
		return db.ErrNotFound
	}
	file, logo, err := h.settings.Logo(r.Context())
	if err != nil {
		return err
	}
	fresh(w, logo.Type, logo.Hash)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
	return nil
}

// ShowFile serves a file of the link: a video, its cover or its thumbnail. It never redirects to
// the bucket, whose addresses would work for a while after the link has ended.
func (h *Room) ShowFile(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
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
	file, err := h.files.Open(r, m)
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
	return h.files.Play(w, r, m, file, name)
}
