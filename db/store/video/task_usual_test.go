package video_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/db/store/suite"
)

// kind returns a task of the kind, as an argument for Usual and Estimate.
func kind(scene, model string, o db.Options) db.Task {
	return db.Task{Scene: scene, Model: model, Options: o}
}

func TestUsualComesFromTheSameKind(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	yes, no := true, false
	five := db.Options{Duration: 5, Resolution: "720p", Audio: &yes}
	usual := func(scene, model string, o db.Options) schedule.Usual {
		t.Helper()
		usual, err := s.Tasks.Usual(t.Context(), kind(scene, model, o))
		must(t, err)
		return usual
	}
	suite.Same(t, usual("text-to-video", "veo3", five), schedule.Usual{})

	suite.FinishTask(t, s, u.ID, five, time.Hour, db.Credits{}, suite.Day.Add(-time.Hour)) // older than the last 50
	for i := range 50 {
		suite.FinishTask(t, s, u.ID, five, time.Duration(i+1)*time.Second, db.Credits{}, suite.Day.Add(time.Duration(i)*time.Minute))
	}
	suite.FinishTask(t, s, u.ID, db.Options{Duration: 10, Resolution: "720p", Audio: &yes}, time.Hour, db.Credits{}, suite.Day.Add(2*time.Hour))
	suite.FinishTask(t, s, u.ID, db.Options{Duration: 5, Resolution: "1080p", Audio: &yes}, time.Hour, db.Credits{}, suite.Day.Add(2*time.Hour))
	fifty := schedule.Usual{Count: 50, Low: 13 * time.Second, High: 37 * time.Second}
	suite.Same(t, usual("text-to-video", "veo3", five), fifty)
	suite.Same(t, usual("text-to-video", "veo3", db.Options{Duration: 5, Resolution: "720p", Audio: &no}), fifty)
	suite.Same(t, usual("text-to-video", "veo3_fast", five), schedule.Usual{})
	suite.Same(t, usual("image-to-video", "veo3", five), schedule.Usual{})
	suite.FinishTask(t, s, u.ID, db.Options{}, 10*time.Second, db.Credits{}, suite.Day)
	suite.Same(t, usual("text-to-video", "veo3", db.Options{}), schedule.Usual{Count: 1, Low: 10 * time.Second, High: 10 * time.Second})
}

func TestEstimateUsesTheNewestCharges(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	yes, no := true, false
	five := db.Options{Duration: 5, Resolution: "720p", Audio: &yes}
	estimate := func(scene, model string, o db.Options) ordering.Estimate {
		t.Helper()
		e, err := s.Tasks.Estimate(t.Context(), kind(scene, model, o))
		must(t, err)
		return e
	}
	cost := func(amount float64, o db.Options) {
		suite.FinishTask(t, s, u.ID, o, time.Second, db.CreditsOf(amount), suite.Day)
	}
	suite.Same(t, estimate("text-to-video", "veo3", five), ordering.Estimate{})

	cost(60, db.Options{Duration: 10, Resolution: "720p", Audio: &yes})
	cost(20, db.Options{Duration: 5, Resolution: "720p", Audio: &no})
	cost(40, db.Options{Duration: 5, Resolution: "1080p", Audio: &yes})
	cost(38, db.Options{Duration: 5, Resolution: "1080p"})
	loose := ordering.Estimate{Typical: db.CreditsOf(40), Low: 20, High: 60, Count: 4, Loose: true}
	suite.Same(t, estimate("text-to-video", "veo3", five), loose)
	suite.Same(t, estimate("image-to-video", "veo3", five), loose)
	suite.Same(t, estimate("text-to-video", "veo3_fast", five), ordering.Estimate{})

	cost(90, five)
	suite.Same(t, estimate("image-to-video", "veo3", five), ordering.Estimate{Typical: db.CreditsOf(90), Low: 90, High: 90, Count: 1})
	for _, amount := range []float64{26, 22, 24, 23, 25} {
		cost(amount, five)
	}
	newest := ordering.Estimate{Typical: db.CreditsOf(24), Low: 22, High: 26, Count: 5}
	suite.Same(t, estimate("text-to-video", "veo3", five), newest)
	suite.Same(t, estimate("image-to-video", "veo3", five), newest) // because none was made in that scene

	silent := five
	silent.Audio = &no
	suite.Same(t, estimate("text-to-video", "veo3", silent), ordering.Estimate{Typical: db.CreditsOf(20), Low: 20, High: 20, Count: 1})
}

