package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/views/part"
	"dailies/web"
)

// keepDraft keeps what was typed until the person is back with a key.
func (a *App) keepDraft(w http.ResponseWriter, r *http.Request, form createForm) error {
	u := site.Me(r)
	kept := a.addDraft(r, draftName(u.ID, string(form.Scene)), form.values())
	a.keepScene(r.Context(), u.ID, string(form.Scene))
	return a.createPage(w, r, http.StatusUnprocessableEntity, form, part.Errors{"": part.WithoutKey(kept)}, nil)
}

// addDraft keeps the draft under the name and reports whether it could. Where
// it cannot, the form still has what was typed.
func (a *App) addDraft(r *http.Request, name string, draft url.Values) (kept bool) {
	err := a.Store.SetSetting(r.Context(), name, draft.Encode())
	if err != nil {
		a.Log.Error("cannot keep a draft", "id", web.RequestID(r.Context()), "err", err)
	}
	return err == nil
}

// dropDraft forgets the draft of a form that was sent, if there is one.
func (a *App) dropDraft(r *http.Request, name string) {
	draft, err := a.Store.Setting(r.Context(), name)
	if errors.Is(err, db.ErrNotFound) || err == nil && draft == "" {
		return
	}
	if err == nil {
		err = a.Store.SetSetting(r.Context(), name, "")
	}
	if err != nil {
		a.Log.Error("cannot forget a draft that was sent", "id", web.RequestID(r.Context()), "err", err)
	}
}

func draftName(userID int64, scene string) string { return fmt.Sprintf("draft %d %s", userID, scene) }
