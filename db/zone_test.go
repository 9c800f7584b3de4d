package db_test

import (
	"errors"
	"testing"
	"time"

	"dailies/db"
)

func TestDayDependsOnTheTimeZone(t *testing.T) {
	late := time.Date(2026, 10, 31, 23, 30, 0, 0, time.UTC)
	for name, want := range map[string]string{"": "2026-10", "UTC": "2026-10", "Europe/Berlin": "2026-11", "America/New_York": "2026-10", "Pacific/Kiritimati": "2026-11"} {
		zone, err := db.ParseZone(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := db.MonthOf(db.DayOf(late, zone)); got != want {
			t.Errorf("in %q it is %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"Local", "Berlin", "../etc/passwd", "Europe/Berlin\x00", "+02:00"} {
		if _, err := db.ParseZone(name); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("%q is a time zone: %v", name, err)
		}
	}
	if got := db.MonthOf(db.DayOf(time.Date(1969, 12, 31, 12, 0, 0, 0, time.UTC), time.UTC)); got != "1969-12" {
		t.Errorf("before 1970 it is %s", got)
	}
}
