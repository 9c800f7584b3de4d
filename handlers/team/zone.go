package team

import (
	"errors"
	"net/http"
	"strings"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
)

// fillZone fills in the team's time zone, unless an invalid one was typed.
func (m *Members) fillZone(r *http.Request, page *teamview.MembersPage) error {
	zone, err := m.settings.TimeZone(r.Context())
	if err != nil {
		return err
	}
	if page.Errors == nil {
		page.Zone = zone.String()
	}
	page.Rebuilding, err = m.settings.Rebuilding(r.Context())
	return err
}

// SaveZone changes the team's time zone.
func (m *Members) SaveZone(w http.ResponseWriter, r *http.Request) error {
	name := strings.TrimSpace(site.Clip(site.PlainText(r.PostFormValue("zone")), 100))
	err := db.ErrNotFound
	if name != "" {
		err = m.settings.SetTimeZone(r.Context(), name)
	}
	if errors.Is(err, db.ErrNotFound) {
		return m.page(w, r, http.StatusUnprocessableEntity, teamview.MembersPage{
			Zone: name, Errors: part.Errors{"zone": "There is no time zone with this name. They are named like Europe/Berlin."},
		})
	}
	if err != nil {
		return err
	}
	m.log.Info("the time zone was changed", "zone", name, "by", site.Me(r).ID)
	return m.pages.SeeOther(w, r, "/members", "The time zone is changed.")
}
