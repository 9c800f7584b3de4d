package account

import (
	"net/http"

	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web"
)

// Keyboard lists the keyboard shortcuts.
type Keyboard struct{ site *site.Site }

// Show lists the keys, for browsers in which script cannot show them on
// top of the page.
func (k *Keyboard) Show(w http.ResponseWriter, r *http.Request) error {
	f, err := k.site.Frame(w, r, "Keyboard")
	if err != nil {
		return err
	}
	return web.Page(w, r, accountview.ShowKeys(f), accountview.ShowKeys(f))
}
