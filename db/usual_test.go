package db_test

import (
	"testing"
	"time"

	"dailies/db"
)

func TestATaskIsSlowAtTwiceTheUsualTime(t *testing.T) {
	sent := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	known := db.Usual{Count: 3, Low: 14 * time.Second, High: 23 * time.Second}
	for _, tt := range []struct {
		name  string
		usual db.Usual
		state db.State
		after time.Duration
		slow  bool
	}{
		{"within the usual time", known, db.Processing, 23 * time.Second, false},
		{"at twice the usual time", known, db.Processing, 46 * time.Second, false},
		{"past twice the usual time", known, db.Processing, 46*time.Second + 1, true},
		{"waiting at the service", known, db.Pending, time.Minute, true},
		{"done", known, db.Success, time.Hour, false},
		{"too little history", db.Usual{Count: 2, High: time.Second}, db.Processing, 10 * time.Minute, false},
		{"too little history, for long", db.Usual{Count: 2, High: time.Second}, db.Processing, 10*time.Minute + 1, true},
		{"none", db.Usual{}, db.Processing, time.Hour, true},
	} {
		task := db.Task{State: tt.state, CreatedAt: sent.Add(-time.Hour), SentAt: sent}
		if got := tt.usual.Slow(task, sent.Add(tt.after)); got != tt.slow {
			t.Errorf("%s: slow %v", tt.name, got)
		}
	}
	if (db.Usual{}).Slow(db.Task{State: db.Queued, CreatedAt: sent}, sent.Add(time.Hour)) {
		t.Error("a task that was not sent is slow")
	}
}

func TestTheShareOfTheUsualTimeGrowsButNeverEnds(t *testing.T) {
	sent := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	usual := db.Usual{Count: 3, Low: 10 * time.Second, High: 20 * time.Second}
	task := db.Task{State: db.Processing, CreatedAt: sent.Add(-time.Minute), SentAt: sent}
	for after, want := range map[time.Duration]float64{-time.Second: 0, 0: 0, 5 * time.Second: 0.25, 19 * time.Second: 0.95, time.Hour: 0.95} {
		if got := usual.Share(task, sent.Add(after)); got != want {
			t.Errorf("after %v: %v, want %v", after, got, want)
		}
	}
	if got := (db.Usual{Count: 2, High: time.Second}).Share(task, sent.Add(time.Minute)); got != 0 {
		t.Errorf("without history: %v", got)
	}
}

func TestAnEstimateComesFromTheVideosMostAlike(t *testing.T) {
	var next int64
	charges := func(scene, options bool, amounts ...float64) (all []db.Charge) {
		for _, a := range amounts {
			next++
			all = append(all, db.Charge{TaskID: next, Credits: a, SameScene: scene, SameOptions: options})
		}
		return all
	}
	join := func(parts ...[]db.Charge) (all []db.Charge) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	many := make([]float64, 30)
	for i := range many {
		many[i] = float64(i + 1)
	}
	for _, tt := range []struct {
		name    string
		charges []db.Charge
		want    db.Estimate
	}{
		{"no history", nil, db.Estimate{}},
		{"enough of the same", join(charges(true, true, 26, 22, 24), charges(false, true, 90), charges(true, false, 80)), db.Estimate{db.CreditsOf(24), 22, 26, 3, false}},
		{"the newest of the same", charges(true, true, 90, 22, 23, 26, 25, 24), db.Estimate{db.CreditsOf(24), 22, 26, 5, false}},
		{"a price that rose", charges(true, true, 30, 45), db.Estimate{db.CreditsOf(45), 30, 45, 2, false}},
		{"few of the same, more of other scenes", join(charges(true, true, 20, 21), charges(false, true, 24, 25), charges(true, false, 80)), db.Estimate{db.CreditsOf(24), 20, 25, 4, false}},
		{"one of other scenes", join(charges(false, true, 24), charges(true, false, 80, 81, 82)), db.Estimate{db.CreditsOf(24), 24, 24, 1, false}},
		{"other options alone", join(charges(true, false, 10, 60), charges(false, false, 30)), db.Estimate{db.CreditsOf(30), 10, 60, 3, true}},
		{"many with other options", charges(true, false, many...), db.Estimate{db.CreditsOf(21), 11, 30, 20, true}},
		{"one free video", charges(true, true, 0), db.Estimate{db.CreditsOf(0), 0, 0, 1, false}},
	} {
		if got := db.EstimateOf(tt.charges); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
