package schedule_test

import (
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/schedule"
)

func TestATaskIsSlowAtTwiceTheUsualTime(t *testing.T) {
	sent := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	known := schedule.Usual{Count: 5, Low: 14 * time.Second, High: 23 * time.Second}
	for _, tt := range []struct {
		name  string
		usual schedule.Usual
		state db.State
		after time.Duration
		slow  bool
	}{
		{"within the usual time", known, db.Processing, 23 * time.Second, false},
		{"at twice the usual time", known, db.Processing, 46 * time.Second, false},
		{"past twice the usual time", known, db.Processing, 46*time.Second + 1, true},
		{"waiting at the service", known, db.Pending, time.Minute, true},
		{"done", known, db.Success, time.Hour, false},
		{"too little history", schedule.Usual{Count: 4, High: time.Second}, db.Processing, 10 * time.Minute, false},
		{"too little history, for long", schedule.Usual{Count: 4, High: time.Second}, db.Processing, 10*time.Minute + 1, true},
		{"stated, past twice the time", schedule.Stated(time.Minute, 2*time.Minute), db.Processing, 4*time.Minute + 1, true},
		{"stated, within it", schedule.Stated(time.Minute, 2*time.Minute), db.Processing, 4 * time.Minute, false},
		{"none", schedule.Usual{}, db.Processing, time.Hour, true},
	} {
		task := db.Task{State: tt.state, CreatedAt: sent.Add(-time.Hour), AcceptedAt: sent}
		if got := tt.usual.Slow(task, sent.Add(tt.after)); got != tt.slow {
			t.Errorf("%s: slow %v", tt.name, got)
		}
	}
	if (schedule.Usual{}).Slow(db.Task{State: db.Queued, CreatedAt: sent}, sent.Add(time.Hour)) {
		t.Error("a task that was not sent is slow")
	}
}

// Where queries show the start of making, a video of which none did may have waited long.
func TestTimesAreThoseOfStartsThatWereSeen(t *testing.T) {
	made := []schedule.Made{{Took: 10 * time.Minute}, {Took: 7 * time.Second, Seen: true}, {Took: 5 * time.Second, Seen: true}}
	if got := schedule.TimesOf(made); !slices.Equal(got, []time.Duration{5 * time.Second, 7 * time.Second, 10 * time.Minute}) {
		t.Errorf("with two starts: %v", got)
	}
	made = append(made, made[1], made[2], made[2])
	if got := schedule.TimesOf(made); len(got) != 5 || got[4] != 7*time.Second {
		t.Errorf("with five starts: %v", got)
	}
	if got := schedule.TimesOf(slices.Repeat([]schedule.Made{{Took: time.Minute}}, 9)); len(got) != 9 {
		t.Errorf("of a service that never shows the start: %v", got)
	}
}

func TestTheShareOfTheUsualTimeGrowsButNeverEnds(t *testing.T) {
	sent := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	usual := schedule.Usual{Count: 5, Low: 10 * time.Second, High: 20 * time.Second}
	task := db.Task{State: db.Processing, CreatedAt: sent.Add(-time.Hour), AcceptedAt: sent.Add(-time.Minute), MakingAt: sent}
	for after, want := range map[time.Duration]float64{-time.Second: 0, 0: 0, 5 * time.Second: 0.25, 19 * time.Second: 0.95, time.Hour: 0.95} {
		if got := usual.Share(task, sent.Add(after)); got != want {
			t.Errorf("after %v: %v, want %v", after, got, want)
		}
	}
	if got := (schedule.Usual{Count: 4, High: time.Second}).Share(task, sent.Add(time.Minute)); got != 0 {
		t.Errorf("without history: %v", got)
	}
}
