package video_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/schedule"
	"dailies/db/store/suite"
)

func TestTaskIsReadBackWhole(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	yes, no, seed := true, false, int64(-1)<<62
	want := db.Task{
		UserID: u.ID, FormToken: "form", Request: db.Request{Scene: "frames-to-video", Model: "bytedance/v1", Prompt: "“Ünïcödé” <b>&\n",
			Provider: "p",
			Pictures: []string{"https://example.com/1?a=b&c=d", "https://example.com/2"},
			Options: db.Options{Duration: 5, AspectRatio: "16:9", Resolution: "720p", CameraFixed: &yes, Seed: &seed,
				SafetyChecker: &no, Audio: &yes}},
		Quoted: db.CreditsOf(29.5), Reserved: 29.5, CreatedAt: suite.Day, NextAt: suite.Day.Add(time.Minute),
	}
	added := want
	suite.Queue(t, s, &added)
	want.ID, want.UserName, want.PayerID, want.ServiceID, want.State = added.ID, "Ann", u.ID, 1, db.Queued
	suite.Same(t, added, want)

	want.State, want.Status, want.RemoteID, want.UpstreamID = db.Failed, "failed", "r", "u"
	want.Progress, want.Message, want.ErrorKind = 0.25, "why", db.KeyError
	want.Charged, want.Returned = db.CreditsOf(0), db.CreditsOf(0.125)
	want.SentAt, want.AcceptedAt, want.DoneAt = suite.Day.Add(1e9), suite.Day.Add(2e9), suite.Day.Add(3e9)
	want.ReturnedAt, want.DecidedAt, want.NextAt = suite.Day.Add(4e9), suite.Day.Add(5e9), time.Time{}
	want.RefreshedAt = suite.Day.Add(6e9)
	want.Results, want.Keeping = []db.Result{{Kind: db.Video, URL: "https://example.com/v"}}, db.Lost
	want.Queries, want.Attempts, want.Prompt = 3, 4, "another"
	want.Media = []db.Media{
		{Kind: db.Video, Position: 1, Hash: "abc", Type: "video/mp4", Size: 1 << 40, Source: "https://example.com/v", CreatedAt: suite.Day},
		{Kind: db.Cover, Hash: "def", Type: "image/png", Size: 1, CreatedAt: suite.Day},
	}
	got, err := s.Tasks.UpdateTask(t.Context(), want.ID, func(t *db.Task) error { *t = want; return nil })
	must(t, err)
	for i := range want.Media {
		if want.Media[i].ID = got.Media[i].ID; want.Media[i].ID == 0 {
			t.Error("a file has no ID")
		}
		want.Media[i].TaskID = want.ID
	}
	suite.Same(t, got, want)
	got, err = s.Tasks.Task(t.Context(), want.ID)
	must(t, err)
	suite.Same(t, got, want)
	m, task, err := s.Files.Media(t.Context(), want.Media[1].ID)
	must(t, err)
	suite.Same(t, m, want.Media[1])
	// Of the task, Media returns only what decides who may see it.
	suite.Same(t, task, db.Task{
		ID: want.ID, UserID: want.UserID, State: want.State, Private: want.Private, DeletedAt: want.DeletedAt,
		PurgedAt: want.PurgedAt,
	})
}

func TestOneFormMakesOneTask(t *testing.T) {
	s := suite.Open(t)
	u, other := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	form := suite.NewTask(u.ID, "a kite")
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			added, err := s.AddTasks(t.Context(), []db.Task{form})
			if err != nil || len(added) != 1 || added[0].ID != 1 || added[0].Prompt != "a kite" {
				t.Error(added, err)
			}
		})
	}
	all.Wait()
	if n, err := s.Tasks.Running(t.Context(), u.ID); n != 1 || err != nil {
		t.Errorf("%d are there, %v", n, err)
	}
	suite.Bring(t, s, 1, db.Failed, suite.Day)
	later := form
	if suite.Queue(t, s, &later); later.ID != 1 || later.State != db.Failed {
		t.Errorf("later: %d is %s", later.ID, later.State)
	}
	form.UserID = other.ID
	if suite.Queue(t, s, &form); form.ID == 1 || form.UserID != other.ID {
		t.Errorf("another person's form made %d", form.ID)
	}
}

