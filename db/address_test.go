package db_test

import (
	"errors"
	"testing"
	"time"

	"dailies/db"
)

// cover is a result that is not a video.
var cover = db.Result{Kind: db.Cover, URL: "https://example.com/c.jpg"}

// unaddressed returns a finished task for which the service named only a cover.
func unaddressed(t *testing.T) db.Task {
	t.Helper()
	task := db.Task{ID: 7, State: db.Processing, Charged: paid}
	must(t, task.Report(db.Report{Status: "success", Results: []db.Result{cover}}, noon, later))
	if !task.LacksAddress() || task.Keeping != db.Saving || !task.NextAt.Equal(later) || !task.DoneAt.Equal(noon) {
		t.Fatalf("got %+v", task)
	}
	return task
}

func TestAddressThatComesLaterIsTaken(t *testing.T) {
	task := unaddressed(t)
	must(t, task.ReportAgain(db.Report{Status: "success"}, noon, later))
	must(t, task.ReportAgain(db.Report{Status: "processing"}, noon, later))
	if !task.LacksAddress() || task.Attempts != 2 || !task.NextAt.Equal(later) {
		t.Fatalf("got %+v", task)
	}
	must(t, task.ReportAgain(db.Report{Status: "success", Results: []db.Result{clip, cover}}, later, later.Add(time.Hour)))
	if task.LacksAddress() || task.State != db.Success || task.Keeping != db.Saving || len(task.Results) != 2 ||
		!task.NextAt.Equal(later) || task.Attempts != 0 || !task.DoneAt.Equal(noon) {
		t.Errorf("got %+v", task)
	}
	if err := task.ReportAgain(db.Report{Status: "success"}, noon, later); !errors.Is(err, db.ErrConflict) {
		t.Errorf("got %v", err)
	}
}

func TestFailureAfterASuccessWithoutAddressReturnsTheCredits(t *testing.T) {
	task := unaddressed(t)
	must(t, task.ReportAgain(db.Report{Status: "failed", Reason: "too dark"}, noon, later))
	if task.State != db.Failed || task.Keeping != db.NothingToKeep || task.Returned != paid || task.Message != "too dark" || !task.NextAt.IsZero() {
		t.Errorf("got %+v", task)
	}
}

func TestAddressIsGivenUpAfterThreeDaysAndManyQueries(t *testing.T) {
	task := unaddressed(t)
	for range 23 { // a clock that jumps ahead by a month does not end the queries
		must(t, task.ReportAgain(db.Report{Status: "success"}, noon.AddDate(0, 1, 0), later))
		if !task.LacksAddress() {
			t.Fatalf("given up after %d questions", task.Attempts)
		}
	}
	early := task
	for range 100 {
		must(t, early.RetryAddress(db.BlameTask, "it is another key's", noon.Add(71*time.Hour), later))
	}
	if !early.LacksAddress() || early.Message != "it is another key's" || early.Blame != db.BlameTask {
		t.Errorf("after 71 hours: %+v", early)
	}
	must(t, task.ReportAgain(db.Report{Status: "success"}, noon.Add(73*time.Hour), later))
	if task.Keeping != db.Lost || task.Message == "" || !task.NextAt.IsZero() {
		t.Fatalf("got %+v", task)
	}
	must(t, task.KeepAgain(later))
	if !task.LacksAddress() || !task.NextAt.Equal(later) {
		t.Errorf("asked again: %+v", task)
	}
}

func TestUserCanHaveTheAddressQueriedAtOnce(t *testing.T) {
	task := unaddressed(t)
	task.Attempts, task.NextAt = 9, later.Add(time.Hour)
	must(t, task.KeepAgain(noon))
	if !task.NextAt.Equal(noon) || task.Attempts != 9 {
		t.Errorf("got %+v", task)
	}
}
