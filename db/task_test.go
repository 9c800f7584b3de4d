package db_test

import (
	"testing"
	"time"

	"dailies/db"
)

func TestFinishedVideosAreTheTeams(t *testing.T) {
	for _, s := range db.States() {
		task := db.Task{UserID: 1, State: s}
		if !task.VisibleTo(1) {
			t.Errorf("%s: its maker does not see it", s)
		}
		if task.VisibleTo(2) != (s == db.Success) {
			t.Errorf("%s: somebody else sees it: %t", s, task.VisibleTo(2))
		}
	}
}

func TestElapsedStopsAtTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		task db.Task
		want time.Duration
	}{
		"running":             {db.Task{CreatedAt: noon}, time.Minute},
		"done":                {db.Task{CreatedAt: noon, DoneAt: noon.Add(time.Second)}, time.Second},
		"from a clock ahead":  {db.Task{CreatedAt: later.Add(time.Hour)}, 0},
		"done before its day": {db.Task{CreatedAt: noon, DoneAt: noon.Add(-time.Second)}, 0},
	} {
		if got := c.task.Elapsed(later); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestFirstVideoAndCover(t *testing.T) {
	task := db.Task{Files: db.Files{Media: []db.Media{{ID: 1, Kind: db.Cover}, {ID: 2, Kind: db.Video}, {ID: 3, Kind: db.Video}}}}
	if m, ok := task.Video(); !ok || m.ID != 2 {
		t.Errorf("video %v, %t", m.ID, ok)
	}
	if m, ok := task.Cover(); !ok || m.ID != 1 {
		t.Errorf("cover %v, %t", m.ID, ok)
	}
	if _, ok := (db.Task{}).Video(); ok {
		t.Error("a task without media has a video")
	}
}

func TestCreditsReadPlainly(t *testing.T) {
	for want, c := range map[string]db.Credits{
		"not known": {}, "0": db.CreditsOf(0), "30": db.CreditsOf(30), "0.5": db.CreditsOf(0.5), "1234567.25": db.CreditsOf(1234567.25),
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNowHasTheStoredPrecision(t *testing.T) {
	now := db.Now()
	if now.Location() != time.UTC || !now.Equal(time.UnixMilli(now.UnixMilli())) {
		t.Errorf("%v has more than is kept", now)
	}
}

func TestWhoMaySeeATask(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		change            func(*db.Task)
		list, page, admin bool // who sees it: a colleague in a list and on its page, an admin in the bin
		mine, mineBin     bool // and its maker, in a list and in the bin
	}{
		"finished":        {func(*db.Task) {}, true, true, false, true, false},
		"private":         {func(t *db.Task) { t.Private = true }, false, false, false, true, false},
		"failed":          {func(t *db.Task) { t.State = db.Failed }, false, false, false, true, false},
		"deleted":         {func(t *db.Task) { t.DeletedAt = now }, false, false, true, false, true},
		"private deleted": {func(t *db.Task) { t.DeletedAt, t.Private = now, true }, false, false, false, false, true},
		"failed deleted":  {func(t *db.Task) { t.DeletedAt, t.State = now, db.Failed }, false, false, false, false, true},
		"gone for good":   {func(t *db.Task) { t.DeletedAt, t.PurgedAt = now, now }, false, false, false, false, false},
	} {
		task := db.Task{UserID: 1, State: db.Success}
		c.change(&task)
		binned := !task.DeletedAt.IsZero() && task.PurgedAt.IsZero()
		for what, got := range map[string][2]bool{
			"a colleague's list": {task.ListedFor(2), c.list},
			"a colleague":        {task.VisibleTo(2), c.page},
			"the team":           {task.VisibleTo(99), c.page},
			"an admin's bin":     {binned && task.DeletableBy(db.User{ID: 2, Role: db.Admin}), c.admin},
			"its maker's list":   {task.ListedFor(1), c.mine},
			"its maker":          {task.VisibleTo(1), c.mine || c.mineBin},
			"its maker's bin":    {binned && task.DeletableBy(db.User{ID: 1}), c.mineBin},
		} {
			if got[0] != got[1] {
				t.Errorf("%s for %s: %t", name, what, got[0])
			}
		}
	}
}

func TestAgainIsTheSameRecipeAndNothingElse(t *testing.T) {
	yes := true
	old := db.Task{
		ID: 7, UserID: 3, FormToken: "x", Request: db.Request{Scene: "image-to-video", Model: "veo3", Prompt: "a boat", Provider: "p",
			Pictures: []string{"https://example.com/a.png"}, Options: db.Options{Duration: 5, Audio: &yes}},
		State: db.Failed, RemoteID: "r", Message: "no", Charged: paid, DoneAt: noon, Files: db.Files{Results: []db.Result{clip}},
		RecipeID: 5, Private: true, Starred: true, Batch: "b", Tags: []string{"x"},
	}
	again := old.Again("retry 7", noon.Add(time.Hour))
	if again.ID != 0 || again.RemoteID != "" || again.Message != "" || again.Charged.Known || !again.DoneAt.IsZero() || again.Results != nil ||
		again.State != db.Queued || again.FormToken != "retry 7" || !again.CreatedAt.Equal(noon.Add(time.Hour)) {
		t.Errorf("it brings along %+v", again)
	}
	if again.UserID != 3 || again.Scene != old.Scene || again.Model != old.Model || again.Prompt != old.Prompt || again.Provider != "p" ||
		len(again.Pictures) != 1 || again.Options != old.Options || again.RecipeID != 5 || !again.Private {
		t.Errorf("it lacks something: %+v", again)
	}
	if again.ParentID != 7 || again.Reuse != db.Retried || again.Batch != "" || again.Starred || again.Tags != nil {
		t.Errorf("it belongs to %+v", again)
	}
	if silent := again.Options.Silent(); silent.HasSound() || !old.Options.HasSound() || silent.Duration != 5 || (db.Options{}).HasSound() {
		t.Errorf("silent it is %+v", silent)
	}
}