func TestTaskNeedsAFormAndAPerson(t *testing.T) {
	s := suite.Open(t)
	task := suite.NewTask(suite.AddUser(t, s, "Ann").ID, "x")
	task.FormToken = ""
	if _, err := s.AddTasks(t.Context(), []db.Task{task}); err == nil {
		t.Error("a task without a form token was added: pressing twice would pay twice")
	}
	_, err := s.AddTasks(t.Context(), []db.Task{suite.NewTask(99, "x")})
	suite.Wants(t, err, db.ErrNotFound)
}

func TestUnknownTaskIsNotFound(t *testing.T) {
	s := suite.Open(t)
	_, err := s.Tasks.Task(t.Context(), 7)
	suite.Wants(t, err, db.ErrNotFound)
	if err.Error() != "task 7: not found" {
		t.Errorf("%q", err)
	}
	_, err = s.Tasks.UpdateTask(t.Context(), 7, func(*db.Task) error { return nil })
	suite.Wants(t, err, db.ErrNotFound)
	_, _, err = s.Files.Media(t.Context(), 7)
	suite.Wants(t, err, db.ErrNotFound)
}

func TestLatestPutsWhatNeedsThePersonFirst(t *testing.T) {
	s := suite.Open(t)
	u, other := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	var ids []int64
	for _, state := range []db.State{db.Pending, db.Unconfirmed, db.Success, db.Queued, db.Failed, db.Unconfirmed, db.Rejected} {
		ids = append(ids, suite.Bring(t, s, suite.AddTask(t, s, u.ID, "x").ID, state, suite.Day).ID)
	}
	suite.AddTask(t, s, other.ID, "x")
	_, err := s.Tasks.UpdateTask(t.Context(), ids[5], func(t *db.Task) error { return t.Decide(suite.Day) })
	must(t, err)
	for limit, want := range map[int][]int64{
		0: nil, 2: {4, 2}, 4: {4, 2, 1, 7}, 6: {4, 2, 1, 7, 6, 5}, 20: {4, 2, 1, 7, 6, 5, 3},
	} {
		tasks, err := s.Tasks.LatestTasks(t.Context(), u.ID, limit)
		must(t, err)
		suite.Same(t, suite.IDs(tasks), want)
	}
	if n, err := s.Tasks.Running(t.Context(), u.ID); n != 2 || err != nil {
		t.Errorf("%d run, %v", n, err)
	}
}

func TestTheLastThumbnailIsThatOfAFinishedVideo(t *testing.T) {
	s := suite.Open(t)
	u, other := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	with := func(user int64, kind db.MediaKind, lost time.Time, deleted time.Time) int64 {
		task := suite.Bring(t, s, suite.AddTask(t, s, user, "x").ID, db.Success, suite.Day)
		task, err := s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
			t.Media = append(t.Media, db.Media{Kind: kind, Hash: "aa", Type: "image/jpeg", Size: 1, CreatedAt: suite.Day})
			if !deleted.IsZero() {
				t.DeletedAt, t.DeletedBy = deleted, u.ID
			}
			return nil
		})
		must(t, err)
		task, err = s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
			t.Media[0].LostAt = lost
			return nil
		})
		must(t, err)
		return task.Media[0].ID
	}
	last := func(user int64, want int64) {
		t.Helper()
		got, err := s.Tasks.LastThumb(t.Context(), user)
		must(t, err)
		suite.Same(t, got, want)
	}
	last(u.ID, 0)
	with(u.ID, db.Thumb, time.Time{}, time.Time{})
	want := with(u.ID, db.Thumb, time.Time{}, time.Time{})
	with(u.ID, db.Cover, time.Time{}, time.Time{})
	with(u.ID, db.Thumb, suite.Day, time.Time{})
	with(u.ID, db.Thumb, time.Time{}, suite.Day)
	suite.Bring(t, s, suite.AddTask(t, s, u.ID, "x").ID, db.Failed, suite.Day)
	suite.AddTask(t, s, u.ID, "x")
	with(other.ID, db.Thumb, time.Time{}, time.Time{})
	last(u.ID, want)
}

