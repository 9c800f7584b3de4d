package schedule_test

import (
	"testing"
	"time"

	"dailies/db/schedule"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

// A tick is one call of Clock.Tick: what the machine's clock shows, counted from
// noon, and how long the program has run since the tick before.
type tick struct{ now, passed time.Duration }

func TestAJumpOfTheClockIsNotBelievedAtOnce(t *testing.T) {
	const day, month, step = 24 * time.Hour, 31 * 24 * time.Hour, 10 * time.Minute
	running := func(from time.Duration, hours int) (ticks []tick) {
		for range hours * 6 {
			from += step
			ticks = append(ticks, tick{from, step})
		}
		return ticks
	}
	for name, tt := range map[string]struct {
		ticks []tick
		due   time.Duration // counted from noon
	}{
		"it goes as it should":        {running(0, 48), 2 * day},
		"a month ahead":               {[]tick{{month, step}}, step},
		"a day ahead":                 {[]tick{{day, 0}}, 0},
		"ahead for five hours":        {append([]tick{{month, 0}}, running(month, 5)...), 5 * time.Hour},
		"ahead for seven hours":       {append([]tick{{month, 0}}, running(month, 7)...), month + 7*time.Hour},
		"ahead, and right again":      {append(append([]tick{{month, 0}}, running(month, 5)...), running(5*time.Hour, 1)...), 6 * time.Hour},
		"ahead, and further":          {append(append([]tick{{day, 0}}, running(day, 5)...), append([]tick{{month, 0}}, running(month, 2)...)...), day + 7*time.Hour},
		"started again and again":     {[]tick{{month, 0}, {month + step, 0}, {month + 2*step, 0}, {month + 9*day, 0}}, 0},
		"off for a month, in pieces":  {append(append([]tick{{month, 0}}, running(month, 4)...), append([]tick{{month + day, 0}}, running(month+day, 3)...)...), month + 6*time.Hour + time.Hour},
		"a month behind":              {[]tick{{-month, step}}, -month},
		"behind, and right again":     {append(append([]tick{{-month, 0}}, running(-month, 9)...), tick{9 * time.Hour, 0}), -month + 9*time.Hour},
		"a little off, as clocks are": {[]tick{{30 * time.Minute, 0}, {step, step}}, step},
	} {
		t.Run(name, func(t *testing.T) {
			c, last := schedule.Clock{Trusted: noon}, time.Duration(0)
			for _, tick := range tt.ticks {
				c, last = c.Tick(noon.Add(tick.now), tick.passed), tick.now
			}
			if due := c.Due(noon.Add(last)).Sub(noon); due != tt.due {
				t.Errorf("what was due %v after noon is deleted, want %v", due, tt.due)
			}
		})
	}
}

func TestDeletionWaitsItsFullTimeWhenTheClockIsBehind(t *testing.T) {
	c := schedule.Clock{Trusted: noon}.Tick(noon, 0)
	behind := noon.AddDate(-1, 0, 0)
	for range 10 { // long enough for the clock to be trusted
		if c = c.Tick(behind, time.Hour); !c.Since(behind).After(noon.Add(-time.Second)) {
			t.Errorf("written down as %v", c.Since(behind))
		}
		behind = behind.Add(time.Hour)
	}
	if at := c.Since(noon.AddDate(0, 0, 2)); !at.Equal(noon.AddDate(0, 0, 2)) {
		t.Errorf("written down as %v", at)
	}
}
