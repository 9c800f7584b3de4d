package team

import (
	"errors"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	teamview "dailies/views/team"
)

// fillZone fills in the team's time zone, unless an invalid one was typed.
func (m *membersPage) fillZone(r *http.Request, page *teamview.MembersPage) error {
	zone, err := m.settings.TimeZone(r.Context())
	if err != nil {
		return err
	}
	if page.Zone == nil {
		page.Zone = teamview.NewZone(zone.String())
	}
	page.Rebuilding, err = m.settings.Rebuilding(r.Context())
	return err
}

// SaveZone changes the team's time zone.
func (m *Members) SaveZone(w http.ResponseWriter, r *http.Request) error {
	zone := teamview.NewZone("")
	refuse := func() error {
		return m.page.draw(w, r, http.StatusUnprocessableEntity, teamview.MembersPage{Zone: zone})
	}
	if !site.ReadForm(r, zone) {
		return refuse()
	}
	err := m.settings.SetTimeZone(r.Context(), zone.Value)
	if errors.Is(err, db.ErrNotFound) {
		zone.Error = teamview.NoZone
		return refuse()
	}
	if err != nil {
		return err
	}
	m.log.Info("the time zone was changed", "zone", zone.Value, "by", site.Me(r).ID)
	return m.page.pages.SeeOther(w, r, "/members", "The time zone is changed.")
}