func TestResendingDecidesTheOldTaskWithTheNew(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "kim")
	old := suite.Bring(t, s, suite.AddTask(t, s, u.ID, "a boat").ID, db.Unconfirmed, suite.Day)
	again := []db.Task{suite.NewTask(u.ID, "a boat"), suite.NewTask(u.ID, "a boat")}
	again[1].FormToken = "" // an error that occurs after the first task was inserted
	if _, err := s.ResendTasks(t.Context(), old.ID, again, suite.Day); err == nil {
		t.Fatal("a task without a form token is taken")
	}
	if now, err := s.Tasks.Task(t.Context(), old.ID); err != nil || !now.DecidedAt.IsZero() {
		t.Fatalf("the old one is decided though nothing was added: %v, %v", now.DecidedAt, err)
	}
	first, err := s.ResendTasks(t.Context(), old.ID, again[:1], suite.Day)
	must(t, err)
	now, err := s.Tasks.Task(t.Context(), old.ID)
	must(t, err)
	if len(first) != 1 || first[0].ID == old.ID || !now.DecidedAt.Equal(suite.Day) {
		t.Errorf("added %+v, decided at %v", first, now.DecidedAt)
	}
	second, err := s.ResendTasks(t.Context(), old.ID, again[:1], suite.Day)
	if err != nil || len(second) != 1 || second[0].ID != first[0].ID {
		t.Errorf("once more: %+v, %v", second, err)
	}
	_, err = s.Tasks.UpdateTask(t.Context(), old.ID, func(t *db.Task) error { return t.Follow("found", suite.Day) })
	must(t, err)
	if third, err := s.ResendTasks(t.Context(), old.ID, again[:1], suite.Day); err != nil || third[0].ID != first[0].ID {
		t.Errorf("once more after the old one was found: %+v, %v", third, err)
	}
	for _, state := range []db.State{db.Success, db.Failed} {
		ended := suite.Bring(t, s, suite.AddTask(t, s, u.ID, "a train").ID, state, suite.Day)
		_, err = s.ResendTasks(t.Context(), ended.ID, []db.Task{suite.NewTask(u.ID, "a train")}, suite.Day)
		suite.Wants(t, err, db.ErrConflict)
	}
	if latest, err := s.Tasks.LatestTasks(t.Context(), u.ID, 9); err != nil || len(latest) != 4 {
		t.Errorf("%d tasks, %v", len(latest), err)
	}
}

func TestResendsAtOnceAddOneTask(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "kim")
	old := suite.Bring(t, s, suite.AddTask(t, s, u.ID, "a boat").ID, db.Unconfirmed, suite.Day)
	again := suite.NewTask(u.ID, "a boat")
	var all sync.WaitGroup
	var added [8]int64
	for i := range added {
		all.Go(func() {
			tasks, err := s.ResendTasks(t.Context(), old.ID, []db.Task{again}, suite.Day)
			if err != nil {
				t.Error(err)
				return
			}
			added[i] = tasks[0].ID
		})
	}
	all.Wait()
	latest, err := s.Tasks.LatestTasks(t.Context(), u.ID, 9)
	must(t, err)
	if len(latest) != 2 || slices.ContainsFunc(added[:], func(id int64) bool { return id != added[0] || id == old.ID }) {
		t.Errorf("%d tasks; added %v", len(latest), added)
	}
}

