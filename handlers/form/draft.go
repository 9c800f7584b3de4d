package form

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/handlers/site"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
)

// Drafts keeps what users have begun: what they typed on a page and could not send,
// because there was no key.
type Drafts struct {
	keys     *site.Keys
	log      *slog.Logger
	settings *people.Settings
	typing   *site.Typing
}

// Begun returns what was typed on the requested page before the viewer signed in, or else
// the draft with the name.
func (d *Drafts) Begun(r *http.Request, name string) (url.Values, error) {
	if typed, err := d.typing.Typed(r); typed != nil || err != nil {
		return typed, err
	}
	draft, err := d.settings.Setting(r.Context(), name)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	values, _ := url.ParseQuery(draft) // we encoded it ourselves; invalid text gives an empty form
	return values, nil
}

// Keep stores the draft under the name.
func (d *Drafts) Keep(r *http.Request, name string, draft url.Values) error {
	return d.settings.SetSetting(r.Context(), name, draft.Encode())
}

// WithoutKey keeps the draft of a form that cannot be sent without a key, and returns the
// message about that. If the draft cannot be kept, the form still shows what was typed.
func (d *Drafts) WithoutKey(r *http.Request, name string, draft url.Values) (input.Errors, error) {
	err := d.Keep(r, name, draft)
	if err != nil {
		d.log.Error("cannot keep a draft", "id", web.RequestID(r.Context()), "err", err)
	}
	lack, lackErr := d.keys.Lack(r)
	return input.Errors{"": part.WithoutKey(lack, err == nil)}, lackErr
}

// Sent deletes the draft of a form that was submitted, if there is one, and tells the next
// page. A failure is only logged.
func (d *Drafts) Sent(w http.ResponseWriter, r *http.Request, name string) {
	if err := d.Drop(r, name); err != nil {
		d.log.Error("cannot forget a draft that was sent", "id", web.RequestID(r.Context()), "err", err)
	}
	d.typing.Sent(w, r)
}

// Drop empties the draft, if there is one. It stores nothing for a page without a draft,
// because anybody can name any number of pages.
func (d *Drafts) Drop(r *http.Request, name string) error {
	draft, err := d.settings.Setting(r.Context(), name)
	if errors.Is(err, db.ErrNotFound) || err == nil && draft == "" {
		return nil
	}
	if err != nil {
		return err
	}
	return d.settings.SetSetting(r.Context(), name, "")
}

func DraftName(userID int64, scene string) string { return fmt.Sprintf("draft %d %s", userID, scene) }

func RecipeDraft(userID, recipeID int64) string {
	return fmt.Sprintf("draft %d recipe %d", userID, recipeID)
}
