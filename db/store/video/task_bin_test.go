package video_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/spending"
	"dailies/db/store/suite"
)

// due is when the bin deletes for good what was put into it on day.
var due = suite.Day.Add(db.BinLife)

func TestAPurgeLeavesWhatItCostAndNothingElse(t *testing.T) {
	h := newTeam(t)
	_, err := h.Tasks.UpdateTask(t.Context(), h.Bos, func(t *db.Task) error { t.Prompt = "红色的风筝"; return nil },
		db.Answer{Call: "query", Status: "success", Body: "{}", At: suite.Day})
	must(t, err)
	_, err = h.Tags.TagTasks(t.Context(), h.Bo, []int64{h.Bos}, []string{"x"}, nil, suite.Day)
	must(t, err)
	usage := func() []spending.Sum {
		t.Helper()
		found, err := h.Usage.Spending(t.Context(), spending.Filter{}, spending.ByPerson)
		must(t, err)
		return found
	}
	before := usage()
	_, err = h.Bin.DeleteTasks(t.Context(), h.Bo, []int64{h.Bos, h.BosF}, suite.Day)
	must(t, err)
	gone, n, err := h.Bin.Purge(t.Context(), due.Add(-time.Millisecond), 10)
	if len(gone) > 0 || n > 0 || err != nil {
		t.Fatalf("too early: %v, %d, %v", gone, n, err)
	}
	gone, n, err = h.Bin.Purge(t.Context(), due, 10)
	must(t, err)
	if task, err := h.Tasks.Task(t.Context(), h.Bos); err != nil || n != 2 || len(gone) != 1 || task.Prompt != "" || len(task.Media) > 0 ||
		len(task.Tags) > 0 || task.Results != nil || task.VisibleTo(h.Bo.ID) || task.Charged != db.CreditsOf(30) || task.Model != "veo3" {
		t.Errorf("%d purged, %v gone, %v: %+v", n, gone, err, task)
	}
	answers, err := h.Tasks.Answers(t.Context(), h.Bos)
	must(t, err)
	suite.Same(t, answers, nil)
	suite.Same(t, usage(), before)
	for _, f := range []gallery.Filter{{States: []db.State{gallery.AnyState}}, {Query: "风筝", States: []db.State{gallery.AnyState}}, {Tags: []string{"x"}, States: []db.State{gallery.AnyState}}} {
		f.Viewer = h.Bo.ID
		if found := h.find(t, f); slices.Contains(found, h.Bos) {
			t.Errorf("%+v finds it", f)
		}
		if tags, err := h.Search.CountFacet(t.Context(), f, gallery.ByTag); err != nil || tags["x"] > 0 {
			t.Errorf("%+v counts %+v, %v", f, tags, err)
		}
	}
	suite.Same(t, h.bin(t, h.Bo), nil)
	if restored, err := h.Bin.RestoreTasks(t.Context(), h.Bo, []int64{h.Bos}); len(restored) > 0 || err != nil {
		t.Errorf("restored %v, %v", restored, err)
	}
}

func TestTaskWithoutFilesIsPurgedToo(t *testing.T) {
	h := newTeam(t)
	_, err := h.Bin.DeleteTasks(t.Context(), h.Bo, []int64{h.BosF}, suite.Day)
	must(t, err)
	if gone, n, err := h.Bin.Purge(t.Context(), due, 10); len(gone) > 0 || n != 1 || err != nil {
		t.Errorf("%d purged, %v gone, %v", n, gone, err)
	}
}

func TestFileInUseElsewhereIsNotALeftover(t *testing.T) {
	h := newTeam(t)
	share := func(id int64) {
		t.Helper()
		_, err := h.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
			t.Media = append(t.Media, db.Media{Kind: db.Cover, Hash: "one cover", CreatedAt: suite.Day})
			return nil
		})
		must(t, err)
	}
	share(h.Bos)
	share(h.Anns)
	must(t, h.Pictures.AddPicture(t.Context(), &ordering.Picture{UserID: h.Bo.ID, Token: "t", Hash: "hash 4", Type: "image/png", CreatedAt: suite.Day}))
	_, err := h.Bin.DeleteTasks(t.Context(), h.Bo, []int64{h.Bos, h.BosPrivate}, suite.Day)
	must(t, err)
	gone, n, err := h.Bin.Purge(t.Context(), due, 1)
	if n != 1 || len(gone) > 0 || err != nil {
		t.Errorf("%v gone, %d purged, %v", gone, n, err) // the video is also an uploaded picture, the cover also another video's cover
	}
	gone, n, err = h.Bin.Purge(t.Context(), due, 1)
	if n != 1 || err != nil || !slices.Equal(gone, []string{"hash 5"}) {
		t.Errorf("%v gone, %d purged, %v", gone, n, err)
	}
	left, err := h.Files.Leftovers(t.Context(), due)
	must(t, err)
	suite.Same(t, left, []string{"hash 5"})
	if early, err := h.Files.Leftovers(t.Context(), due.Add(-1)); len(early) > 0 || err != nil {
		t.Errorf("early: %v, %v", early, err)
	}

	// A leftover stays until it was removed, and is not removed once it is in use
	// again.
	called := 0
	must(t, h.Files.DropLeftover(t.Context(), "hash 5", func(context.Context) (bool, error) { called++; return false, nil }))
	left, err = h.Files.Leftovers(t.Context(), due)
	must(t, err)
	suite.Same(t, left, []string{"hash 5"})
	must(t, h.Pictures.AddPicture(t.Context(), &ordering.Picture{UserID: h.Bo.ID, Token: "u", Hash: "hash 5", Type: "image/png", CreatedAt: suite.Day}))
	must(t, h.Files.DropLeftover(t.Context(), "hash 5", func(context.Context) (bool, error) { called++; return true, nil }))
	if left, err = h.Files.Leftovers(t.Context(), due); len(left) > 0 || err != nil || called != 1 {
		t.Errorf("left %v, %v, asked for removal %d times", left, err, called)
	}
}

// While one process removes a file, another process that wants to store it sees
// that; before and after, it does not.
func TestARemovalIsKnownToOtherProcesses(t *testing.T) {
	stores := suite.OpenTwice(t)
	is := func() bool {
		t.Helper()
		removing, err := stores[1].Files.IsRemoving(t.Context(), "a file")
		must(t, err)
		return removing
	}
	if stores[0].IsShared() {
		must(t, stores[0].Enter(t.Context(), false))
	}
	must(t, stores[0].Files.LeaveOver(t.Context(), suite.Day, "a file"))
	for _, gone := range []bool{false, true} {
		before, during := is(), false
		must(t, stores[0].Files.DropLeftover(t.Context(), "a file", func(context.Context) (bool, error) {
			if stores[0].IsShared() { // a third process starts
				_, err := stores[1].Leases.Recover(t.Context(), suite.Day)
				must(t, err)
			}
			during = is()
			return gone, stores[1].Files.DropLeftover(t.Context(), "a file", func(context.Context) (bool, error) {
				t.Error("two remove it at once")
				return true, nil
			})
		}))
		if before || !during || is() {
			t.Errorf("it is being removed before: %t, during: %t, after: %t", before, during, is())
		}
	}
	must(t, stores[0].Files.LeaveOver(t.Context(), suite.Day, "a file"))
	failed := errors.New("no answer")
	if err := stores[0].Files.DropLeftover(t.Context(), "a file", func(context.Context) (bool, error) { return false, failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	if !is() {
		t.Error("a removal without an answer is over at once")
	}
}
