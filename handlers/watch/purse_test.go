package watch_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/spending"
)

// A video is submitted in the last minute of a month, in the team's time zone, and
// fails in the next month: its refund belongs to the month of the submission.
func TestARefundGoesToTheMonthOfItsVideo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		zone, err := db.ParseZone("America/New_York")
		must(t, err)
		must(t, b.store.Settings.SetTimeZone(t.Context(), zone.String()))
		must(t, b.store.Limits.SetLimit(t.Context(), 1, spending.Limit{Allowance: spending.Own, Credits: 30}))
		_, err = b.store.Settings.RebuildDays(t.Context(), 100)
		must(t, err)
		press := func(prompt string) (int64, error) {
			tasks, err := b.store.AddTasks(t.Context(), []db.Task{{
				UserID: 1, FormToken: secrets.NewToken(), Scene: "text-to-video", Model: "seedance-2.0", Prompt: prompt, CreatedAt: db.Now(),
				Options: db.Options{Duration: 5, Resolution: "720p", AspectRatio: "16:9"}, Quoted: db.CreditsOf(30), Held: 30,
			}})
			if err != nil {
				return 0, err
			}
			return tasks[0].ID, nil
		}
		room := func(at time.Time) spending.Room {
			r, err := b.store.Limits.Room(t.Context(), 1, at)
			must(t, err)
			return r
		}
		end := time.Date(2000, 2, 1, 0, 0, 0, 0, zone)
		time.Sleep(time.Until(end.Add(-time.Minute)))
		id, err := press("a boat #fail")
		must(t, err)
		var over *spending.Over
		if _, err := press("a kite"); !errors.As(err, &over) || over.Room.Month != 200001 {
			t.Fatalf("a second video of the month: %v", err)
		}
		time.Sleep(2 * time.Minute)
		if was, is := room(end.Add(-time.Second)), room(db.Now()); was.Spent != 30 || is.Spent != 0 || is.Month != 200002 {
			t.Errorf("%g count in January and %g in February", was.Spent, is.Spent)
		}
		b.start(t)
		b.until(t, id, "failed", func(t db.Task) bool { return t.State == db.Failed })
		if was, is := room(end.Add(-time.Second)), room(db.Now()); was.Spent != 0 || is.Spent != 0 {
			t.Errorf("%g count in January and %g in February, after it failed", was.Spent, is.Spent)
		}
		if _, err := press("a kite"); err != nil {
			t.Errorf("the first video of February: %v", err)
		}
	})
}
