package part_test

import (
	"testing"
	"time"

	"dailies/db/schedule"
	"dailies/views/part"
	"dailies/views/storybook"
)

func TestAgoSpeaksLikeAPerson(t *testing.T) {
	for age, want := range map[time.Duration]string{
		-time.Hour:           "just now",
		0:                    "just now",
		44 * time.Second:     "just now",
		50 * time.Second:     "1 min ago",
		3 * time.Minute:      "3 min ago",
		59 * time.Minute:     "59 min ago",
		3599 * time.Second:   "1 h ago",
		100 * time.Minute:    "2 h ago",
		23 * time.Hour:       "23 h ago",
		25 * time.Hour:       "yesterday",
		49 * time.Hour:       "2 days ago",
		6 * 24 * time.Hour:   "6 days ago",
		8 * 24 * time.Hour:   "6 November",
		400 * 24 * time.Hour: "10 October 2025",
	} {
		if got := part.Ago(storybook.Now.Add(-(age)), storybook.Now); got != want {
			t.Errorf("%v ago is %q, want %q", age, got, want)
		}
	}
	if got := part.Ago(time.Time{}, storybook.Now); got != "never" {
		t.Errorf("the zero time is %q", got)
	}
}

func TestDurationGivesTheTwoLargestUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second:                   "0 s",
		400 * time.Millisecond:         "0 s",
		48 * time.Second:               "48 s",
		time.Minute:                    "1 min",
		125 * time.Second:              "2 min 5 s",
		time.Hour:                      "1 h",
		time.Hour + 3*time.Minute + 20: "1 h 3 min",
	} {
		if got := part.Duration(d); got != want {
			t.Errorf("%v took %q, want %q", d, got, want)
		}
	}
}

func TestUsuallyNeedsHistory(t *testing.T) {
	for _, c := range []struct {
		usual schedule.Usual
		want  string
	}{
		{schedule.Usual{Count: 4, Low: time.Minute, High: 2 * time.Minute}, ""},
		{schedule.Usual{Count: 5}, ""},
		{schedule.Usual{Count: 5, Low: 130 * time.Second, High: 230 * time.Second}, "usually 2–4 min"},
		{schedule.Usual{Count: 5, Low: 20 * time.Second, High: 100 * time.Second}, "usually 1–2 min"},
		{schedule.Usual{Count: 9, Low: 2 * time.Minute, High: 2 * time.Minute}, "usually 2 min"},
		{schedule.Usual{Count: 9, Low: 12 * time.Second, High: 29500 * time.Millisecond}, "usually 12–30 s"},
		{schedule.Stated(time.Minute, 4*time.Minute), "usually 1–4 min"},
		{schedule.Stated(0, 0), ""},
	} {
		if got := part.Usually(c.usual); got != c.want {
			t.Errorf("%+v: %q, want %q", c.usual, got, c.want)
		}
	}
}

// Between two times that AgoUntil names, Ago says the same.
func TestAgoUntilNamesTheNextChange(t *testing.T) {
	at := time.Date(2026, time.December, 20, 9, 30, 1, 0, time.UTC)
	changes := 0
	for now := at.Add(-time.Hour); now.Before(at.Add(30 * 24 * time.Hour)); changes++ {
		until := part.AgoUntil(at, now)
		if until.IsZero() {
			break
		}
		if !until.After(now) {
			t.Fatalf("after %v the next change is at %v", now.Sub(at), until.Sub(at))
		}
		said := part.Ago(at, now)
		for i := range 50 {
			between := now.Add(until.Sub(now) * time.Duration(i) / 50)
			if got := part.Ago(at, between); got != said {
				t.Fatalf("after %v it is %q, but after %v, before %v, %q", now.Sub(at), said, between.Sub(at), until.Sub(at), got)
			}
		}
		if got := part.Ago(at, until); got == said {
			t.Errorf("after %v it is still %q", until.Sub(at), said)
		}
		now = until
	}
	if changes < 60+23+7 {
		t.Errorf("%d changes", changes)
	}
	if until := part.AgoUntil(time.Time{}, at); !until.IsZero() {
		t.Errorf("never is said until %v", until)
	}
}
