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
	"dailies/db/store"
	"dailies/db/store/sampletest"
)

// A pair has two users: Ann, an admin, and Bo. Each has a finished video, a private
// one and a failed one; Bo also has a running one.
type pair struct {
	*store.Store
	ann, bo                                              db.User
	anns, annsPrivate, annsFailed, bos, bosPrivate, bosF int64
	running                                              int64
}

func newTeam(t *testing.T) pair {
	t.Helper()
	s := open(t)
	ann := db.User{Name: "Ann", Email: "ann@example.com", Password: "hash", Role: db.Admin, CreatedAt: day}
	must(t, sampletest.AddUser(t, s, &ann))
	h := pair{Store: s, ann: ann, bo: addUser(t, s, "Bo")}
	h.anns, h.annsPrivate, h.annsFailed = h.kept(t, ann.ID), h.kept(t, ann.ID), bring(t, s, addTask(t, s, ann.ID, "x").ID, db.Failed, day).ID
	h.bos, h.bosPrivate, h.bosF = h.kept(t, h.bo.ID), h.kept(t, h.bo.ID), bring(t, s, addTask(t, s, h.bo.ID, "x").ID, db.Failed, day).ID
	h.running = bring(t, s, addTask(t, s, h.bo.ID, "x").ID, db.Pending, day).ID
	for _, u := range []db.User{h.ann, h.bo} {
		_, err := s.Tasks.PrivateTasks(t.Context(), u, []int64{h.annsPrivate, h.bosPrivate}, true)
		must(t, err)
	}
	return h
}

// kept adds a finished video whose file is stored, and returns its ID.
func (h pair) kept(t *testing.T, userID int64) int64 {
	t.Helper()
	id := bring(t, h.Store, addTask(t, h.Store, userID, "a boat").ID, db.Success, day).ID
	_, err := h.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: fmt.Sprint("hash ", id), CreatedAt: day}}, true)
	})
	must(t, err)
	return id
}

func (h pair) all() []int64 {
	return []int64{h.running, h.anns, h.annsPrivate, h.annsFailed, h.bos, h.bosPrivate, h.bosF, h.anns, 4711, -1}
}

func (h pair) bin(t *testing.T, viewer db.User) []int64 {
	t.Helper()
	tasks, err := h.Bin.Tasks(t.Context(), viewer, 0, 100)
	must(t, err)
	return slices.Sorted(slices.Values(idsOf(tasks)))
}

func (h pair) find(t *testing.T, f gallery.Filter) []int64 {
	t.Helper()
	f.Limit = 100
	tasks, err := h.Search.Tasks(t.Context(), f)
	must(t, err)
	return slices.Sorted(slices.Values(idsOf(tasks)))
}

func TestAnybodyStarsWhatTheySee(t *testing.T) {
	h := newTeam(t)
	got, err := h.Tasks.StarTasks(t.Context(), h.bo, h.all(), true)
	must(t, err)
	same(t, got, []int64{h.anns, h.bos, h.bosPrivate, h.bosF, h.running})
	same(t, h.find(t, gallery.Filter{Viewer: h.ann.ID, Starred: true}), []int64{h.anns, h.bos})
	got, err = h.Tasks.StarTasks(t.Context(), h.ann, h.all(), false)
	must(t, err)
	same(t, got, []int64{h.anns, h.annsPrivate, h.annsFailed, h.bos})
	same(t, h.find(t, gallery.Filter{Viewer: h.bo.ID, Starred: true}), []int64{h.bosPrivate})
	none, err := h.Tasks.StarTasks(t.Context(), h.ann, nil, false)
	must(t, err)
	same(t, none, nil)
}

func TestOnlyTheMakerHidesAVideo(t *testing.T) {
	h := newTeam(t)
	got, err := h.Tasks.PrivateTasks(t.Context(), h.ann, h.all(), true)
	must(t, err)
	same(t, got, []int64{h.anns, h.annsPrivate, h.annsFailed})
	same(t, h.find(t, gallery.Filter{Viewer: h.bo.ID}), []int64{h.bos, h.bosPrivate})
	_, err = h.Tasks.PrivateTasks(t.Context(), h.ann, h.all(), false)
	must(t, err)
	same(t, h.find(t, gallery.Filter{Viewer: h.bo.ID}), []int64{h.anns, h.annsPrivate, h.bos, h.bosPrivate})
}