// Somebody who resends in another browser tab gets the video that was already made
// instead, unless that failed, is in the bin, or more videos are wanted.
func TestResendInAnotherTabReturnsTheNewVideo(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	old := suite.Bring(t, s, suite.AddTask(t, s, u.ID, "a boat").ID, db.Unconfirmed, suite.Day)
	send := func(n int) []db.Task {
		t.Helper()
		var again []db.Task
		for range n {
			task := suite.NewTask(u.ID, "a boat")
			task.ParentID, task.Reuse = old.ID, db.Retried
			again = append(again, task)
		}
		sent, err := s.ResendTasks(t.Context(), old.ID, again, suite.Day)
		must(t, err)
		return sent
	}
	first := send(1)[0]
	suite.Same(t, send(1)[0].ID, first.ID)
	two := send(2)
	if len(two) != 2 || two[0].ID == first.ID {
		t.Errorf("of two wanted: %v", suite.IDs(two))
	}
	suite.Same(t, suite.IDs(send(1)), []int64{first.ID})
	suite.Bring(t, s, first.ID, db.Failed, suite.Day)
	suite.Bring(t, s, two[0].ID, db.Rejected, suite.Day)
	suite.Bring(t, s, two[1].ID, db.Success, suite.Day)
	suite.Same(t, send(1)[0].ID, two[1].ID)
	_, err := s.Tasks.UpdateTask(t.Context(), two[1].ID, func(t *db.Task) error { t.DeletedAt, t.DeletedBy = suite.Day, u.ID; return nil })
	must(t, err)
	if third := send(1)[0]; third.ID <= two[1].ID {
		t.Errorf("after all others went, %d is returned", third.ID)
	}
}

// A pair is a team with what the tests of its videos ask for.
type pair struct{ suite.Team }

func newTeam(t *testing.T) pair {
	t.Helper()
	return pair{suite.NewTeam(t)}
}

func (h pair) all() []int64 {
	return []int64{h.Running, h.Anns, h.AnnsPrivate, h.AnnsFailed, h.Bos, h.BosPrivate, h.BosF, h.Anns, 4711, -1}
}

func (h pair) bin(t *testing.T, viewer db.User) []int64 {
	t.Helper()
	tasks, err := h.Bin.Tasks(t.Context(), viewer, 0, 100)
	must(t, err)
	return slices.Sorted(slices.Values(suite.IDs(tasks)))
}

func (h pair) find(t *testing.T, f gallery.Filter) []int64 {
	t.Helper()
	f.Limit = 100
	tasks, err := h.Search.Tasks(t.Context(), f)
	must(t, err)
	return slices.Sorted(slices.Values(suite.IDs(tasks)))
}

func TestAnybodyStarsWhatTheySee(t *testing.T) {
	h := newTeam(t)
	got, err := h.Tasks.StarTasks(t.Context(), h.Bo, h.all(), true)
	must(t, err)
	suite.Same(t, got, []int64{h.Anns, h.Bos, h.BosPrivate, h.BosF, h.Running})
	suite.Same(t, h.find(t, gallery.Filter{Viewer: h.Ann.ID, Starred: true}), []int64{h.Anns, h.Bos})
	got, err = h.Tasks.StarTasks(t.Context(), h.Ann, h.all(), false)
	must(t, err)
	suite.Same(t, got, []int64{h.Anns, h.AnnsPrivate, h.AnnsFailed, h.Bos})
	suite.Same(t, h.find(t, gallery.Filter{Viewer: h.Bo.ID, Starred: true}), []int64{h.BosPrivate})
	none, err := h.Tasks.StarTasks(t.Context(), h.Ann, nil, false)
	must(t, err)
	suite.Same(t, none, nil)
}

func TestOnlyTheMakerHidesAVideo(t *testing.T) {
	h := newTeam(t)
	got, err := h.Tasks.PrivateTasks(t.Context(), h.Ann, h.all(), true)
	must(t, err)
	suite.Same(t, got, []int64{h.Anns, h.AnnsPrivate, h.AnnsFailed})
	suite.Same(t, h.find(t, gallery.Filter{Viewer: h.Bo.ID}), []int64{h.Bos, h.BosPrivate})
	_, err = h.Tasks.PrivateTasks(t.Context(), h.Ann, h.all(), false)
	must(t, err)
	suite.Same(t, h.find(t, gallery.Filter{Viewer: h.Bo.ID}), []int64{h.Anns, h.AnnsPrivate, h.Bos, h.BosPrivate})
}

