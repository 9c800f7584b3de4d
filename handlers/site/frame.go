package site

import (
	"context"
	"errors"
	"net/http"
	"syscall"

	"dailies/db"
	"dailies/db/store"
	"dailies/db/store/people"
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
	f.Viewer, f.Notice = &v.User, s.spaceNotice(r.Context(), v.User)
	var err error
	if f.Running, err = s.tasks.Running(r.Context(), v.User.ID); err != nil {
		return f, err
	}
	if f.Flash, err = s.cookies.TakeFlash(w, r, "flash"); err != nil {
		return f, err
	}
	if f.Sent, err = s.cookies.TakeFlash(w, r, "sent"); err != nil {
		return f, err
	}
	typed, err := s.typing.Typed(r)
	if err != nil {
		return f, err
	}
	f.Answer, f.Back = r.Method == http.MethodPost, typed != nil
	if err := fillLimits(r.Context(), s.limits, v.User, &f); err != nil {
		return f, err
	}
	said, err := s.settings.Announcement(r.Context())
	if err != nil {
		return f, err
	}
	if said.IsShown(f.Now) {
		f.Announcement = said.Text
	}
	f.Undo, err = s.choices.takeUndo(w, r)
	return f, err
}

// shownAsks is the number of open requests that each page shows to admins.
const shownAsks = 2

// fillLimits fills in the messages about spending limits.
func fillLimits(ctx context.Context, from *people.Limits, u db.User, f *part.Frame) (err error) {
	if u.IsAdmin() {
		if f.Asks, err = from.OpenAsks(ctx, shownAsks); err != nil {
			return err
		}
	}
	answered, err := from.UntoldAsk(ctx, u.ID)
	switch {
	case err == nil:
		f.Answered = &answered
	case !errors.Is(err, db.ErrNotFound):
		return err
	}
	warning, err := from.TakeWarning(ctx, u, f.Now)
	if store.IsFull(err) { // it is shown once there is room to record that it was
		err = nil
	}
	if warning.Percent > 0 {
		f.Warning = part.LimitWarning(warning)
	}
	return err
}

// frame returns the parts of a frame that need no signed-in user.
func (s *Pages) frame(r *http.Request, title string) part.Frame {
	return part.Frame{Title: title, Path: r.URL.Path, Theme: Theme(r), Sandbox: s.sandbox != nil, Now: db.Now()}
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

// noSpace tells people that nothing can be written.
const noSpace = "The server has no space left, so this wasn’t saved. Tell an admin, and try again once there’s space. Everything saved before can still be opened."

// isFull reports whether the request failed because a disk is full: the one of the
// database or the one of the files.
func isFull(err error) bool {
	return store.IsFull(err) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Fail draws the page for an error, and logs the server's own failures.
func (s *Pages) Fail(w http.ResponseWriter, r *http.Request, e *web.Error) {
	id := web.RequestID(r.Context())
	switch {
	case isFull(e):
		e = &web.Error{Status: http.StatusServiceUnavailable, Message: noSpace, Err: e}
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
	f := s.frame(r, "Sorry")
	if v, err := s.viewers.Viewer(r); err == nil {
		f.Viewer = &v.User
		f.Running, _ = s.tasks.Running(r.Context(), v.User.ID)
	}
	page := part.ShowError(f, part.ErrorPage{Message: e.Message, ID: id})
	if err := web.Fragment(w, r, e.Status, page); err != nil {
		http.Error(w, e.Message, e.Status)
	}
}
