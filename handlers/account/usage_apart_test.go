package account_test

import (
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestPracticeCreditsAreShownApart(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	h.AddTask(t, 1, db.Success)
	owner.Get("/usage").Is(200).Hides("not real credits")
	h.Connect(t, "https://service.example")
	owner.Get("/usage").Is(200).Hides("Nothing spent yet").Shows("Practice mode", "not real credits, and not counted above", "Month by month", "Practice, not real credits")
	owner.Get("/tasks/1").Is(200).Shows("Made in practice mode, without real credits.")
	owner.Get("/team/spending").Is(200).Shows("Practice mode: 30 for 1 video, not real credits.", "0 spent this month, no limit")
	owner.Get("/members/1").Is(200).Has("#facts").Shows("30", "0, no limit")

	h.AddTask(t, 1, db.Success)
	h.AddTask(t, 1, db.Success)
	owner.Get("/usage").Is(200).Has(".figure").Shows("60", "Practice mode")
	rows := lines(t, owner.Get("/usage.csv"))
	for i, want := range []string{"practice", "real", "real"} {
		if got := rows[i][len(rows[i])-1]; got != want {
			t.Errorf("video %d was made for %s credits, want %s", i+1, got, want)
		}
	}
}