// The watcher leases a task while it works on it, and must still hold the lease
// after somebody has starred the task.
func TestStarringLeavesTheLeaseAlone(t *testing.T) {
	h := newTeam(t)
	leased, err := h.Leases.Claim(t.Context(), "clock", suite.Day.Add(time.Hour), suite.Day.Add(2*time.Hour), schedule.Capacity{Query: 5})
	must(t, err)
	suite.Same(t, suite.IDs(leased), []int64{h.Running})
	_, err = h.Tasks.StarTasks(t.Context(), h.Bo, []int64{h.Running}, true)
	must(t, err)
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Running}, []string{"x"}, nil, suite.Day)
	must(t, err)
	must(t, h.Leases.Renew(t.Context(), "clock", h.Running, suite.Day.Add(3*time.Hour)))
}

func TestBinTakesDeletableTasksAndRestoresThem(t *testing.T) {
	h := newTeam(t)
	got, err := h.Bin.DeleteTasks(t.Context(), h.Bo, h.all(), suite.Day)
	must(t, err)
	suite.Same(t, got, []int64{h.Bos, h.BosPrivate, h.BosF})
	suite.Same(t, h.find(t, gallery.Filter{Viewer: h.Bo.ID, States: []db.State{gallery.AnyState}}), []int64{h.Anns, h.Running})
	suite.Same(t, h.bin(t, h.Bo), []int64{h.Bos, h.BosPrivate, h.BosF})

	got, err = h.Bin.DeleteTasks(t.Context(), h.Ann, h.all(), suite.Day.Add(time.Hour))
	must(t, err)
	suite.Same(t, got, []int64{h.Anns, h.AnnsPrivate, h.AnnsFailed})
	suite.Same(t, h.bin(t, h.Ann), []int64{h.Anns, h.AnnsPrivate, h.AnnsFailed, h.Bos})
	task, err := h.Tasks.Task(t.Context(), h.Bos)
	must(t, err)
	if !task.DeletedAt.Equal(suite.Day) || task.DeletedBy != h.Bo.ID {
		t.Errorf("deleted again: %v by %d", task.DeletedAt, task.DeletedBy)
	}
	if starred, err := h.Tasks.StarTasks(t.Context(), h.Bo, []int64{h.Bos}, true); len(starred) > 0 || err != nil {
		t.Errorf("starred in the bin: %v, %v", starred, err)
	}

	got, err = h.Bin.RestoreTasks(t.Context(), h.Ann, h.all())
	must(t, err)
	suite.Same(t, got, []int64{h.Anns, h.AnnsPrivate, h.AnnsFailed, h.Bos})
	got, err = h.Bin.RestoreTasks(t.Context(), h.Bo, h.all())
	must(t, err)
	suite.Same(t, got, []int64{h.BosPrivate, h.BosF})
	suite.Same(t, h.find(t, gallery.Filter{Viewer: h.Bo.ID}), []int64{h.Anns, h.Bos, h.BosPrivate})
}

func TestMemberDeletesOnlyOwnVideos(t *testing.T) {
	h := newTeam(t)
	got, err := h.Bin.DeleteTasks(t.Context(), h.Bo, []int64{h.Anns}, suite.Day)
	must(t, err)
	suite.Same(t, got, nil)
	_, err = h.Bin.DeleteTasks(t.Context(), h.Ann, []int64{h.Anns}, suite.Day)
	must(t, err)
	got, err = h.Bin.RestoreTasks(t.Context(), h.Bo, []int64{h.Anns})
	must(t, err)
	suite.Same(t, got, nil)
}
