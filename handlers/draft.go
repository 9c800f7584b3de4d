package handlers

import (
	"fmt"
	"net/http"

	"dailies/views"
)

// keepDraft keeps what was typed until the person is back with a key.
func (a *App) keepDraft(w http.ResponseWriter, r *http.Request, form createForm) error {
	u := me(r)
	if err := a.Store.SetSetting(r.Context(), draftName(u.ID, string(form.Scene)), form.values().Encode()); err != nil {
		return err
	}
	if err := a.Store.SetLastScene(r.Context(), u.ID, string(form.Scene)); err != nil {
		return err
	}
	errs := views.Errors{"": "There is no API key yet, so nothing was sent. Add your key in the settings; what you typed is kept here."}
	return a.createPage(w, r, http.StatusUnprocessableEntity, form, errs, nil)
}

func draftName(userID int64, scene string) string { return fmt.Sprintf("draft %d %s", userID, scene) }
