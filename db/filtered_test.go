package db_test

import (
	"testing"
	"time"

	"dailies/db"
)

func TestAFilteredVideoIsAskedAboutOnceMoreAndKeepsItsCharge(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	filtered := db.Report{Status: "success", Charged: db.CreditsOf(30), Filtered: true, Reason: "It was filtered."}
	link := db.Report{Status: "success", Results: []db.Result{{Kind: db.Video, URL: "https://example.com/a.mp4"}}}
	begin := func() db.Task { return db.Task{State: db.Processing, Charged: db.CreditsOf(30)} }

	task := begin()
	if err := task.Report(filtered, now, now.Add(time.Second)); err != nil || task.State != db.Processing || task.NextAt.IsZero() {
		t.Fatalf("after the first answer it is %s, %v", task.State, err)
	}
	again := task
	if err := task.Report(filtered, now, now); err != nil || task.State != db.Failed || !task.Filtered() || !task.NextAt.IsZero() {
		t.Errorf("after the second it is %s, %v", task.State, err)
	}
	if task.Message != "It was filtered." || task.Returned.Known || task.RefundMissing() || task.Paid() != db.CreditsOf(30) {
		t.Errorf("it says %q, with %v returned, and %v paid", task.Message, task.Returned, task.Paid())
	}
	if err := again.Report(link, now, now); err != nil || again.State != db.Success || again.Keeping != db.Saving || again.Message != "" {
		t.Errorf("a link that comes late is not taken: %s, %v", again.State, err)
	}

	// A filter may be named only after the end of the video was, and a query may fail.
	task = begin()
	for i, step := range []func() error{
		func() error { return task.Report(db.Report{Status: "success"}, now, now) },
		func() error { return task.ReportAgain(filtered, now, now) },
		func() error { return task.RetryAddress(db.BlameService, "No answer.", now, now) },
		func() error { return task.ReportAgain(filtered, now, now) },
	} {
		if err := step(); err != nil {
			t.Fatal(i, err)
		}
		if ended := task.State == db.Failed; ended != (i == 3) {
			t.Errorf("step %d: it is %s", i, task.State)
		}
	}
	if !task.Filtered() || task.Keeping != db.NothingToKeep || task.Returned.Known {
		t.Errorf("it ended as %s with %v", task.State, task.Returned)
	}

	// A service that takes back the charge has returned it.
	task = begin()
	filtered.Charged = db.CreditsOf(0)
	_, _ = task.Report(filtered, now, now), task.Report(filtered, now, now)
	if task.Paid() != db.CreditsOf(0) {
		t.Errorf("paid %v", task.Paid())
	}
}
