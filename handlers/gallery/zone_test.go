package gallery_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/spending"
	"dailies/handlers/handlerstest"
	"dailies/handlers/watch"
)

func TestDaysAreThoseOfTheTeamsTimeZone(t *testing.T) {
	h := handlerstest.New(t)
	admin := h.Founder(t)
	h.Film(t, 1, func(t *db.Task) {
		t.Prompt, t.CreatedAt = "late on the last of October", time.Date(2025, 10, 31, 20, 0, 0, 0, time.UTC)
	})
	admin.Post("/members/zone", url.Values{"zone": {"Berlin"}}).Is(422).Shows("No such time zone.").Has("[value=Berlin]")
	admin.Post("/members/zone", url.Values{"zone": {" "}}).Is(422).Shows("No such time zone.")
	admin.Get("/gallery?until=2025-10-31").Is(200).Shows("late on the last")
	admin.Get("/gallery?from=2025-11-01").Is(200).Hides("late on the last")
	admin.Post("/members/zone", url.Values{"zone": {"Asia/Tokyo"}}).Is(303).LeadsTo("/team/spending#zone-section")
	admin.Get("/team/spending").Is(200).Shows("Time zone changed.").Has(`[value="Asia/Tokyo"]`)
	admin.Get("/gallery?until=2025-10-31").Is(200).Hides("late on the last")
	admin.Get("/gallery?from=2025-11-01").Is(200).Shows("late on the last")
	zone := watch.NewZone(h.Store, h.Config.Log)
	synced, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	must(t, zone.Run(synced))
	usage, err := h.Store.Usage.Spending(t.Context(), spending.Filter{}, spending.ByPerson)
	must(t, err)
	if len(usage) != 1 || db.MonthOf(usage[0].Day) != "2025-11" || usage[0].Videos != 1 {
		t.Errorf("%+v", usage)
	}
}
