package handlers

import (
	"net/http"

	"dailies/db"
	"dailies/views/part"
	"dailies/views/storybook"
	"dailies/web"
)

// showStorybook shows every part of the pages in every state. It is drawn for
// nobody, whoever looks: who is signed in has a bar of their own.
func (a *App) showStorybook(w http.ResponseWriter, r *http.Request) error {
	page := storybook.ShowStorybook(part.Frame{Title: "Storybook", Path: r.URL.Path, Now: db.Now()})
	return web.Page(w, r, page, page)
}
