package handlers

import (
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web"
)

// usageMonths is how far back the page looks.
const usageMonths = 12

// showUsage tells what was spent: an admin sees everybody, others themselves.
func (a *App) showUsage(w http.ResponseWriter, r *http.Request) error {
	u := site.Me(r)
	page := accountview.UsagePage{Everyone: u.IsAdmin()}
	whose := u.ID
	if page.Everyone {
		whose = 0
	}
	var err error
	if page.Rows, err = a.Store.Usage(r.Context(), whose, db.Now().AddDate(0, -usageMonths, 0)); err != nil {
		return err
	}
	mine := db.TaskFilter{Viewer: u.ID, Maker: u.ID, State: db.AnyState, Limit: 50}
	if page.Recent, err = a.Store.Tasks(r.Context(), mine); err != nil {
		return err
	}
	f, err := a.Frame(w, r, "Usage")
	if err != nil {
		return err
	}
	return web.Page(w, r, accountview.ShowUsage(f, page), accountview.ShowUsage(f, page))
}
