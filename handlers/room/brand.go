package room

import (
	"bytes"
	"net/http"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/people"
	"dailies/db/team"
	roomview "dailies/views/room"
)

// Brand serves the team's colours and its logo, for the pages of links that say who sent
// them.
type Brand struct {
	settings *people.Settings
}

// fresh makes browsers ask each time whether the file is still the same and whether the
// link still works.
func fresh(w http.ResponseWriter, kind, tag string) {
	header := w.Header()
	header.Set("Cache-Control", "private, max-age=0, must-revalidate")
	header.Set("Content-Type", kind)
	header.Set("ETag", `"`+tag+`"`)
}

// Style serves the style sheet with the team's colour, which changes nothing if the team has none.
func (h *Brand) Style(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
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
func (h *Brand) Logo(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
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