// The watcher leases a task while it works on it, and must still hold the lease
// after somebody has starred the task.
func TestStarringLeavesTheLeaseAlone(t *testing.T) {
	h := newTeam(t)
	leased, err := h.Leases.Claim(t.Context(), "clock", day.Add(time.Hour), day.Add(2*time.Hour), schedule.Capacity{Ask: 5})
	must(t, err)
	same(t, idsOf(leased), []int64{h.running})
	_, err = h.Tasks.StarTasks(t.Context(), h.bo, []int64{h.running}, true)
	must(t, err)
	_, err = h.Tags.TagTasks(t.Context(), h.bo, []int64{h.running}, []string{"x"}, nil, day)
	must(t, err)
	must(t, h.Leases.Renew(t.Context(), "clock", h.running, day.Add(3*time.Hour)))
}

func TestBinTakesDeletableTasksAndRestoresThem(t *testing.T) {
	h := newTeam(t)
	got, err := h.Bin.DeleteTasks(t.Context(), h.bo, h.all(), day)
	must(t, err)
	same(t, got, []int64{h.bos, h.bosPrivate, h.bosF})
	same(t, h.find(t, gallery.Filter{Viewer: h.bo.ID, States: []db.State{gallery.AnyState}}), []int64{h.anns, h.running})
	same(t, h.bin(t, h.bo), []int64{h.bos, h.bosPrivate, h.bosF})

	got, err = h.Bin.DeleteTasks(t.Context(), h.ann, h.all(), day.Add(time.Hour))
	must(t, err)
	same(t, got, []int64{h.anns, h.annsPrivate, h.annsFailed})
	same(t, h.bin(t, h.ann), []int64{h.anns, h.annsPrivate, h.annsFailed, h.bos})
	task, err := h.Tasks.Task(t.Context(), h.bos)
	must(t, err)
	if !task.DeletedAt.Equal(day) || task.DeletedBy != h.bo.ID {
		t.Errorf("deleted again: %v by %d", task.DeletedAt, task.DeletedBy)
	}
	if starred, err := h.Tasks.StarTasks(t.Context(), h.bo, []int64{h.bos}, true); len(starred) > 0 || err != nil {
		t.Errorf("starred in the bin: %v, %v", starred, err)
	}

	got, err = h.Bin.RestoreTasks(t.Context(), h.ann, h.all())
	must(t, err)
	same(t, got, []int64{h.anns, h.annsPrivate, h.annsFailed, h.bos})
	got, err = h.Bin.RestoreTasks(t.Context(), h.bo, h.all())
	must(t, err)
	same(t, got, []int64{h.bosPrivate, h.bosF})
	same(t, h.find(t, gallery.Filter{Viewer: h.bo.ID}), []int64{h.anns, h.bos, h.bosPrivate})
}

func TestMemberDeletesOnlyOwnVideos(t *testing.T) {
	h := newTeam(t)
	got, err := h.Bin.DeleteTasks(t.Context(), h.bo, []int64{h.anns}, day)
	must(t, err)
	same(t, got, nil)
	_, err = h.Bin.DeleteTasks(t.Context(), h.ann, []int64{h.anns}, day)
	must(t, err)
	got, err = h.Bin.RestoreTasks(t.Context(), h.bo, []int64{h.anns})
	must(t, err)
	same(t, got, nil)
}

func TestTagsIgnoreCase(t *testing.T) {
	h := newTeam(t)
	got, err := h.Tags.TagTasks(t.Context(), h.bo, h.all(), []string{"Spring", "Ärger", "  "}, nil, day)
	must(t, err)
	same(t, got, []int64{h.anns, h.bos, h.bosPrivate, h.bosF, h.running})
	_, err = h.Tags.TagTasks(t.Context(), h.ann, []int64{h.anns, h.annsPrivate}, []string{"SPRING"}, []string{"ÄRGER"}, day)
	must(t, err)
	same(t, h.find(t, gallery.Filter{Viewer: h.ann.ID, Tags: []string{"spring"}}), []int64{h.anns, h.annsPrivate, h.bos})
	same(t, h.find(t, gallery.Filter{Viewer: h.bo.ID, Tags: []string{"ärger"}, States: []db.State{gallery.AnyState}}), []int64{h.bos, h.bosPrivate, h.bosF, h.running})
	task, err := h.Tasks.Task(t.Context(), h.bos)
	must(t, err)
	same(t, task.Tags, []string{"Spring", "Ärger"})

	tags, err := h.Tags.VisibleTo(t.Context(), h.bo.ID)
	must(t, err)
	same(t, names(tags), []string{"Spring", "Ärger"})
	counts, err := h.Search.CountFacet(t.Context(), gallery.Filter{Viewer: h.bo.ID}, gallery.ByTag)
	must(t, err)
	same(t, counts, map[string]int{"spring": 3, "ärger": 2})
	counts, err = h.Search.CountFacet(t.Context(), gallery.Filter{Viewer: h.ann.ID}, gallery.ByTag)
	must(t, err)
	same(t, counts, map[string]int{"spring": 3, "ärger": 1})
}

