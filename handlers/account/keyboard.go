package account

import (
	"net/http"

	"github.com/a-h/templ"

	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

// Keyboard lists the keyboard shortcuts.
type Keyboard struct{ pages *site.Pages }

// Show lists the shortcuts on a page of its own, for browsers without JavaScript. With
// it, they are fetched and open on top of the current page.
func (k *Keyboard) Show(w http.ResponseWriter, r *http.Request) error {
	return web.Part(w, r, http.StatusOK, part.KeysDialog(), func(w http.ResponseWriter, r *http.Request) error {
		return k.pages.Draw(w, r, http.StatusOK, "Keyboard", func(f part.Frame) templ.Component { return accountview.ShowKeys(f) })
	})
}