// The price is known as soon as the service has accepted a video, whatever becomes
// of it.
func TestAnEstimateIsMadeOfUnfinishedVideosToo(t *testing.T) {
	for _, tt := range []struct {
		status  string
		charged db.Credits
		want    db.Credits
	}{
		{"success", db.Credits{}, db.Credits{}},
		{"pending", db.CreditsOf(40), db.CreditsOf(40)},
		{"failed", db.CreditsOf(42), db.CreditsOf(42)},
		{"failed", db.CreditsOf(0), db.Credits{}}, // this is a refund, not a price
		{"success", db.CreditsOf(0), db.CreditsOf(0)},
	} {
		s := suite.Open(t)
		suite.AddTaskWith(t, s, suite.AddUser(t, s, "Ann").ID, suite.Begin, func(t *db.Task) error {
			answer := db.Report{RemoteID: "r", Status: tt.status, Charged: tt.charged}
			return errors.Join(t.Accept(answer, suite.Day, suite.Day), t.Report(answer, suite.Day, suite.Day))
		})
		e, err := s.Tasks.Estimate(t.Context(), kind("text-to-video", "veo3", suite.NewTask(1, "x").Options))
		must(t, err)
		if e.Typical != tt.want {
			t.Errorf("after %s for %v: %v, want %v", tt.status, tt.charged, e.Typical, tt.want)
		}
	}
}

// Prices and times that one service has shown say nothing about another.
func TestEachServiceHasItsOwnPricesAndTimes(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	practice := suite.StartService(t, s, "", suite.PracticeAddress)
	five := db.Options{Duration: 5}
	of := kind("text-to-video", "veo3", five)
	past := func(of db.Task, credits db.Credits, usual, took time.Duration) {
		t.Helper()
		e, err := s.Tasks.Estimate(t.Context(), of)
		must(t, err)
		suite.Same(t, e.Typical, credits)
		u, err := s.Tasks.Usual(t.Context(), of)
		must(t, err)
		suite.Same(t, u.Low, usual)
		done, _, err := s.Tasks.Took(t.Context(), of, suite.Day)
		must(t, err)
		suite.Same(t, fmt.Sprint(done), fmt.Sprint([]time.Duration{took}[:min(1, int(took))]))
	}
	for range ordering.EnoughCharges {
		suite.FinishTask(t, s, ann, five, time.Second, db.CreditsOf(10), suite.Day)
	}
	one := suite.Connect(t, s, "https://one.example", "one")
	past(of, db.Credits{}, 0, 0)
	suite.FinishTask(t, s, ann, five, time.Minute, db.CreditsOf(90), suite.Day)
	past(of, db.CreditsOf(90), time.Minute, time.Minute)
	suite.AddTaskWith(t, s, ann, suite.Begin, func(t *db.Task) error {
		return t.Accept(db.Report{RemoteID: "r", Status: "pending"}, suite.Day, suite.Day)
	})
	running := func(of db.Task) int {
		t.Helper()
		_, running, err := s.Tasks.Took(t.Context(), of, suite.Day)
		must(t, err)
		return len(running)
	}
	other := kind("text-to-video", "veo3", suite.NewTask(ann, "x").Options)
	suite.Same(t, running(other), 1)
	suite.Practise(t, s)
	suite.Same(t, running(other), 0)
	// What runs at another service than the team's takes as long as is usual there.
	of.ServiceID = one.ID
	past(of, db.CreditsOf(90), time.Minute, time.Minute)
	of.ServiceID = practice.ID
	e, err := s.Tasks.Estimate(t.Context(), of)
	must(t, err)
	suite.Same(t, e.Typical, db.CreditsOf(10))
}
