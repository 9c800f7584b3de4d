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

// A Team has two users: Ann, an admin, and Bo. Each has a finished video, a private
// one and a failed one; Bo also has a running one.
type Team struct {
	*store.Store
	Ann, Bo                                              db.User
	Anns, AnnsPrivate, AnnsFailed, Bos, BosPrivate, BosF int64
	Running                                              int64
}

// NewTeam creates a database with the team.
func NewTeam(t *testing.T) Team {
	t.Helper()
	s := open(t)
	ann := db.User{Name: "Ann", Email: "ann@example.com", Password: "hash", Role: db.Admin, CreatedAt: day}
	must(t, sampletest.AddUser(t, s, &ann))
	h := Team{Store: s, Ann: ann, Bo: addUser(t, s, "Bo")}
	h.Anns, h.AnnsPrivate, h.AnnsFailed = h.Kept(t, ann.ID), h.Kept(t, ann.ID), bring(t, s, addTask(t, s, ann.ID, "x").ID, db.Failed, day).ID
	h.Bos, h.BosPrivate, h.BosF = h.Kept(t, h.Bo.ID), h.Kept(t, h.Bo.ID), bring(t, s, addTask(t, s, h.Bo.ID, "x").ID, db.Failed, day).ID
	h.Running = bring(t, s, addTask(t, s, h.Bo.ID, "x").ID, db.Pending, day).ID
	for _, u := range []db.User{h.Ann, h.Bo} {
		_, err := s.Tasks.PrivateTasks(t.Context(), u, []int64{h.AnnsPrivate, h.BosPrivate}, true)
		must(t, err)
	}
	return h
}

// Kept adds a finished video whose file is stored, and returns its ID.
func (h Team) Kept(t *testing.T, userID int64) int64 {
	t.Helper()
	id := bring(t, h.Store, addTask(t, h.Store, userID, "a boat").ID, db.Success, day).ID
	_, err := h.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: fmt.Sprint("hash ", id), CreatedAt: day}}, true)
	})
	must(t, err)
	return id
}

// A pair is a team with what the tests of its videos ask for.
type pair struct{ Team }

func newTeam(t *testing.T) pair {
	t.Helper()
	return pair{NewTeam(t)}
}

func (h pair) all() []int64 {
	return []int64{h.Running, h.Anns, h.AnnsPrivate, h.AnnsFailed, h.Bos, h.BosPrivate, h.BosF, h.Anns, 4711, -1}
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
	got, err := h.Tasks.StarTasks(t.Context(), h.Bo, h.all(), true)
	must(t, err)
	same(t, got, []int64{h.Anns, h.Bos, h.BosPrivate, h.BosF, h.Running})
	same(t, h.find(t, gallery.Filter{Viewer: h.Ann.ID, Starred: true}), []int64{h.Anns, h.Bos})
	got, err = h.Tasks.StarTasks(t.Context(), h.Ann, h.all(), false)
	must(t, err)
	same(t, got, []int64{h.Anns, h.AnnsPrivate, h.AnnsFailed, h.Bos})
	same(t, h.find(t, gallery.Filter{Viewer: h.Bo.ID, Starred: true}), []int64{h.BosPrivate})
	none, err := h.Tasks.StarTasks(t.Context(), h.Ann, nil, false)
	must(t, err)
	same(t, none, nil)
}

func TestOnlyTheMakerHidesAVideo(t *testing.T) {
	h := newTeam(t)
	got, err := h.Tasks.PrivateTasks(t.Context(), h.Ann, h.all(), true)
	must(t, err)
	same(t, got, []int64{h.Anns, h.AnnsPrivate, h.AnnsFailed})
	same(t, h.find(t, gallery.Filter{Viewer: h.Bo.ID}), []int64{h.Bos, h.BosPrivate})
	_, err = h.Tasks.PrivateTasks(t.Context(), h.Ann, h.all(), false)
	must(t, err)
	same(t, h.find(t, gallery.Filter{Viewer: h.Bo.ID}), []int64{h.Anns, h.AnnsPrivate, h.Bos, h.BosPrivate})
}

// The watcher leases a task while it works on it, and must still hold the lease
// after somebody has starred the task.
func TestStarringLeavesTheLeaseAlone(t *testing.T) {
	h := newTeam(t)
	leased, err := h.Leases.Claim(t.Context(), "clock", day.Add(time.Hour), day.Add(2*time.Hour), schedule.Capacity{Ask: 5})
	must(t, err)
	same(t, idsOf(leased), []int64{h.Running})
	_, err = h.Tasks.StarTasks(t.Context(), h.Bo, []int64{h.Running}, true)
	must(t, err)
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Running}, []string{"x"}, nil, day)
	must(t, err)
	must(t, h.Leases.Renew(t.Context(), "clock", h.Running, day.Add(3*time.Hour)))
}

