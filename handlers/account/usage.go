package account

import (
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
)

// Usage shows what was spent.
type Usage struct{ site *site.Site }

// usageMonths bounds how far back the page looks.
const usageMonths = 12

// shownReceipts is how many receipts the page lists.
const shownReceipts = 20

// Show tells what was spent: an admin sees everybody, others themselves. The month
// that is drawn day by day is the newest, or the one in the address.
func (u *Usage) Show(w http.ResponseWriter, r *http.Request) error {
	viewer := site.Me(r)
	page := accountview.UsagePage{Everyone: viewer.IsAdmin(), Name: u.site.Catalog.Name, Month: r.FormValue("month")}
	whose := viewer.ID
	if page.Everyone {
		whose = 0
	}
	var err error
	if page.Rows, err = u.site.Store.Usage(r.Context(), whose, db.Now().AddDate(0, -usageMonths, 0)); err != nil {
		return err
	}
	if page.Month == "" && len(page.Rows) > 0 {
		page.Month = page.Rows[0].Month
	}
	if page.Month != "" {
		if page.Days, err = u.site.Store.UsageByDay(r.Context(), whose, page.Month); err != nil {
			return err
		}
	}
	mine := db.TaskFilter{Viewer: viewer.ID, Makers: []int64{viewer.ID}, States: []db.State{db.AnyState}, Limit: shownReceipts}
	if page.Recent, err = u.site.Store.Tasks(r.Context(), mine); err != nil {
		return err
	}
	return u.site.Draw(w, r, http.StatusOK, "Usage", func(f part.Frame) templ.Component { return accountview.ShowUsage(f, page) })
}
