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
	old, err := a.OwnTask(r)
	if err != nil {
		return err
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
	if again.Pictures, err = a.picturesAgain(w, r, old); err != nil || again.Pictures == nil {
		return err
	}
	if again, err = a.addTask(r.Context(), again); err != nil {
		return err
	}
	return web.SeeOther(w, r, fmt.Sprintf("/tasks/%d", again.ID))
}

// picturesAgain are the pictures of an old video where they are to be had
// today. If one can no longer be had it answers with the form that says so,
// and returns nil.
func (a *App) picturesAgain(w http.ResponseWriter, r *http.Request, old db.Task) ([]string, error) {
	form := formOf(old, a.Catalog)
	if err := a.settlePictures(r.Context(), &form); err != nil {
		return nil, err
	}
	if errs := a.lookAtPictures(r.Context(), &form); errs != nil {
		return nil, a.createPage(w, r, http.StatusUnprocessableEntity, form, errs, nil)
	}
	return append([]string{}, form.pictures()...), nil
}
