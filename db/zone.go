package db

import (
	"fmt"
	"time"
	_ "time/tzdata" // so that zones are known on a machine without a time zone database
)

// ParseZone returns the time zone with a name of the tz database, such as
// "Europe/Berlin". The empty name is UTC.
func ParseZone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || zone == time.Local {
		return nil, fmt.Errorf("time zone %q: %w", name, ErrNotFound)
	}
	return zone, nil
}

const day = 24 * 60 * 60 // seconds

// DayOf returns the calendar day of the time in the zone, as days since 1970.
func DayOf(t time.Time, zone *time.Location) int64 {
	y, m, d := t.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / day
}

// MonthOf returns the month of a day that DayOf returned, such as "2026-11".
func MonthOf(days int64) string { return time.Unix(days*day, 0).UTC().Format("2006-01") }
