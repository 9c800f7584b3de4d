package handlers

import (
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/web"
)

// resendTask sends an unconfirmed video again, as a new one, because the
// person says so: the first may have been paid, and its row says that.
func (a *App) resendTask(w http.ResponseWriter, r *http.Request) error {
	old, err := a.OwnTask(r)
	if err != nil {
		return err
	}
	again := old.Again(fmt.Sprintf("again %d", old.ID), db.Now())
	if again.Pictures, err = a.picturesAgain(w, r, old); err != nil || again.Pictures == nil {
		return err
	}
	if _, err := a.DecideTask(r); err != nil {
		return err
	}
	if again, err = a.addTask(r.Context(), again); err != nil {
		return err
	}
	return web.SeeOther(w, r, fmt.Sprintf("/tasks/%d", again.ID))
}
