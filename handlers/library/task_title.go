package library

import (
	"fmt"
	"net/http"
	"unicode/utf8"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
)

// SaveTitle changes the video's title, or removes it if the field is empty. An htmx
// request gets the field.
func (h *Tasks) SaveTitle(w http.ResponseWriter, r *http.Request) error {
	page, err := h.page(r)
	if err != nil {
		return err
	}
	title, why := readTitle(r)
	if !r.PostForm.Has("title") {
		return unprocessable("Type a title first.")
	}
	page.Card.Task.Title, page.Card.Name = title, ""
	if why != "" {
		page.TitleError = why
		return h.draw(w, r, http.StatusUnprocessableEntity, page)
	}
	if err := h.tasks.TitleTask(r.Context(), site.Me(r), page.Card.Task.ID, title); err != nil {
		return err
	}
	return web.Part(w, r, http.StatusOK, libraryview.TitleField(page, true), func(w http.ResponseWriter, r *http.Request) error {
		return h.pages.BackTo(w, r, site.TaskPath(page.Card.Task.ID), "The title is saved.")
	})
}

// readTitle returns the typed title on one line, and a message if it is too long or looks blank.
func readTitle(r *http.Request) (title, why string) {
	title = db.CleanName(r.PostFormValue("title"))
	if db.LooksBlank(r.PostFormValue("title")) {
		return title, "Nothing of this title can be seen. Please use letters."
	}
	return title, tooLong("A title", title, db.MaxTitle)
}

// tooLong returns a message if the text has more letters than allowed. The message
// calls the text thing, for example "A title".
func tooLong(thing, text string, most int) string {
	if n := utf8.RuneCountInString(text); n > most {
		return fmt.Sprintf("%s has %d letters at most. This one has %d.", thing, most, n)
	}
	return ""
}
