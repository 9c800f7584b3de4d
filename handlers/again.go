package handlers

import (
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/web"
)

// tryAgain makes another video of one that did not work, with the same recipe
// or without its sound. Its form token comes from the old one, so that however
// often the button is pressed one video is made; that one has a button of its
// own. Pictures that can no longer be had lead to the form instead.
func (a *App) tryAgain(w http.ResponseWriter, r *http.Request) error {
	old, err := a.task(r)
	if err != nil {
		return err
	}
	if old.UserID != me(r).ID {
		return web.NotFound()
	}
	switch old.State {
	case db.Failed, db.Canceled, db.Rejected:
	default:
		return fmt.Errorf("task %d is %s: %w", old.ID, old.State, db.ErrConflict)
	}
	again := old.Again(fmt.Sprintf("retry %d", old.ID), db.Now())
	if r.PostFormValue("generate_audio") == "false" && old.Options.HasSound() {
		again.FormToken += " silent"
		again.Options = old.Options.Silent()
	}
	form := formOf(old, a.Catalog)
	if err := a.settlePictures(r.Context(), &form); err != nil {
		return err
	}
	if errs := a.lookAtPictures(r.Context(), &form); errs != nil {
		return a.createPage(w, r, http.StatusUnprocessableEntity, form, errs, nil)
	}
	again.Pictures = form.pictures()
	if again, err = a.addTask(r.Context(), again); err != nil {
		return err
	}
	return web.SeeOther(w, r, fmt.Sprintf("/tasks/%d", again.ID))
}
