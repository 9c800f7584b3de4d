package video_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/review"
	"dailies/db/store"
	"dailies/db/store/suite"
)

// takesOf returns the IDs of the takes of the video that the viewer may see.
func takesOf(t *testing.T, s *store.Store, viewer, id int64) []int64 {
	t.Helper()
	task, err := s.Tasks.Task(t.Context(), id)
	must(t, err)
	takes, err := s.Takes.Of(t.Context(), viewer, task.Stack)
	must(t, err)
	return suite.IDs(takes)
}

// press queues the tasks in one submission, and returns their IDs.
func press(t *testing.T, s *store.Store, tasks ...db.Task) []int64 {
	t.Helper()
	kept, err := s.AddTasks(t.Context(), tasks)
	must(t, err)
	return suite.IDs(kept)
}

// twin returns a new task of the person that is a take of those with the same twins.
func twin(maker int64, twins string) db.Task {
	task := suite.NewTask(maker, "a boat")
	task.TakeGroup, task.Batch = twins, "press"
	return task
}

func TestOneRuleMakesTakes(t *testing.T) {
	h := newTeam(t)
	bo := h.Bo.ID
	for reuse, is := range map[db.Reuse]bool{
		db.Copied: true, db.Reseeded: true, db.Finalized: true, db.Retried: true, db.Answered: true,
		db.Prompted: false, db.Pictured: false, db.Continued: false, db.NoReuse: false,
	} {
		first := h.from(t, bo, 0, db.NoReuse, "", db.Success)
		second := h.from(t, bo, first, reuse, "", db.Success)
		if want := map[bool][]int64{true: {first, second}}[is]; !slices.Equal(takesOf(t, h.Store, bo, first), want) {
			t.Errorf("%q: %v, want %v", reuse, takesOf(t, h.Store, bo, first), want)
		}
		if third := h.from(t, bo, second, reuse, "", db.Success); is {
			suite.Same(t, takesOf(t, h.Store, bo, second), []int64{first, second, third})
		}
	}
	// Of one submission, those of one line are takes, but neither lines nor rows.
	ids := press(t, h.Store, twin(bo, "line 1"), twin(bo, "line 1"), twin(bo, "line 2"), twin(bo, "line 2"), twin(bo, ""), twin(bo, ""))
	suite.Same(t, takesOf(t, h.Store, bo, ids[0]), ids[:2])
	suite.Same(t, takesOf(t, h.Store, bo, ids[3]), ids[2:4])
	suite.Same(t, takesOf(t, h.Store, bo, ids[4]), nil)
}

func TestTakesThatMayNotBeSeenAreNotCounted(t *testing.T) {
	h := newTeam(t)
	ann, bo := h.Ann.ID, h.Bo.ID
	first := h.from(t, bo, 0, db.NoReuse, "", db.Success)
	failed := h.from(t, bo, first, db.Copied, "", db.Failed)
	again := h.from(t, bo, failed, db.Retried, "", db.Success)
	private := h.from(t, bo, again, db.Copied, "", db.Success)
	_, err := h.Tasks.PrivateTasks(t.Context(), h.Bo, []int64{private}, true)
	must(t, err)
	running := h.from(t, bo, first, db.Answered, "", db.Pending)
	binned := h.from(t, bo, first, db.Copied, "", db.Success)
	last := h.from(t, ann, first, db.Copied, "", db.Success)
	_, err = h.Bin.DeleteTasks(t.Context(), h.Bo, []int64{binned}, suite.Day)
	must(t, err)
	suite.Same(t, takesOf(t, h.Store, bo, failed), []int64{first, again, private, running, last})
	suite.Same(t, takesOf(t, h.Store, ann, first), []int64{first, again, last})
	ready, err := h.Takes.Ready(t.Context(), ann, []int64{first, 4711})
	must(t, err)
	if len(ready) != 1 || !slices.Equal(ready[first], []int64{first, again, last}) {
		t.Errorf("%v", ready)
	}
}

func TestATakeIsTakenOutAndPutIntoAnotherStack(t *testing.T) {
	h := newTeam(t)
	bo := h.Bo.ID
	first := h.from(t, bo, 0, db.NoReuse, "", db.Success)
	second, third := h.from(t, bo, first, db.Copied, "", db.Success), h.from(t, bo, first, db.Copied, "", db.Success)
	stack := func(id, with int64) {
		t.Helper()
		must(t, h.Takes.Stack(t.Context(), h.Bo, id, with))
	}
	stack(first, 0)
	suite.Same(t, takesOf(t, h.Store, bo, first), nil)
	suite.Same(t, takesOf(t, h.Store, bo, second), []int64{second, third})
	// What is made of the first from now on is in a stack of its own.
	fourth := h.from(t, bo, first, db.Copied, "", db.Success)
	suite.Same(t, takesOf(t, h.Store, bo, first), []int64{first, fourth})
	stack(third, first)
	suite.Same(t, takesOf(t, h.Store, bo, third), []int64{first, third, fourth})
	suite.Same(t, takesOf(t, h.Store, bo, second), nil) // one alone is no take
	stack(third, first)
	stack(h.Anns, second)
	suite.Same(t, takesOf(t, h.Store, bo, second), []int64{h.Anns, second})
	stack(h.Anns, 0)
	stack(h.Anns, 0)
	for _, with := range []int64{first, 4711, h.AnnsPrivate, h.AnnsFailed} {
		if err := h.Takes.Stack(t.Context(), h.Bo, first, with); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("with %d: %v", with, err)
		}
	}
	if err := h.Takes.Stack(t.Context(), h.Bo, h.AnnsPrivate, first); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("a private video: %v", err)
	}
	for action, want := range map[audit.Action]int{audit.Stacked: 2, audit.Unstacked: 2} {
		entries, err := h.Audit.Entries(t.Context(), audit.Search{Action: action, Limit: 9})
		must(t, err)
		if len(entries) != want {
			t.Errorf("%s: %+v", action, entries)
		}
	}
}

