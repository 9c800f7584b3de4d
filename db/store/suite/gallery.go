package suite

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/gallery"
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
	s := Open(t)
	ann := db.User{Name: "Ann", Email: "ann@example.com", Password: "hash", Role: db.Admin, CreatedAt: Day}
	must(t, sampletest.AddUser(t, s, &ann))
	h := Team{Store: s, Ann: ann, Bo: AddUser(t, s, "Bo")}
	h.Anns, h.AnnsPrivate, h.AnnsFailed = h.Kept(t, ann.ID), h.Kept(t, ann.ID), Bring(t, s,
		AddTask(t, s, ann.ID, "x").ID, db.Failed, Day).ID
	h.Bos, h.BosPrivate, h.BosF = h.Kept(t, h.Bo.ID), h.Kept(t, h.Bo.ID), Bring(t, s, AddTask(t, s, h.Bo.ID, "x").ID, db.Failed, Day).ID
	h.Running = Bring(t, s, AddTask(t, s, h.Bo.ID, "x").ID, db.Pending, Day).ID
	for _, u := range []db.User{h.Ann, h.Bo} {
		_, err := s.Tasks.PrivateTasks(t.Context(), u, []int64{h.AnnsPrivate, h.BosPrivate}, true)
		must(t, err)
	}
	return h
}

// Kept adds a finished video whose file is stored, and returns its ID.
func (h Team) Kept(t *testing.T, userID int64) int64 {
	t.Helper()
	id := Bring(t, h.Store, AddTask(t, h.Store, userID, "a boat").ID, db.Success, Day).ID
	_, err := h.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: fmt.Sprint("hash ", id), CreatedAt: Day}}, true)
	})
	must(t, err)
	return id
}

// A Gallery has tasks of two people that differ in every property by which the
// gallery filters.
type Gallery struct {
	Team
	Random        *rand.Rand
	IDs           []int64
	CollectionIDs []int64           // the last collection is in the bin
	members       []cast.Member     // the last one is deleted
	Shown         map[int64][]int64 // the cast members in each task, by their IDs
}

// NewGallery adds the tasks, and changes some, as the seed says.
func NewGallery(t *testing.T, seed uint64) *Gallery {
	t.Helper()
	f := &Gallery{Team: NewTeam(t), Random: rand.New(rand.NewPCG(seed, 4))}
	for _, name := range []string{"Trailer", "Teaser", "Gone"} {
		c := gallery.Collection{Name: name, CreatedBy: f.Ann.ID, CreatedAt: Day}
		must(t, f.Collections.AddCollection(t.Context(), &c))
		f.CollectionIDs = append(f.CollectionIDs, c.ID)
	}
	f.Shown = map[int64][]int64{}
	for _, handle := range []string{"anna", "cup", "gone"} {
		f.members = append(f.members, AddCastMember(t, f.Store, f.Ann.ID, handle))
	}
	for range 110 {
		f.add(t)
	}
	for range 60 {
		f.Change(t)
	}
	_, err := f.Collections.AddToCollection(t.Context(), f.CollectionIDs[2], f.Ann.ID, f.IDs, Day)
	must(t, err)
	must(t, f.Collections.DeleteCollection(t.Context(), f.CollectionIDs[2], f.Ann.ID, Day))
	must(t, f.Cast.Delete(t.Context(), f.members[2].ID, f.Bo.ID, Day))
	return f
}

// add adds a random task. Now and then its time is before that of the previous
// task.
func (f *Gallery) add(t *testing.T) {
	t.Helper()
	r := f.Random
	task := NewTask([]int64{f.Ann.ID, f.Bo.ID}[r.IntN(2)], []string{"a red kite", "a boat", "kites über dem Meer", "红色的风筝"}[r.IntN(4)])
	task.Scene = []string{"text-to-video", "image-to-video"}[r.IntN(2)]
	task.Model = []string{"veo3", `o"dd'%`, "bytedance/v1"}[r.IntN(3)]
	task.Options.AspectRatio = []string{"", "16:9", "9:16"}[r.IntN(3)]
	task.CreatedAt = Day.Add(time.Duration(len(f.IDs)) * time.Hour)
	if r.IntN(8) == 0 {
		task.CreatedAt = task.CreatedAt.Add(-10 * time.Hour)
	}
	for _, m := range f.members {
		if r.IntN(3) == 0 {
			task.Cast = append(task.Cast, cast.AppearanceOf(m))
		}
	}
	shown := task.Cast
	Queue(t, f.Store, &task)
	for _, a := range shown {
		f.Shown[task.ID] = append(f.Shown[task.ID], a.MemberID)
	}
	state := []db.State{db.Success, db.Success, db.Success, db.Failed, db.Pending, db.Unconfirmed}[r.IntN(6)]
	f.IDs = append(f.IDs, Bring(t, f.Store, task.ID, state, Day).ID)
	if state == db.Success && r.IntN(3) > 0 {
		_, err := f.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { return t.Keep(nil, true) })
		must(t, err)
	}
}

