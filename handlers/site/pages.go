package site

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"dailies/views/part"
	"dailies/web"
)

// Draw answers with the page in its frame, which has the title.
func (s *Pages) Draw(w http.ResponseWriter, r *http.Request, status int, title string, page templ.Component) error {
	f, err := s.Frame(w, r, title)
	if err != nil {
		return err
	}
	page = part.Framed(f, page)
	return web.PageStatus(w, r, status, page, page)
}

// SeeOther redirects to the path, where the next page shows the flash message.
func (s *Pages) SeeOther(w http.ResponseWriter, r *http.Request, path, flash string) error {
	if err := s.flashes.Say(w, r, flash); err != nil {
		return err
	}
	return web.SeeOther(w, r, path)
}

// Done answers the form of a change that has ended with err. If that is nil, it is like
// SeeOther.
func (s *Pages) Done(w http.ResponseWriter, r *http.Request, err error, path, flash string) error {
	if err != nil {
		return err
	}
	return s.SeeOther(w, r, path, flash)
}

// BackTo redirects, with a flash message, to the page that the form field "next"
// names, or else to otherwise.
func (s *Pages) BackTo(w http.ResponseWriter, r *http.Request, otherwise, flash string) error {
	if next := r.PostFormValue("next"); next != "" {
		otherwise = Local(next)
	}
	return s.SeeOther(w, r, otherwise, flash)
}

// LeaveChange makes the next page offer to undo a change, by sending the values to the
// path.
func (s *Pages) LeaveChange(w http.ResponseWriter, r *http.Request, path string, values url.Values) error {
	return s.flashes.LeaveChange(w, r, path, values)
}

// BackWith is like BackTo for a form about the videos with the IDs, which stay selected.
func (s *Pages) BackWith(w http.ResponseWriter, r *http.Request, ids []int64, otherwise, flash string) error {
	if err := s.flashes.leaveSelection(w, r, ids); err != nil {
		return err
	}
	return s.BackTo(w, r, otherwise, flash)
}

// Change is what a form has changed in a row: the sentence about it, and the form that
// undoes it.
type Change struct {
	Said, Path string
	Undo       url.Values
}

// maxNext limits, in bytes, the address of a page that is kept in a cookie.
const maxNext = 1000

// Answer leads back to the page with the row, which shows the sentence and offers to undo
// the change.
func Answer(w http.ResponseWriter, r *http.Request, pages *Pages, otherwise string, c Change) error {
	if c.Undo != nil {
		if next := r.PostFormValue("next"); next != "" && len(next) <= maxNext {
			c.Undo.Set("next", next)
		}
		if err := pages.LeaveChange(w, r, c.Path, c.Undo); err != nil {
			return err
		}
	}
	return pages.BackTo(w, r, otherwise, c.Said)
}
