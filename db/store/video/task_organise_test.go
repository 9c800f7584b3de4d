package video_test

import (
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/schedule"
	"dailies/db/store/suite"
)

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
	leased, err := h.Leases.Claim(t.Context(), "clock", suite.Day.Add(time.Hour), suite.Day.Add(2*time.Hour), schedule.Capacity{Ask: 5})
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
