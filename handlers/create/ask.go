package create

import (
	"math"
	"net/http"
	"net/url"
	"strconv"

	"dailies/handlers/site"
	createview "dailies/views/create"
)

// askElsewhere tells users of pages without a form for it how to ask for a higher
// limit.
const askElsewhere = "Open “Your limit” in another tab to ask for more, then press the button again."

// ask stores the user's request to spend more than the limit, and shows the form
// again with everything that was typed.
func (h *Forms) ask(w http.ResponseWriter, r *http.Request, f form, values url.Values) error {
	asked, err := site.NewAsks(h.limits, h.log).Add(r.Context(), site.Me(r), values)
	if err != nil {
		return err
	}
	f.Asked = &asked
	status := http.StatusOK
	if asked.IsRefused() {
		status = http.StatusUnprocessableEntity
	}
	return h.page(w, r, status, f, nil, nil)
}

// fillAsk adds the form for such a request if the price exceeds the limit.
func (h *Forms) fillAsk(r *http.Request, f form, view *createview.CreateForm) (err error) {
	if view.Price.OverLimit() == "" {
		return nil
	}
	if f.Asked != nil {
		view.Ask = f.Asked
		return nil
	}
	ask, err := site.NewAsks(h.limits, h.log).Form(r.Context(), site.Me(r))
	if err != nil {
		return err
	}
	if ask.Unpriced = !view.Price.Known(); !ask.Unpriced {
		lacking := view.Price.Held()*float64(view.Price.Videos()) - view.Price.Room.Left().Amount
		ask.Credits.Value = strconv.FormatFloat(math.Ceil(lacking), 'f', -1, 64)
	}
	view.Ask = &ask
	return nil
}