func names(tags []gallery.Tag) (names []string) {
	for _, t := range tags {
		names = append(names, t.Name)
	}
	return names
}

func TestATagWithoutVideosIsNotListed(t *testing.T) {
	h := newTeam(t)
	_, err := h.Tags.TagTasks(t.Context(), h.bo, []int64{h.bosPrivate}, []string{"secret plan"}, nil, day)
	must(t, err)
	_, err = h.Tags.TagTasks(t.Context(), h.bo, []int64{h.bos}, []string{"b", "a"}, nil, day)
	must(t, err)
	tags, err := h.Tags.VisibleTo(t.Context(), h.ann.ID)
	must(t, err)
	if len(tags) != 2 || tags[0].Name != "a" || tags[1].Name != "b" {
		t.Errorf("Ann sees %+v", tags)
	}
	_, err = h.Tags.TagTasks(t.Context(), h.bo, []int64{h.bosF}, []string{"did not work"}, nil, day)
	must(t, err)
	tags, err = h.Tags.VisibleTo(t.Context(), h.bo.ID)
	must(t, err)
	same(t, names(tags), []string{"a", "b", "did not work", "secret plan"})
	_, err = h.Tags.TagTasks(t.Context(), h.ann, []int64{h.bos}, nil, []string{"A"}, day)
	must(t, err)
	_, err = h.Bin.DeleteTasks(t.Context(), h.bo, []int64{h.bos}, day)
	must(t, err)
	if tags, err := h.Tags.VisibleTo(t.Context(), h.ann.ID); len(tags) != 0 || err != nil {
		t.Errorf("Ann sees %+v, %v", tags, err)
	}
}

func TestTooManyTagsChangeNothing(t *testing.T) {
	h := newTeam(t)
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprint("tag ", i))
	}
	_, err := h.Tags.TagTasks(t.Context(), h.bo, []int64{h.bos}, many, nil, day)
	must(t, err)
	_, err = h.Tags.TagTasks(t.Context(), h.bo, []int64{h.anns, h.bos}, []string{"one more"}, nil, day)
	wants(t, err, db.ErrConflict)
	_, err = h.Tags.TagTasks(t.Context(), h.bo, []int64{h.bos}, []string{"another"}, many[:1], day)
	must(t, err)
	for id, want := range map[int64]int{h.anns: 0, h.bos: 20} {
		task, err := h.Tasks.Task(t.Context(), id)
		must(t, err)
		if len(task.Tags) != want || slices.Contains(task.Tags, "one more") {
			t.Errorf("task %d has %q", id, task.Tags)
		}
	}
}

// Every page of the gallery reads all tags.
func TestTagsThatNoVideoHasAreDeleted(t *testing.T) {
	onlySQLite(t)
	path := filepath.Join(t.TempDir(), "dailies.db")
	s := sampletest.Open(t, path)
	u := addUser(t, s, "Ann")
	id, other := bring(t, s, addTask(t, s, u.ID, "a").ID, db.Success, day).ID, bring(t, s, addTask(t, s, u.ID, "b").ID, db.Success, day).ID
	_, err := s.Tags.TagTasks(t.Context(), u, []int64{other}, []string{"Spring"}, nil, day)
	must(t, err)
	for n := range 5 {
		_, err := s.Tags.TagTasks(t.Context(), u, []int64{id}, []string{fmt.Sprint("tag ", n), "spring"}, []string{fmt.Sprint("Tag ", n-1), "Spring"}, day)
		must(t, err)
	}
	raw, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer raw.Close()
	var names string
	must(t, raw.QueryRow(`SELECT group_concat(name) FROM (SELECT name FROM tags ORDER BY name)`).Scan(&names))
	same(t, names, "Spring,tag 4")
}
