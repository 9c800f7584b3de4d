package create

import (
	"context"
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/handlers/form"
	"dailies/handlers/press"
	"dailies/handlers/site"
	"dailies/views/part"
	"dailies/web"
)

// Again makes a new video in place of one that failed, with the same setup or without
// sound. Its form token is derived from the old task, so that repeated presses of the
// button make only one video, which in turn has its own button.
func (h *Create) Again(w http.ResponseWriter, r *http.Request) error {
	old, err := h.named.OwnTask(r)
	if err != nil {
		return err
	}
	switch old.State {
	case db.Failed, db.Canceled, db.Rejected:
	default:
		return fmt.Errorf("task %d is %s: %w", old.ID, old.State, db.ErrConflict)
	}
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	again, err := h.copyOf(r.Context(), old, fmt.Sprintf("retry %d", old.ID))
	if err != nil {
		return err
	}
	if asked := form.OptionsIn(values).Values(); asked.Audio != nil && !*asked.Audio && old.Options.HasSound() {
		again.FormToken = fmt.Sprintf("retry %d silent", old.ID)
		again.Options = old.Options.Silent()
	}
	return h.placeAgain(w, r, old, press.Order{Tasks: []db.Task{again}})
}

// Resend sends an unconfirmed video again as a new task, because the user has decided
// so. The first may have been charged, and its row keeps recording that.
func (h *Create) Resend(w http.ResponseWriter, r *http.Request) error {
	old, err := h.named.OwnTask(r)
	if err != nil {
		return err
	}
	if old.State != db.Unconfirmed {
		return fmt.Errorf("task %d is %s: %w", old.ID, old.State, db.ErrConflict)
	}
	again, err := h.copyOf(r.Context(), old, fmt.Sprintf("again %d", old.ID))
	if err != nil {
		return err
	}
	return h.placeAgain(w, r, old, press.Order{Tasks: []db.Task{again}, Resent: old.ID})
}

// copyOf returns a new task like the old one, with the same words and pictures of cast
// members.
func (h *Create) copyOf(ctx context.Context, old db.Task, token string) (again db.Task, err error) {
	old.Cast, err = h.press.Members.Of(ctx, old.ID)
	return old.Again(token, db.Now()), err
}

// placeAgain redirects to the new video. If there is a problem, such as a missing picture
// or a price above the old one, it shows the form with all values instead.
func (h *Create) placeAgain(w http.ResponseWriter, r *http.Request, old db.Task, o press.Order) error {
	o.User, o.Wait = site.Me(r), true
	if o.Service = site.ParseID(r.PostFormValue("service")); o.Service == 0 {
		o.Service = old.ServiceID
	}
	order, err := h.press.Complete(r.Context(), o)
	if err != nil {
		return err
	}
	order.Check() // a repeated press has no problems: Place reports them
	order.ShownPrice = shownPrice(r, old, o.Tasks[0], order.Price())
	tasks, problems, err := h.press.Place(r.Context(), order)
	if err != nil {
		return err
	}
	if problems != nil {
		again, _, err := h.press.AsTyped(r.Context(), o.Tasks[0])
		if err != nil {
			return err
		}
		f := form.FormOf(again, h.catalog)
		f.From, f.Use = old.ID, db.Retried
		return h.refuse(w, r, f, problems)
	}
	return web.SeeOther(w, r, site.TaskPath(tasks[0].ID))
}

// shownPrice returns the price that the user expects: the price that the page showed, or
// else the price of the old video. It returns "", so that nothing is compared, if the
// new video is without sound or today's price is unknown.
func shownPrice(r *http.Request, old, again db.Task, today part.Price) string {
	if said := r.PostFormValue("price_shown"); said != "" {
		return said
	}
	silenced := old.Options.HasSound() && !again.Options.HasSound()
	if silenced || !today.Credits.Known {
		return ""
	}
	return part.Price{Credits: old.PriceAgain()}.Shown()
}
