package site

import (
	"net/http"

	"dailies/db"
	"dailies/views/part"
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
	typed, err := s.typing.Typed(r)
	if err != nil {
		return f, err
	}
	f.Answer, f.Back = r.Method == http.MethodPost, typed != nil
	if err := s.news.fill(r.Context(), &f); err != nil {
		return f, err
	}
	return f, s.flashes.fill(w, r, &f)
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
