package account

import (
	"log/slog"
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/views/part"
)

// Limit shows users what they may still spend, and accepts a lower limit of their own,
// which Settings show, and requests to spend more.
type Limit struct {
	limits   *people.Limits
	log      *slog.Logger
	pages    *site.Pages
	settings *Settings
}

// limitPart fills in the lower limit that the viewer sets.
type limitPart struct{ limits *people.Limits }

// Fill fills in the limit, and the field for it unless a wrong one was typed.
func (l *limitPart) Fill(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	room, err := l.limits.Room(r.Context(), site.Me(r).ID, db.Now())
	if page.Limit = room.Self; page.Self == nil {
		page.Self = accountview.NewSelf(room.Self)
	}
	return err
}

// shownOwnAsks limits how many of the user's own requests the page lists.
const shownOwnAsks = 20

// Show shows what the person may still spend this month.
func (l *Limit) Show(w http.ResponseWriter, r *http.Request) error {
	return l.page(w, r, http.StatusOK, accountview.LimitPage{})
}

func (l *Limit) page(w http.ResponseWriter, r *http.Request, status int, page accountview.LimitPage) error {
	ctx, u := r.Context(), site.Me(r)
	var err error
	if page.Room, err = l.limits.Room(ctx, u.ID, db.Now()); err != nil {
		return err
	}
	if page.Asks, err = l.limits.Asks(ctx, u.ID, shownOwnAsks); err != nil {
		return err
	}
	if !page.Ask.IsRefused() {
		if page.Ask, err = site.NewAsks(l.limits, l.log).Form(ctx, u); err != nil {
			return err
		}
	}
	page.Ask.Unpriced = page.Ask.Unpriced || page.Room.MustAsk && !page.Room.IsLimited()
	return l.pages.Draw(w, r, status, "Your limit", func(f part.Frame) templ.Component { return accountview.ShowLimit(f, page) })
}

// SaveOwn stores the lower limit that the user sets for themselves; an empty field
// removes it.
func (l *Limit) SaveOwn(w http.ResponseWriter, r *http.Request) error {
	self, said := accountview.NewSelf(db.Credits{}), ownLimitOff
	if !site.ReadForm(r, self) {
		page := accountview.SettingsPage{Name: site.Me(r).Name, Self: self, Errors: input.ErrorsOf(self)}
		return l.settings.draw(w, r, http.StatusUnprocessableEntity, page)
	}
	if self.Amount.Known {
		said = site.Saved
	}
	err := l.limits.SetOwnLimit(r.Context(), site.Me(r).ID, self.Amount)
	return l.settings.done(w, r, err, said, "limit")
}

// Ask sends the admins a request to spend more.
func (l *Limit) Ask(w http.ResponseWriter, r *http.Request) error {
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	form, err := site.NewAsks(l.limits, l.log).Add(r.Context(), site.Me(r), values)
	if err != nil {
		return err
	}
	if form.IsRefused() {
		return l.page(w, r, http.StatusUnprocessableEntity, accountview.LimitPage{Ask: form})
	}
	if form.Earlier {
		return l.pages.SeeOther(w, r, "/limit", askedAlready)
	}
	return l.pages.SeeOther(w, r, "/limit", asked)
}

// Seen records that the user has seen an admin's answer.
func (l *Limit) Seen(w http.ResponseWriter, r *http.Request) error {
	err := l.limits.ToldAsk(r.Context(), site.Me(r).ID, db.Now())
	return l.pages.Done(w, r, err, site.CameFrom(r), "")
}
