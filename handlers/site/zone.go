package site

import (
	"net/http"
	"time"
)

// ZoneCookie names the cookie in which the browser stores its time zone, such as
// "Europe/Lisbon".
const ZoneCookie = "zone"

// Zone returns the time zone in the browser's cookie, or else the team's.
func (s *Zones) Zone(r *http.Request) (*time.Location, error) {
	if c, err := r.Cookie(ZoneCookie); err == nil && c.Value != "" && c.Value != "Local" && len(c.Value) < 64 {
		if zone, err := time.LoadLocation(c.Value); err == nil {
			return zone, nil
		}
	}
	return s.settings.TimeZone(r.Context())
}
