package site

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"syscall"

	"dailies/db"
	"dailies/db/store"
	"dailies/views/part"
	"dailies/web"
)

// Frame collects what every page needs. It consumes the flash message, so it must
// only be called when a page is about to be drawn.
func (s *Pages) Frame(w http.ResponseWriter, r *http.Request, title string) (part.Frame, error) {
	f := s.frame(r, title)
	v, ok := ViewerOf(r)
	if !ok {
		return f, nil
	}
	f.Viewer = &v.User
	var err error
	if f.Running, err = s.tasks.Running(r.Context(), v.User.ID); err != nil {
		return f, err
	}
	typed, err := s.typed.Typed(r)
	if err != nil {
		return f, err
	}
	f.Answer, f.Back = r.Method == http.MethodPost, typed != nil
	if err := s.fillNews(r.Context(), &f); err != nil {
		return f, err
	}
	return f, s.flashes.fill(w, r, &f)
}

// frame returns the parts of a frame that need no signed-in user.
func (s *Pages) frame(r *http.Request, title string) part.Frame {
	return part.Frame{Title: title, Path: r.URL.Path, Theme: Theme(r), Sandbox: s.registry.IsPractice(), Now: db.Now()}
}

// ThemeCookie names the cookie that holds this browser's theme: "light" or "dark".
// Without it, the theme follows the system.
const ThemeCookie = "theme"

// Theme returns the theme chosen in this browser, or "" to follow the system.
func Theme(r *http.Request) string {
	if c, err := r.Cookie(ThemeCookie); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return ""
}

// Failures answers requests that have failed.
type Failures struct {
	log     *slog.Logger
	pages   *Pages
	viewers *Viewers
}

// isFull reports whether the request failed because a disk is full: the one of the
// database or the one of the files.
func isFull(err error) bool {
	return store.IsFull(err) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Unsaved returns the answer to a request that failed because nothing can be stored at the
// moment: the disk is full, or the database is locked or away.
func Unsaved(err error) (*web.Error, bool) {
	switch {
	case isFull(err):
		return &web.Error{Status: http.StatusServiceUnavailable, Message: noSpace, Err: err}, true
	case store.IsBusy(err):
		return &web.Error{Status: http.StatusServiceUnavailable, Message: notSaved, Err: err}, true
	}
	return nil, false
}

// Show draws the page for an error, and logs the server's own failures.
func (s *Failures) Show(w http.ResponseWriter, r *http.Request, e *web.Error) {
	id := web.RequestID(r.Context())
	if unsaved, ok := Unsaved(e); ok {
		e = unsaved
		w.Header().Set("Retry-After", "10")
	}
	switch {
	case e.Message == notSaved:
		s.log.Error("a request failed because the database takes no writes", "id", id, "method", r.Method, "route", r.Pattern, "err", e.Err)
	case isFull(e):
		w.Header().Set("Retry-After", "60")
		s.log.Error("a request failed because the disk is full", "id", id, "method", r.Method, "route", r.Pattern, "err", e.Err)
	case errors.Is(e, db.ErrUnavailable):
		w.Header().Set("Retry-After", "10")
		s.log.Debug("a request needed the storage", "id", id, "route", r.Pattern, "err", e.Err) // which logs its own failures
	case errors.Is(e, context.Canceled) && r.Context().Err() != nil: // the browser has gone away
	case e.Status >= http.StatusInternalServerError:
		s.log.Error("a request failed", "id", id, "method", r.Method, "route", r.Pattern, "err", e.Err)
	}
	if r.Header.Get("HX-Request-Type") == "partial" {
		// If a fragment fails, the page stays as it is.
		w.Header().Set("HX-Reswap", "none")
		http.Error(w, e.Message, e.Status)
		return
	}
	// Further errors must not keep the page from being drawn.
	f := s.pages.frame(r, "Sorry")
	if v, err := s.viewers.Viewer(r); err == nil {
		f.Viewer = &v.User
		f.Running, _ = s.pages.tasks.Running(r.Context(), v.User.ID)
	}
	page := part.Framed(f, part.ShowError(e.Message, id))
	if err := web.Fragment(w, r, e.Status, page); err != nil {
		http.Error(w, e.Message, e.Status)
	}
}
