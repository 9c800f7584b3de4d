//go:build release

package handlers

import (
	"net/http"

	"dailies/db"
)

// showStorybook finds no page, because released programs do not contain the storybook.
func (a *App) showStorybook(http.ResponseWriter, *http.Request) error { return db.ErrNotFound }