func TestNotesAndAnswersStayWithTheirTake(t *testing.T) {
	h := newTeam(t)
	first := h.from(t, h.Bo.ID, 0, db.NoReuse, "", db.Success)
	share := deciding(t, h.Store, first, h.Bo.ID)
	mara := suite.AddGuest(t, h.Store, share.ID, "Mara")
	note := suite.AddNote(t, h.Store, review.Note{TaskID: first, ShareID: share.ID, Author: mara.Author()})
	other := suite.AddNote(t, h.Store, review.Note{TaskID: h.Bos, Author: review.Author{UserID: h.Bo.ID}})
	must(t, h.Guests.Decide(t.Context(), review.Verdict{TaskID: first, ShareID: share.ID, Guest: mara, Answer: review.Changes, Body: "Red", ChangedAt: suite.Day}))
	answer := suite.NewTask(h.Bo.ID, "a red boat")
	answer.ParentID, answer.Reuse, answer.NoteIDs = first, db.Answered, []int64{note.ID, other.ID, 4711}
	second := press(t, h.Store, answer)[0]
	third := h.from(t, h.Bo.ID, first, db.Copied, "", db.Success)
	notes, err := h.Notes.Of(t.Context(), second, third)
	must(t, err)
	verdicts, err := h.Guests.Verdicts(t.Context(), []int64{second, third})
	must(t, err)
	if len(notes)+len(verdicts) > 0 {
		t.Errorf("carried over: %+v, %+v", notes, verdicts)
	}
	answered, err := h.Takes.Answers(t.Context(), first)
	must(t, err)
	if len(answered) != 1 || !slices.Equal(answered[note.ID], []int64{second}) {
		t.Errorf("%v", answered)
	}
	must(t, h.Notes.DeleteNote(t.Context(), note.ID, note.Author, suite.Day))
	if answered, err = h.Takes.Answers(t.Context(), first); err != nil || len(answered) > 0 {
		t.Errorf("%v, %v", answered, err)
	}
}

// Videos of earlier versions get stacks as far as it is known how they were made.
func TestVideosOfEarlierVersionsAreStacked(t *testing.T) {
	s, raw := suite.OpenRaw(t)
	ann := suite.AddUser(t, s, "Ann")
	add := func(parent int64, reuse db.Reuse, batch, token string) int64 {
		t.Helper()
		task := suite.NewTask(ann.ID, "a boat")
		task.ParentID, task.Reuse, task.Batch, task.FormToken = parent, reuse, batch, token
		return press(t, s, task)[0]
	}
	one, two := add(0, db.NoReuse, "a", "x 1"), add(0, db.NoReuse, "a", "x 1 2")
	again := add(two, db.Copied, "", "y")
	retried := add(again, db.Retried, "", "z")
	row, otherRow := add(0, db.NoReuse, "b", "t row 0"), add(0, db.NoReuse, "b", "t row 1")
	line1, line1too := add(0, db.NoReuse, "c", "t line 0 0"), add(0, db.NoReuse, "c", "t line 0 1")
	line2 := add(0, db.NoReuse, "c", "t line 1 0")
	scene := add(one, db.Continued, "", "s")
	prompted := add(one, db.Prompted, "", "p")
	final1, final2 := add(scene, db.Finalized, "d", "f"), add(scene, db.Finalized, "d", "f 2")

	name := "../sqlite/migrations/*_takes.sql"
	if suite.OnServer() {
		name = "../postgres/migrations/*_takes.sql"
	}
	names, err := filepath.Glob(name)
	must(t, err)
	text, err := os.ReadFile(names[0])
	must(t, err)
	_, derivation, _ := strings.Cut(string(text), "CREATE TABLE stacking")
	derivation, _, _ = strings.Cut(derivation, "DROP TABLE stacking;")
	for _, statement := range []string{`UPDATE tasks SET stack = NULL`, "CREATE TABLE stacking" + derivation} {
		_, err = raw.Exec(statement)
		must(t, err)
	}
	for _, want := range [][]int64{{one, two, again, retried}, {line1, line1too}, {scene, final1, final2}} {
		for _, id := range want {
			suite.Same(t, takesOf(t, s, ann.ID, id), want)
		}
	}
	for _, id := range []int64{row, otherRow, line2, prompted} {
		suite.Same(t, takesOf(t, s, ann.ID, id), nil)
	}
}
