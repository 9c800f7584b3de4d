package handlers

import (
	"net/http"

	"dailies/db"
	"dailies/views/part"
	"dailies/web"
)

// showStorybook shows every component in every state. Its frame has no viewer, even
// if a user is signed in, because a viewer would change the components.
func (a *App) showStorybook(w http.ResponseWriter, r *http.Request) error {
	if a.storybook == nil {
		return db.ErrNotFound
	}
	page := part.Framed(part.Frame{Title: "Storybook", Path: r.URL.Path, Now: db.Now()}, a.storybook)
	return web.Page(w, r, page, page)
}
