package create

import (
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/views/part"
	"dailies/web"
)

// Retries make another video of one that did not work, or got lost.
type Retries struct {
	*site.Site
	press *Press
	forms *Forms
}

// Again makes another video of one that did not work, with the same setup or
// without its sound. Its form token comes from the old one, so that however often
// the button is pressed one video is made; that one has a button of its own.
func (h *Retries) Again(w http.ResponseWriter, r *http.Request) error {
	old, err := h.OwnTask(r)
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
	again := old.Again(fmt.Sprintf("retry %d", old.ID), db.Now())
	if asked := optionsIn(values).Values(); asked.Audio != nil && !*asked.Audio && old.Options.HasSound() {
		again.FormToken += " silent"
		again.Options = old.Options.Silent()
	}
	return h.place(w, r, old, Order{Tasks: []db.Task{again}})
}

// Resend sends an unconfirmed video again, as a new one, because the person says
// so: the first may have been paid, and its row says that.
func (h *Retries) Resend(w http.ResponseWriter, r *http.Request) error {
	old, err := h.OwnTask(r)
	if err != nil {
		return err
	}
	if old.State != db.Unconfirmed {
		return fmt.Errorf("task %d is %s: %w", old.ID, old.State, db.ErrConflict)
	}
	again := old.Again(fmt.Sprintf("again %d", old.ID), db.Now())
	return h.place(w, r, old, Order{Tasks: []db.Task{again}, Resent: old.ID})
}

// place leads to the new video. Where there is a problem with it, such as a
// picture that is gone or a higher price than the old one's, it leads to the form
// with everything in it instead.
func (h *Retries) place(w http.ResponseWriter, r *http.Request, old db.Task, o Order) error {
	o.User, o.Wait, o.Shown = site.Me(r), true, h.shown(r, old, o.Tasks[0])
	asked := o.Tasks[0]
	tasks, problems, err := h.press.Place(r.Context(), o)
	if err != nil {
		return err
	}
	if problems != nil {
		f := formOf(asked, h.Catalog)
		f.From, f.Use = old.ID, db.Retried
		return h.forms.refuse(w, r, f, problems)
	}
	return web.SeeOther(w, r, site.TaskPath(tasks[0].ID))
}

// shown returns the price that the person may expect: what the page said, or else
// what the old video cost. Without its sound, or where nobody knows today's price,
// there is none to compare.
func (h *Retries) shown(r *http.Request, old, again db.Task) string {
	if said := r.PostFormValue("price_shown"); said != "" {
		return said
	}
	silenced := old.Options.HasSound() && !again.Options.HasSound()
	if silenced || !h.press.Prices.Of(r.Context(), again).Credits.Known {
		return ""
	}
	return part.Price{Credits: old.PriceAgain()}.Shown()
}