// Change makes one random change that affects what filters return.
func (f *Gallery) Change(t *testing.T) {
	t.Helper()
	r, ctx := f.Random, t.Context()
	by := []db.User{f.Ann, f.Bo}[r.IntN(2)]
	var some []int64
	for range 1 + r.IntN(8) {
		some = append(some, f.IDs[r.IntN(len(f.IDs))])
	}
	var err error
	switch r.IntN(9) {
	case 0:
		_, err = f.Tasks.StarTasks(ctx, by, some, r.IntN(3) > 0)
	case 1:
		_, err = f.Tasks.PrivateTasks(ctx, by, some, r.IntN(2) == 0)
	case 2:
		_, err = f.Tags.TagTasks(ctx, by, some, []string{"Spring"}, []string{"Ärger"}, Day)
	case 3:
		_, err = f.Tags.TagTasks(ctx, by, some, []string{"Ärger"}, nil, Day)
	case 4:
		_, err = f.Bin.DeleteTasks(ctx, by, some, Day)
	case 5:
		_, err = f.Bin.RestoreTasks(ctx, by, some)
	case 6:
		_, err = f.Collections.AddToCollection(ctx, f.CollectionIDs[r.IntN(2)], by.ID, some, Day)
	case 7:
		_, err = f.Collections.RemoveFromCollection(ctx, f.CollectionIDs[r.IntN(2)], by.ID, some[:1], Day)
	case 8:
		_, err = f.Tasks.UpdateTask(ctx, some[0], func(t *db.Task) error {
			if t.State == db.Pending {
				return t.Report(db.Report{Status: "success"}, Day, Day)
			}
			t.Prompt, t.Model, t.Options.AspectRatio = "a red boat", "veo3", "1:1"
			return nil
		})
	}
	must(t, err)
}

// SomeFilter returns a filter with a random choice of conditions.
func (f *Gallery) SomeFilter() gallery.Filter {
	r := f.Random
	by := gallery.Filter{Viewer: []int64{f.Ann.ID, f.Bo.ID, 99}[r.IntN(3)]}
	maybe := func(choose func()) {
		if r.IntN(4) == 0 {
			choose()
		}
	}
	maybe(func() { by.Query = []string{"kite", "boat", "风筝", "红", "nothing"}[r.IntN(5)] })
	maybe(func() { by.Makers = some(r, f.Ann.ID, f.Bo.ID, 99) })
	maybe(func() { by.Scenes = some(r, "text-to-video", "no such", "image-to-video") })
	maybe(func() { by.Models = some(r, "veo3", `o"dd'%`, "bytedance/v1", "?2") })
	maybe(func() { by.Ratios = some(r, "16:9", "9:16", "1:1") })
	maybe(func() { by.States = some(r, gallery.AnyState, db.Failed, db.Pending, db.Success, "no such") })
	maybe(func() { by.Starred = true })
	maybe(func() { by.Tags = some(r, "SPRING", "ärger", "Spring", "none") })
	maybe(func() { by.Collections = some(r, f.CollectionIDs[0], f.CollectionIDs[1], f.CollectionIDs[2], 4711) })
	maybe(func() { by.Cast = some(r, 1, 2, int64(99)) })
	maybe(func() { by.From = Day.Add(time.Duration(r.IntN(130)) * time.Hour) })
	maybe(func() { by.Until = Day.Add(time.Duration(r.IntN(130)) * time.Hour) })
	return by
}

// some returns one or several random values, possibly the same one twice.
func some[T any](r *rand.Rand, values ...T) (chosen []T) {
	for range 1 + max(0, r.IntN(5)-1) {
		chosen = append(chosen, values[r.IntN(len(values))])
	}
	return chosen
}
