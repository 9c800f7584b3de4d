package store_test

import (
	"errors"
	"testing"
	"time"

	"dailies/db"
)

func TestUsualComesFromTheSameKind(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	yes, no := true, false
	five := db.Options{Duration: 5, Resolution: "720p", Audio: &yes}
	finish := func(o db.Options, took time.Duration, charged db.Credits, done time.Time) {
		t.Helper()
		task := newTask(u.ID, "x")
		task.Options = o
		queue(t, s, &task)
		_, err := s.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
			return errors.Join(t.Begin(done.Add(-took)), t.Accept(db.Report{}, done, done),
				t.Report(db.Report{Status: "success", Charged: charged}, done, done))
		})
		must(t, err)
	}
	usual, err := s.Usual(t.Context(), "text-to-video", "veo3", five)
	must(t, err)
	same(t, usual, db.Usual{})

	finish(five, time.Hour, db.CreditsOf(99), day.Add(-time.Hour)) // older than the last 50
	for i := range 50 {
		finish(five, time.Duration(i+1)*time.Second, db.CreditsOf(float64(i)), day.Add(time.Duration(i)*time.Minute))
	}
	finish(db.Options{Duration: 10, Resolution: "720p", Audio: &yes}, time.Hour, db.CreditsOf(60), day.Add(2*time.Hour))
	finish(db.Options{Duration: 5, Resolution: "1080p", Audio: &yes}, time.Hour, db.CreditsOf(61), day.Add(2*time.Hour))
	usual, err = s.Usual(t.Context(), "text-to-video", "veo3", five)
	must(t, err)
	same(t, usual, db.Usual{Count: 50, Low: 13 * time.Second, High: 37 * time.Second, LastCost: db.CreditsOf(49)})

	silent := five
	silent.Audio = &no
	usual, err = s.Usual(t.Context(), "text-to-video", "veo3", silent)
	must(t, err)
	if usual.Count != 50 || usual.LastCost.Known {
		t.Errorf("without sound: %+v", usual)
	}
	for _, other := range [][2]string{{"text-to-video", "veo3_fast"}, {"image-to-video", "veo3"}} {
		usual, err = s.Usual(t.Context(), other[0], other[1], five)
		must(t, err)
		same(t, usual, db.Usual{})
	}
	finish(db.Options{}, 10*time.Second, db.CreditsOf(7), day)
	usual, err = s.Usual(t.Context(), "text-to-video", "veo3", db.Options{})
	must(t, err)
	same(t, usual, db.Usual{Count: 1, Low: 10 * time.Second, High: 10 * time.Second, LastCost: db.CreditsOf(7)})
}

// What a video costs is known as soon as one was taken, whatever becomes of it.
func TestTheLastCostComesFromUnfinishedVideosToo(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	cost := func(status string, charged db.Credits) db.Credits {
		t.Helper()
		step(t, s, u.ID, begin, func(t *db.Task) error {
			answer := db.Report{RemoteID: "r", Status: status, Charged: charged}
			return errors.Join(t.Accept(answer, day, day), t.Report(answer, day, day))
		})
		usual, err := s.Usual(t.Context(), "text-to-video", "veo3", newTask(u.ID, "x").Options)
		must(t, err)
		return usual.LastCost
	}
	for _, tt := range []struct {
		status        string
		charged, last db.Credits
	}{
		{"success", db.Credits{}, db.Credits{}},
		{"pending", db.CreditsOf(40), db.CreditsOf(40)},
		{"failed", db.CreditsOf(42), db.CreditsOf(42)},
		{"failed", db.CreditsOf(0), db.CreditsOf(42)}, // that is a refund, and no price
		{"success", db.CreditsOf(0), db.CreditsOf(0)},
	} {
		if got := cost(tt.status, tt.charged); got != tt.last {
			t.Errorf("after %s for %v: %v, want %v", tt.status, tt.charged, got, tt.last)
		}
	}
}
