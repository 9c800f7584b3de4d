package db_test

import (
	"testing"
	"time"

	"dailies/db"
)

func TestWhoMaySeeATask(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		change            func(*db.Task)
		list, page, admin bool // who sees it: a colleague in a list and on its page, an admin in the bin
		mine, mineBin     bool // and its maker
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
			"the team":           {task.OfTeam(), c.page},
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
