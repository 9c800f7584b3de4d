package suite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/schedule"
	"dailies/db/store/sampletest"
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

func TestTagsIgnoreCase(t *testing.T) {
	h := newTeam(t)
	got, err := h.Tags.TagTasks(t.Context(), h.Bo, h.all(), []string{"Spring", "Ärger", "  "}, nil, suite.Day)
	must(t, err)
	suite.Same(t, got, []int64{h.Anns, h.Bos, h.BosPrivate, h.BosF, h.Running})
	_, err = h.Tags.TagTasks(t.Context(), h.Ann, []int64{h.Anns, h.AnnsPrivate}, []string{"SPRING"}, []string{"ÄRGER"}, suite.Day)
	must(t, err)
	suite.Same(t, h.find(t, gallery.Filter{Viewer: h.Ann.ID, Tags: []string{"spring"}}), []int64{h.Anns, h.AnnsPrivate, h.Bos})
	suite.Same(t, h.find(t, gallery.Filter{Viewer: h.Bo.ID, Tags: []string{"ärger"}, States: []db.State{gallery.AnyState}}), []int64{h.Bos, h.BosPrivate, h.BosF, h.Running})
	task, err := h.Tasks.Task(t.Context(), h.Bos)
	must(t, err)
	suite.Same(t, task.Tags, []string{"Spring", "Ärger"})

	tags, err := h.Tags.VisibleTo(t.Context(), h.Bo.ID)
	must(t, err)
	suite.Same(t, names(tags), []string{"Spring", "Ärger"})
	counts, err := h.Search.CountFacet(t.Context(), gallery.Filter{Viewer: h.Bo.ID}, gallery.ByTag)
	must(t, err)
	suite.Same(t, counts, map[string]int{"spring": 3, "ärger": 2})
	counts, err = h.Search.CountFacet(t.Context(), gallery.Filter{Viewer: h.Ann.ID}, gallery.ByTag)
	must(t, err)
	suite.Same(t, counts, map[string]int{"spring": 3, "ärger": 1})
}

func names(tags []gallery.Tag) (names []string) {
	for _, t := range tags {
		names = append(names, t.Name)
	}
	return names
}

func TestATagWithoutVideosIsNotListed(t *testing.T) {
	h := newTeam(t)
	_, err := h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.BosPrivate}, []string{"secret plan"}, nil, suite.Day)
	must(t, err)
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Bos}, []string{"b", "a"}, nil, suite.Day)
	must(t, err)
	tags, err := h.Tags.VisibleTo(t.Context(), h.Ann.ID)
	must(t, err)
	if len(tags) != 2 || tags[0].Name != "a" || tags[1].Name != "b" {
		t.Errorf("Ann sees %+v", tags)
	}
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.BosF}, []string{"did not work"}, nil, suite.Day)
	must(t, err)
	tags, err = h.Tags.VisibleTo(t.Context(), h.Bo.ID)
	must(t, err)
	suite.Same(t, names(tags), []string{"a", "b", "did not work", "secret plan"})
	_, err = h.Tags.TagTasks(t.Context(), h.Ann, []int64{h.Bos}, nil, []string{"A"}, suite.Day)
	must(t, err)
	_, err = h.Bin.DeleteTasks(t.Context(), h.Bo, []int64{h.Bos}, suite.Day)
	must(t, err)
	if tags, err := h.Tags.VisibleTo(t.Context(), h.Ann.ID); len(tags) != 0 || err != nil {
		t.Errorf("Ann sees %+v, %v", tags, err)
	}
}

func TestTooManyTagsChangeNothing(t *testing.T) {
	h := newTeam(t)
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprint("tag ", i))
	}
	_, err := h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Bos}, many, nil, suite.Day)
	must(t, err)
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Anns, h.Bos}, []string{"one more"}, nil, suite.Day)
	suite.Wants(t, err, db.ErrConflict)
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Bos}, []string{"another"}, many[:1], suite.Day)
	must(t, err)
	for id, want := range map[int64]int{h.Anns: 0, h.Bos: 20} {
		task, err := h.Tasks.Task(t.Context(), id)
		must(t, err)
		if len(task.Tags) != want || slices.Contains(task.Tags, "one more") {
			t.Errorf("task %d has %q", id, task.Tags)
		}
	}
}

// Every page of the gallery reads all tags.
func TestTagsThatNoVideoHasAreDeleted(t *testing.T) {
	suite.OnlySQLite(t)
	path := filepath.Join(t.TempDir(), "dailies.db")
	s := sampletest.Open(t, path)
	u := suite.AddUser(t, s, "Ann")
	id, other := suite.Bring(t, s, suite.AddTask(t, s, u.ID, "a").ID, db.Success, suite.Day).ID, suite.Bring(t, s, suite.AddTask(t, s, u.ID, "b").ID, db.Success, suite.Day).ID
	_, err := s.Tags.TagTasks(t.Context(), u, []int64{other}, []string{"Spring"}, nil, suite.Day)
	must(t, err)
	for n := range 5 {
		_, err := s.Tags.TagTasks(t.Context(), u, []int64{id}, []string{fmt.Sprint("tag ", n), "spring"}, []string{fmt.Sprint("Tag ", n-1), "Spring"}, suite.Day)
		must(t, err)
	}
	raw, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer raw.Close()
	var names string
	must(t, raw.QueryRow(`SELECT group_concat(name) FROM (SELECT name FROM tags ORDER BY name)`).Scan(&names))
	suite.Same(t, names, "Spring,tag 4")
}
