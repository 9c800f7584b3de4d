package account

import (
	"net/http"

	"github.com/a-h/templ"

	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
)

// Keyboard lists the keyboard shortcuts.
type Keyboard struct{ site *site.Site }

// Show lists the keys, for browsers in which script cannot show them on
// top of the page.
func (k *Keyboard) Show(w http.ResponseWriter, r *http.Request) error {
	return k.site.Draw(w, r, http.StatusOK, "Keyboard", func(f part.Frame) templ.Component { return accountview.ShowKeys(f) })
}
