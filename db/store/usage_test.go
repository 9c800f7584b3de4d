package store_test

import (
	"testing"
	"time"

	"dailies/db"
)

func TestUsageIsCountedByPersonAndMonth(t *testing.T) {
	s := open(t)
	bo, ann := addUser(t, s, "Bo"), addUser(t, s, "Ann")
	for _, c := range []struct {
		user  int64
		state db.State
		at    time.Time
	}{
		{ann.ID, db.Success, time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)},
		{ann.ID, db.Failed, time.Date(2026, 10, 31, 23, 59, 59, 999e6, time.UTC)},
		{ann.ID, db.Success, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)},
		{ann.ID, db.Rejected, time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)},
		{bo.ID, db.Success, time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)},
		{bo.ID, db.Success, time.Date(2025, 11, 3, 0, 0, 0, 0, time.UTC)},
	} {
		task := newTask(c.user, "x")
		task.CreatedAt = c.at
		queue(t, s, &task)
		bring(t, s, task.ID, c.state, c.at)
	}
	since := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	annNov := db.Usage{Month: "2026-11", UserID: ann.ID, UserName: "Ann", Videos: 1, Tasks: 2, Charged: 30}
	boNov := db.Usage{Month: "2026-11", UserID: bo.ID, UserName: "Bo", Videos: 1, Tasks: 1, Charged: 30}
	annOct := db.Usage{Month: "2026-10", UserID: ann.ID, UserName: "Ann", Videos: 1, Tasks: 2, Charged: 60, Returned: 30}
	everybody, err := s.Usage(t.Context(), 0, since)
	must(t, err)
	same(t, everybody, []db.Usage{annNov, boNov, annOct})
	mine, err := s.Usage(t.Context(), ann.ID, since.Add(time.Millisecond))
	must(t, err)
	annOct.Videos, annOct.Tasks, annOct.Charged = 0, 1, 30
	same(t, mine, []db.Usage{annNov, annOct})
}
