package site

import (
	"net/http"

	"dailies/db"
	"dailies/views/part"
	"dailies/web"
)

// Frame gathers what every page needs. It takes the flash, so it is called
// only when a page is about to be drawn.
func (s *Site) Frame(w http.ResponseWriter, r *http.Request, title string) (part.Frame, error) {
	f := part.Frame{Title: title, Path: r.URL.Path, Sandbox: s.Sandbox != nil, Now: db.Now()}
	v, ok := ViewerOf(r)
	if !ok {
		return f, nil
	}
	f.Viewer, f.Notice = &v.User, s.spaceNotice(r.Context(), v.User)
	var err error
	if f.Running, err = s.Store.Running(r.Context(), v.User.ID); err != nil {
		return f, err
	}
	if f.Flash, err = s.Cookies.Take(w, r, "flash"); err != nil {
		return f, err
	}
	if f.Sent, err = s.Cookies.Take(w, r, "sent"); err != nil {
		return f, err
	}
	typed, err := s.Typed(r)
	if err != nil {
		return f, err
	}
	f.Answer, f.Back = r.Method == http.MethodPost, typed != nil
	f.Undo, err = s.takeUndo(w, r)
	return f, err
}

// Fail draws the page for an error, and logs what is our fault.
func (s *Site) Fail(w http.ResponseWriter, r *http.Request, e *web.Error) {
	id := web.RequestID(r.Context())
	if e.Status >= http.StatusInternalServerError {
		s.Log.Error("a request failed", "id", id, "method", r.Method, "route", r.Pattern, "err", e.Err)
	}
	if r.Header.Get("HX-Request-Type") == "partial" {
		// A part that could not be had leaves the page as it is.
		w.Header().Set("HX-Reswap", "none")
		http.Error(w, e.Message, e.Status)
		return
	}
	// What else is wrong must not keep the page from being drawn.
	f := part.Frame{Title: "Sorry", Path: r.URL.Path, Sandbox: s.Sandbox != nil, Now: db.Now()}
	if v, err := s.Viewer(r); err == nil {
		f.Viewer = &v.User
		f.Running, _ = s.Store.Running(r.Context(), v.User.ID)
	}
	page := part.ShowError(f, part.ErrorPage{Message: e.Message, ID: id})
	if err := web.Fragment(w, r, e.Status, page); err != nil {
		http.Error(w, e.Message, e.Status)
	}
}
