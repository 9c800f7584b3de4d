package site

import (
	"net/http"

	"dailies/web"
)

// BackTo ends a change: the page that the form names, or else the given one,
// with a sentence about what was done.
func (s *Site) BackTo(w http.ResponseWriter, r *http.Request, otherwise, sentence string) error {
	if err := s.Cookies.Leave(w, r, "flash", sentence); err != nil {
		return err
	}
	if next := r.PostFormValue("next"); next != "" {
		return web.SeeOther(w, r, Local(next))
	}
	return web.SeeOther(w, r, otherwise)
}