func TestBinTakesDeletableTasksAndRestoresThem(t *testing.T) {
	h := newTeam(t)
	got, err := h.Bin.DeleteTasks(t.Context(), h.Bo, h.all(), day)
	must(t, err)
	same(t, got, []int64{h.Bos, h.BosPrivate, h.BosF})
	same(t, h.find(t, gallery.Filter{Viewer: h.Bo.ID, States: []db.State{gallery.AnyState}}), []int64{h.Anns, h.Running})
	same(t, h.bin(t, h.Bo), []int64{h.Bos, h.BosPrivate, h.BosF})

	got, err = h.Bin.DeleteTasks(t.Context(), h.Ann, h.all(), day.Add(time.Hour))
	must(t, err)
	same(t, got, []int64{h.Anns, h.AnnsPrivate, h.AnnsFailed})
	same(t, h.bin(t, h.Ann), []int64{h.Anns, h.AnnsPrivate, h.AnnsFailed, h.Bos})
	task, err := h.Tasks.Task(t.Context(), h.Bos)
	must(t, err)
	if !task.DeletedAt.Equal(day) || task.DeletedBy != h.Bo.ID {
		t.Errorf("deleted again: %v by %d", task.DeletedAt, task.DeletedBy)
	}
	if starred, err := h.Tasks.StarTasks(t.Context(), h.Bo, []int64{h.Bos}, true); len(starred) > 0 || err != nil {
		t.Errorf("starred in the bin: %v, %v", starred, err)
	}

	got, err = h.Bin.RestoreTasks(t.Context(), h.Ann, h.all())
	must(t, err)
	same(t, got, []int64{h.Anns, h.AnnsPrivate, h.AnnsFailed, h.Bos})
	got, err = h.Bin.RestoreTasks(t.Context(), h.Bo, h.all())
	must(t, err)
	same(t, got, []int64{h.BosPrivate, h.BosF})
	same(t, h.find(t, gallery.Filter{Viewer: h.Bo.ID}), []int64{h.Anns, h.Bos, h.BosPrivate})
}

func TestMemberDeletesOnlyOwnVideos(t *testing.T) {
	h := newTeam(t)
	got, err := h.Bin.DeleteTasks(t.Context(), h.Bo, []int64{h.Anns}, day)
	must(t, err)
	same(t, got, nil)
	_, err = h.Bin.DeleteTasks(t.Context(), h.Ann, []int64{h.Anns}, day)
	must(t, err)
	got, err = h.Bin.RestoreTasks(t.Context(), h.Bo, []int64{h.Anns})
	must(t, err)
	same(t, got, nil)
}

func TestTagsIgnoreCase(t *testing.T) {
	h := newTeam(t)
	got, err := h.Tags.TagTasks(t.Context(), h.Bo, h.all(), []string{"Spring", "Ärger", "  "}, nil, day)
	must(t, err)
	same(t, got, []int64{h.Anns, h.Bos, h.BosPrivate, h.BosF, h.Running})
	_, err = h.Tags.TagTasks(t.Context(), h.Ann, []int64{h.Anns, h.AnnsPrivate}, []string{"SPRING"}, []string{"ÄRGER"}, day)
	must(t, err)
	same(t, h.find(t, gallery.Filter{Viewer: h.Ann.ID, Tags: []string{"spring"}}), []int64{h.Anns, h.AnnsPrivate, h.Bos})
	same(t, h.find(t, gallery.Filter{Viewer: h.Bo.ID, Tags: []string{"ärger"}, States: []db.State{gallery.AnyState}}), []int64{h.Bos, h.BosPrivate, h.BosF, h.Running})
	task, err := h.Tasks.Task(t.Context(), h.Bos)
	must(t, err)
	same(t, task.Tags, []string{"Spring", "Ärger"})

	tags, err := h.Tags.VisibleTo(t.Context(), h.Bo.ID)
	must(t, err)
	same(t, names(tags), []string{"Spring", "Ärger"})
	counts, err := h.Search.CountFacet(t.Context(), gallery.Filter{Viewer: h.Bo.ID}, gallery.ByTag)
	must(t, err)
	same(t, counts, map[string]int{"spring": 3, "ärger": 2})
	counts, err = h.Search.CountFacet(t.Context(), gallery.Filter{Viewer: h.Ann.ID}, gallery.ByTag)
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
	_, err := h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.BosPrivate}, []string{"secret plan"}, nil, day)
	must(t, err)
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Bos}, []string{"b", "a"}, nil, day)
	must(t, err)
	tags, err := h.Tags.VisibleTo(t.Context(), h.Ann.ID)
	must(t, err)
	if len(tags) != 2 || tags[0].Name != "a" || tags[1].Name != "b" {
		t.Errorf("Ann sees %+v", tags)
	}
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.BosF}, []string{"did not work"}, nil, day)
	must(t, err)
	tags, err = h.Tags.VisibleTo(t.Context(), h.Bo.ID)
	must(t, err)
	same(t, names(tags), []string{"a", "b", "did not work", "secret plan"})
	_, err = h.Tags.TagTasks(t.Context(), h.Ann, []int64{h.Bos}, nil, []string{"A"}, day)
	must(t, err)
	_, err = h.Bin.DeleteTasks(t.Context(), h.Bo, []int64{h.Bos}, day)
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
	_, err := h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Bos}, many, nil, day)
	must(t, err)
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Anns, h.Bos}, []string{"one more"}, nil, day)
	wants(t, err, db.ErrConflict)
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Bos}, []string{"another"}, many[:1], day)
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
