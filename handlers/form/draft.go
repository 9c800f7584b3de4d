package form

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"dailies/db"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
)

// BegunDraft returns what was typed on the requested page before the viewer signed in, or else
// the draft with the name.
func (h *Making) BegunDraft(r *http.Request, name string) (url.Values, error) {
	if typed, err := h.typed.Typed(r); typed != nil || err != nil {
		return typed, err
	}
	draft, err := h.settings.Setting(r.Context(), name)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	values, _ := url.ParseQuery(draft) // we encoded it ourselves; invalid text gives an empty form
	return values, nil
}

// KeepDraft stores the draft under the name.
func (h *Making) KeepDraft(r *http.Request, name string, draft url.Values) error {
	return h.settings.SetSetting(r.Context(), name, draft.Encode())
}

// WithoutKey keeps the draft of a form that cannot be sent without a key, and returns the
// message about that. If the draft cannot be kept, the form still shows what was typed.
func (h *Making) WithoutKey(r *http.Request, name string, draft url.Values) (input.Errors, error) {
	err := h.KeepDraft(r, name, draft)
	if err != nil {
		h.log.Error("cannot keep a draft", "id", web.RequestID(r.Context()), "err", err)
	}
	lack, lackErr := h.keys.Lack(r)
	return input.Errors{"": part.WithoutKey(lack, err == nil)}, lackErr
}

// DraftSent deletes the draft of a form that was submitted, if there is one, and tells the next
// page. A failure is only logged.
func (h *Making) DraftSent(w http.ResponseWriter, r *http.Request, name string) {
	if err := h.DropDraft(r, name); err != nil {
		h.log.Error("cannot forget a draft that was sent", "id", web.RequestID(r.Context()), "err", err)
	}
	h.typed.Sent(w, r)
}

// DropDraft empties the draft, if there is one. It stores nothing for a page without a draft,
// because anybody can name any number of pages.
func (h *Making) DropDraft(r *http.Request, name string) error {
	draft, err := h.settings.Setting(r.Context(), name)
	if errors.Is(err, db.ErrNotFound) || err == nil && draft == "" {
		return nil
	}
	if err != nil {
		return err
	}
	return h.settings.SetSetting(r.Context(), name, "")
}

// DraftName names the draft of the form of a scene.
func DraftName(userID int64, scene string) string { return fmt.Sprintf("draft %d %s", userID, scene) }

// RecipeDraft names the draft of a recipe that is filled in.
func RecipeDraft(userID, recipeID int64) string {
	return fmt.Sprintf("draft %d recipe %d", userID, recipeID)
}
