package sqlite_test

import (
	"errors"
	"testing"
	"time"

	"dailies/db"
)

func TestRefusedChangeChangesNothing(t *testing.T) {
	s := open(t)
	task := addTask(t, s, addUser(t, s, "Ann").ID, "a kite")
	refused := errors.New("no")
	_, err := s.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		t.Prompt = "changed"
		return refused
	}, db.Answer{Call: "create", At: day})
	if err != refused {
		t.Errorf("error %v", err)
	}
	_, err = s.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { return t.Lose("x", day) })
	wants(t, err, db.ErrConflict)
	got, err := s.Task(t.Context(), task.ID)
	must(t, err)
	same(t, got, task)
	answers, err := s.Answers(t.Context(), task.ID)
	must(t, err)
	same(t, answers, nil)
}

func TestPanicInAChangeBlocksNobody(t *testing.T) {
	s := open(t)
	task := addTask(t, s, addUser(t, s, "Ann").ID, "a kite")
	func() {
		defer func() { _ = recover() }()
		_, _ = s.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { panic("oh") })
	}()
	_, err := s.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { return t.Begin(day) })
	must(t, err)
}

func TestSameFileTwiceIsAConflict(t *testing.T) {
	s := open(t)
	id := addTask(t, s, addUser(t, s, "Ann").ID, "a kite").ID
	bring(t, s, id, db.Success, day)
	keep := func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: "abc", CreatedAt: day}}, false)
	}
	_, err := s.UpdateTask(t.Context(), id, keep)
	must(t, err)
	_, err = s.UpdateTask(t.Context(), id, keep)
	wants(t, err, db.ErrConflict)
}

func TestNewestAnswerIsKeptOfEachCallAndState(t *testing.T) {
	s := open(t)
	id := addTask(t, s, addUser(t, s, "Ann").ID, "a kite").ID
	at := func(n int) time.Time { return day.Add(time.Duration(n) * time.Second) }
	create := db.Answer{TaskID: id, Call: "create", Status: "pending", HTTP: 200, Body: "{}", At: at(0)}
	newest := db.Answer{TaskID: id, Call: "query", Status: "processing", HTTP: 200, Body: `{"n":3}`, At: at(3)}
	broken := db.Answer{TaskID: id, Call: "query", HTTP: 502, Body: "<html>", At: at(2)}
	for _, a := range []db.Answer{
		create, {Call: "query", Status: "processing", HTTP: 200, Body: `{"n":1}`, At: at(1)}, newest, broken,
		{Call: "query", Status: "processing", HTTP: 200, Body: "late", At: at(1)},
	} {
		_, err := s.UpdateTask(t.Context(), id, func(*db.Task) error { return nil }, a)
		must(t, err)
	}
	got, err := s.Answers(t.Context(), id)
	must(t, err)
	same(t, got, []db.Answer{create, broken, newest})
}

func TestUsualComesFromTheSameKind(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	yes, no := true, false
	five := db.Options{Duration: 5, Resolution: "720p", Audio: &yes}
	finish := func(o db.Options, took time.Duration, charged db.Credits, done time.Time) {
		t.Helper()
		task := newTask(u.ID, "x")
		task.Options = o
		_, err := s.AddTask(t.Context(), &task)
		must(t, err)
		_, err = s.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
			return errors.Join(t.Begin(done.Add(-took)), t.Accept(db.Report{Status: "success", Charged: charged}, done, done))
		})
		must(t, err)
	}
	usual, err := s.Usual(t.Context(), "text-to-video", "veo3", five)
	must(t, err)
	same(t, usual, db.Usual{})

	finish(five, time.Hour, db.CreditsOf(99), day.Add(-time.Hour)) // older than the last 50
	for i := range 50 {
		finish(five, time.Duration(i+1)*time.Second, db.CreditsOf(float64(i)), day.Add(time.Duration(i)*time.Minute))
	}
	finish(db.Options{Duration: 10, Resolution: "720p", Audio: &yes}, time.Hour, db.CreditsOf(60), day.Add(2*time.Hour))
	finish(db.Options{Duration: 5, Resolution: "1080p", Audio: &yes}, time.Hour, db.CreditsOf(61), day.Add(2*time.Hour))
	usual, err = s.Usual(t.Context(), "text-to-video", "veo3", five)
	must(t, err)
	same(t, usual, db.Usual{Count: 50, Low: 13 * time.Second, High: 37 * time.Second, LastCost: db.CreditsOf(49)})

	silent := five
	silent.Audio = &no
	usual, err = s.Usual(t.Context(), "text-to-video", "veo3", silent)
	must(t, err)
	if usual.Count != 50 || usual.LastCost.Known {
		t.Errorf("without sound: %+v", usual)
	}
	for _, other := range [][2]string{{"text-to-video", "veo3_fast"}, {"image-to-video", "veo3"}} {
		usual, err = s.Usual(t.Context(), other[0], other[1], five)
		must(t, err)
		same(t, usual, db.Usual{})
	}
	finish(db.Options{}, 10*time.Second, db.CreditsOf(7), day)
	usual, err = s.Usual(t.Context(), "text-to-video", "veo3", db.Options{})
	must(t, err)
	same(t, usual, db.Usual{Count: 1, Low: 10 * time.Second, High: 10 * time.Second, LastCost: db.CreditsOf(7)})
}

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
		_, err := s.AddTask(t.Context(), &task)
		must(t, err)
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
