package account_test

import (
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/team"
	"dailies/handlers/handlerstest"
)

// connect makes the team leave practice mode.
func connect(t *testing.T, h *handlerstest.Server) {
	t.Helper()
	was, err := h.Store.Services.Start(t.Context(), "", "http://practice.invalid", db.Now())
	must(t, err)
	h.AddTask(t, 1, db.Success)
	k := &team.Key{Name: "Real", Key: secrets.Key{LastFour: "1a2b", Fingerprint: []byte("x"), CreatedAt: db.Now()}}
	must(t, h.Store.Services.Connect(t.Context(), was.ID, "https://service.example", k, func(secrets.KeyOwner) []byte { return []byte("x") }))
}

func TestPracticeCreditsAreShownApart(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	connect(t, h)
	owner.Get("/usage").Is(200).Hides("Nothing spent yet").Shows("Practice mode", "not real credits, and not counted above", "Month by month")
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
