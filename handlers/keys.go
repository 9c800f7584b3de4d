package handlers

import (
	"net/http"

	accountview "dailies/views/account"
	"dailies/web"
)

// showKeys lists the keys, for browsers in which script cannot show them on
// top of the page.
func (a *App) showKeys(w http.ResponseWriter, r *http.Request) error {
	f, err := a.Frame(w, r, "Keyboard")
	if err != nil {
		return err
	}
	return web.Page(w, r, accountview.ShowKeys(f), accountview.ShowKeys(f))
}
