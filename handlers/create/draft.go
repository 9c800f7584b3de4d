package create

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/web"
	"dailies/web/videoapi"
)

// keepDraft stores the draft under the name and reports whether it could. If it
// cannot, the form still shows what was typed.
func (p *Press) keepDraft(r *http.Request, name string, draft url.Values) (kept bool) {
	err := p.settings.SetSetting(r.Context(), name, draft.Encode())
	if err != nil {
		p.log.Error("cannot keep a draft", "id", web.RequestID(r.Context()), "err", err)
	}
	return err == nil
}

// forgetDraft deletes the draft of a form that was submitted, if there is one. A
// failure is only logged.
func (p *Press) forgetDraft(r *http.Request, name string) {
	if err := p.dropDraft(r, name); err != nil {
		p.log.Error("cannot forget a draft that was sent", "id", web.RequestID(r.Context()), "err", err)
	}
}

// dropDraft empties the draft, if there is one. It stores nothing for a page without a
// draft, because anybody can name any number of pages.
func (p *Press) dropDraft(r *http.Request, name string) error {
	draft, err := p.settings.Setting(r.Context(), name)
	if errors.Is(err, db.ErrNotFound) || err == nil && draft == "" {
		return nil
	}
	if err != nil {
		return err
	}
	return p.settings.SetSetting(r.Context(), name, "")
}

func draftName(userID int64, scene string) string { return fmt.Sprintf("draft %d %s", userID, scene) }

func recipeDraft(userID, recipeID int64) string {
	return fmt.Sprintf("draft %d recipe %d", userID, recipeID)
}

// Discard deletes what was typed on a page, and shows the page without it.
func (h *Forms) Discard(w http.ResponseWriter, r *http.Request) error {
	page, id := site.Local(r.PostFormValue("page")), site.Me(r).ID
	if err := h.typing.DropTyped(w, r, id, page); err != nil {
		return err
	}
	name := ""
	if scene, ok := strings.CutPrefix(page, "/create/"); ok && videoapi.Scene(scene).Valid() {
		name = draftName(id, scene)
	} else if recipe, ok := strings.CutPrefix(page, "/recipes/"); ok && site.ParseID(recipe) > 0 {
		name = recipeDraft(id, site.ParseID(recipe))
	}
	if name != "" {
		if err := h.press.dropDraft(r, name); err != nil {
			return err
		}
	}
	return web.SeeOther(w, r, page)
}
