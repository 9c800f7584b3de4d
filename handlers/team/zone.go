package team

import (
	"errors"
	"log/slog"
	"net/http"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/handlers/site"
	teamview "dailies/views/team"
)

// Zone changes the team's time zone.
type Zone struct {
	log      *slog.Logger
	page     *spendingPage
	settings *people.Settings
}

// Save changes the team's time zone.
func (z *Zone) Save(w http.ResponseWriter, r *http.Request) error {
	zone := teamview.NewZone("")
	refuse := func() error {
		return z.page.draw(w, r, http.StatusUnprocessableEntity, teamview.SpendingPage{Zone: zone})
	}
	if !site.ReadForm(r, zone) {
		return refuse()
	}
	err := z.settings.SetTimeZone(r.Context(), zone.Value)
	if errors.Is(err, db.ErrNotFound) {
		zone.Error = teamview.NoZone
		return refuse()
	}
	if err != nil {
		return err
	}
	z.log.Info("the time zone was changed", "zone", zone.Value, "by", site.Me(r).ID)
	return z.page.pages.SeeOther(w, r, spendingPath+"#zone-section", zoneChanged)
}
