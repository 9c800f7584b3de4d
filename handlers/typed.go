package handlers

import (
	"net/http"
	"strings"

	"dailies/handlers/site"
	"dailies/web"
	"dailies/web/videoapi"
)

// startAfresh forgets what was typed on a page, and shows the page as it is
// without it.
func (a *App) startAfresh(w http.ResponseWriter, r *http.Request) error {
	page, id := site.Local(r.PostFormValue("page")), site.Me(r).ID
	if err := a.DropTyped(w, r, id, page); err != nil {
		return err
	}
	name := ""
	if scene, ok := strings.CutPrefix(page, "/create/"); ok && videoapi.Scene(scene).Valid() {
		name = draftName(id, scene)
	} else if recipe, ok := strings.CutPrefix(page, "/recipes/"); ok && site.ParseID(recipe) > 0 {
		name = recipeDraft(id, site.ParseID(recipe))
	}
	if name != "" {
		if err := a.Store.SetSetting(r.Context(), name, ""); err != nil {
			return err
		}
	}
	return web.SeeOther(w, r, page)
}
