package account

import (
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/views/part"
)

// fillLimit fills in the lower limit that the viewer sets, and the field for it unless a
// wrong one was typed.
func (h *Account) fillLimit(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	budget, err := h.limits.Budget(r.Context(), site.Me(r).ID, db.Now())
	if page.Limit = budget.Self; page.Self == nil {
		page.Self = accountview.NewSelf(budget.Self)
	}
	return err
}

// shownOwnRequests limits how many of the user's own requests the page lists.
const shownOwnRequests = 20

// ShowLimit shows what the person may still spend this month.
func (h *Account) ShowLimit(w http.ResponseWriter, r *http.Request) error {
	return h.drawLimit(w, r, http.StatusOK, part.CreditRequestForm{})
}

func (h *Account) drawLimit(w http.ResponseWriter, r *http.Request, status int, form part.CreditRequestForm) error {
	ctx, u := r.Context(), site.Me(r)
	budget, err := h.limits.Budget(ctx, u.ID, db.Now())
	if err != nil {
		return err
	}
	requests, err := h.limits.CreditRequests(ctx, u.ID, shownOwnRequests)
	if err != nil {
		return err
	}
	if !form.IsRefused() {
		if form, err = h.creditRequests.Form(ctx, u); err != nil {
			return err
		}
	}
	form.Unpriced = form.Unpriced || budget.NeedsApproval && !budget.IsLimited()
	return h.pages.Draw(w, r, status, "Your limit", accountview.ShowLimit(budget, form, requests))
}

// SaveLimit stores the lower limit that the user sets for themselves; an empty field
// removes it.
func (h *Account) SaveLimit(w http.ResponseWriter, r *http.Request) error {
	self, said := accountview.NewSelf(db.Credits{}), ownLimitOff
	if !site.ReadForm(r, self) {
		page := accountview.SettingsPage{Name: site.Me(r).Name, Self: self, Errors: input.ErrorsOf(self)}
		return h.drawSettings(w, r, http.StatusUnprocessableEntity, page)
	}
	if self.Amount.Known {
		said = site.Saved
	}
	err := h.limits.SetOwnLimit(r.Context(), site.Me(r).ID, self.Amount)
	return h.done(w, r, err, said, "limit")
}

// RequestCredits sends the admins a request to spend more.
func (h *Account) RequestCredits(w http.ResponseWriter, r *http.Request) error {
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	form, err := h.creditRequests.Add(r.Context(), site.Me(r), values)
	if err != nil {
		return err
	}
	if form.IsRefused() {
		return h.drawLimit(w, r, http.StatusUnprocessableEntity, form)
	}
	if form.Earlier {
		return h.pages.SeeOther(w, r, "/limit", askedAlready)
	}
	return h.pages.SeeOther(w, r, "/limit", asked)
}

// SeeAnswer records that the user has seen an admin's answer.
func (h *Account) SeeAnswer(w http.ResponseWriter, r *http.Request) error {
	err := h.limits.SeeAnswers(r.Context(), site.Me(r).ID, db.Now())
	return h.pages.Done(w, r, err, site.CameFrom(r), "")
}
