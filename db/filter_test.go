package db_test

import (
	"testing"
	"time"

	"dailies/db"
)

func TestAListShowsWhatItsViewerMaySee(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		change         func(*db.Task)
		list, bin, all bool // who has it in a list: a colleague, a colleague in the bin, an admin in the bin
		mine, mineBin  bool // and its maker
	}{
		"finished":        {func(*db.Task) {}, true, false, false, true, false},
		"private":         {func(t *db.Task) { t.Private = true }, false, false, false, true, false},
		"failed":          {func(t *db.Task) { t.State = db.Failed }, false, false, false, true, false},
		"deleted":         {func(t *db.Task) { t.DeletedAt = now }, false, false, true, false, true},
		"private deleted": {func(t *db.Task) { t.DeletedAt, t.Private = now, true }, false, false, false, false, true},
		"failed deleted":  {func(t *db.Task) { t.DeletedAt, t.State = now, db.Failed }, false, false, false, false, true},
		"gone for good":   {func(t *db.Task) { t.DeletedAt, t.PurgedAt = now, now }, false, false, false, false, false},
	} {
		task := db.Task{UserID: 1, State: db.Success}
		c.change(&task)
		for what, ask := range map[string]struct {
			filter db.TaskFilter
			want   bool
		}{
			"a colleague's list":  {db.TaskFilter{Viewer: 2}, c.list},
			"a colleague's bin":   {db.TaskFilter{Viewer: 2, Bin: true}, c.bin},
			"an admin's bin":      {db.TaskFilter{Viewer: 2, Bin: true, AllBins: true}, c.all},
			"its maker's list":    {db.TaskFilter{Viewer: 1}, c.mine},
			"its maker's bin":     {db.TaskFilter{Viewer: 1, Bin: true}, c.mineBin},
			"its maker's, admin":  {db.TaskFilter{Viewer: 1, Bin: true, AllBins: true}, c.mineBin},
			"an admin's own list": {db.TaskFilter{Viewer: 1, AllBins: true}, c.mine},
		} {
			if got := ask.filter.MayShow(task); got != ask.want {
				t.Errorf("%s in %s: %t", name, what, got)
			}
		}
	}
}
