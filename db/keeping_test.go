package db_test

import (
	"errors"
	"testing"

	"dailies/db"
)

func saving() db.Task {
	return db.Task{State: db.Success, Keeping: db.Saving, Results: []db.Result{clip}, NextAt: noon}
}

func TestExpiredLinkIsAskedForOnceMore(t *testing.T) {
	task := saving()
	must(t, task.Gone(later))
	if !task.Refreshable() || task.Keeping != db.Saving || !task.NextAt.Equal(later) {
		t.Fatalf("got %+v", task)
	}
	fresh := db.Result{Kind: db.Video, URL: "https://example.com/fresh.mp4"}
	must(t, task.Refresh([]db.Result{fresh}, noon))
	if task.Refreshable() || task.Results[0] != fresh || !task.NextAt.Equal(noon) {
		t.Fatalf("got %+v", task)
	}
	must(t, task.Keep([]db.Media{{Kind: db.Video}}, true))
	if task.Keeping != db.Kept || task.Message != "" || task.Blame != db.NoBlame {
		t.Errorf("got %+v", task)
	}
}

func TestWhatIsGoneAfterThatIsLost(t *testing.T) {
	task := saving()
	must(t, task.Gone(later))
	must(t, task.Refresh(nil, noon))
	if len(task.Results) != 1 {
		t.Error("the old address is forgotten")
	}
	must(t, task.Gone(later))
	// Another trouble in between says nothing of the file.
	must(t, task.Stumble(db.BlameService, "down", later))
	for range 4 {
		must(t, task.Gone(later))
		if task.Keeping != db.Saving {
			t.Fatalf("lost too early: %+v", task)
		}
	}
	must(t, task.Gone(later))
	if task.Keeping != db.Lost || task.Message == "" || !task.NextAt.IsZero() || len(task.Results) != 1 {
		t.Errorf("got %+v", task)
	}
}

func TestPersonHasItTriedOnceMore(t *testing.T) {
	task := saving()
	task.RefreshedAt = noon
	must(t, task.LoseFiles("gone"))
	must(t, task.KeepAgain(later))
	if task.Keeping != db.Saving || !task.NextAt.Equal(later) || !task.RefreshedAt.IsZero() || task.Message != "" {
		t.Errorf("got %+v", task)
	}
}

func TestFewerVideosReplaceNone(t *testing.T) {
	task := saving()
	task.Results = []db.Result{clip, clip}
	must(t, task.Refresh([]db.Result{{Kind: db.Video, URL: "https://example.com/other.mp4"}}, noon))
	if len(task.Results) != 2 {
		t.Errorf("got %v", task.Results)
	}
}

func TestOnlyWhatIsBeingSavedIsSaved(t *testing.T) {
	for _, k := range []db.Keeping{db.NothingToKeep, db.Saving, db.Kept, db.Lost} {
		for name, step := range map[string]struct {
			do   func(*db.Task) error
			from db.Keeping
		}{
			"keep":       {func(t *db.Task) error { return t.Keep(nil, true) }, db.Saving},
			"gone":       {func(t *db.Task) error { return t.Gone(later) }, db.Saving},
			"refresh":    {func(t *db.Task) error { return t.Refresh(nil, noon) }, db.Saving},
			"lose":       {func(t *db.Task) error { return t.LoseFiles("gone") }, db.Saving},
			"keep again": {func(t *db.Task) error { return t.KeepAgain(noon) }, db.Lost},
		} {
			task := db.Task{State: db.Success, Keeping: k}
			if err := step.do(&task); (err == nil) != (k == step.from) || err != nil && !errors.Is(err, db.ErrConflict) {
				t.Errorf("%s from %q: got %v", name, k, err)
			}
		}
	}
}

func TestSpaceThatIsLeft(t *testing.T) {
	const giga = 1 << 30
	for _, tt := range []struct {
		space           db.Space
		left            int64
		scarce, bounded bool
	}{
		{db.Space{Used: 5, Free: 100 * giga}, 99 * giga, false, false},
		{db.Space{Used: 5, Free: 3 * giga}, 2 * giga, true, false},
		{db.Space{Used: 5, Free: giga / 2}, 0, true, false},
		{db.Space{Used: 40 * giga, Max: 50 * giga, Free: 100 * giga}, 10 * giga, false, true},
		{db.Space{Used: 46 * giga, Max: 50 * giga, Free: 100 * giga}, 4 * giga, true, true},
		{db.Space{Used: 60 * giga, Max: 50 * giga, Free: 100 * giga}, 0, true, true},
		{db.Space{Used: 1 * giga, Max: 2 * giga, Free: -1}, 1 * giga, false, true},
		{db.Space{Used: 1 * giga, Max: 50 * giga, Free: 3 * giga}, 2 * giga, true, false},
		{db.Space{Free: -1}, 1 << 62, false, false},
		{db.Space{Used: 5 * giga, Max: 10 * giga, Free: -1, Waiting: 1}, 5 * giga, true, true},
	} {
		s := tt.space
		if s.Left() != tt.left || s.Scarce() != tt.scarce || s.Bounded() != tt.bounded {
			t.Errorf("%+v: left %d, scarce %t, bounded %t", s, s.Left(), s.Scarce(), s.Bounded())
		}
	}
}
