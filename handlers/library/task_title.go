package library

import (
	"net/http"

	"dailies/db/naming"
	"dailies/handlers/site"
	"dailies/views/input"
	libraryview "dailies/views/library"
	"dailies/web"
)

// SaveTitle changes the video's title, or removes it if the field is empty. An htmx
// request gets the field.
func (h *Tasks) SaveTitle(w http.ResponseWriter, r *http.Request) error {
	page, err := h.page.finder.find(r)
	if err != nil {
		return err
	}
	title := libraryview.NewTitle("")
	valid := ReadTitle(r, &title)
	if !r.PostForm.Has("title") {
		return Unprocessable(noTitle)
	}
	page.Card.Task.Title, page.Card.Name = title.Value, ""
	if !valid {
		page.TitleError = title.Error
		return h.page.draw(w, r, http.StatusUnprocessableEntity, page)
	}
	if err := h.tasks.TitleTask(r.Context(), site.Me(r), page.Card.Task.ID, title.Value); err != nil {
		return err
	}
	return web.Part(w, r, http.StatusOK, libraryview.TitleField(page, true), func(w http.ResponseWriter, r *http.Request) error {
		return h.page.pages.BackTo(w, r, site.TaskPath(page.Card.Task.ID), site.Saved)
	})
}

// ReadTitle reads a title in one line, and reports whether it is valid: not too long, and
// not blank to the eye.
func ReadTitle(r *http.Request, title *input.Text) bool {
	valid := site.ReadForm(r, title)
	if naming.LooksBlank(r.PostFormValue(title.Name)) {
		title.Error, valid = libraryview.BlankTitle, false
	}
	return valid
}
