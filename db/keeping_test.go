package db_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"dailies/db"
)

func saving() db.Task {
	return db.Task{State: db.Success, Files: db.Files{Keeping: db.Saving, Results: []db.Result{clip}}, NextAt: noon}
}

func TestExpiredLinkIsRefreshed(t *testing.T) {
	task := saving()
	must(t, task.Gone(noon, later))
	if !task.Refreshable() || task.Keeping != db.Saving || !task.NextAt.Equal(noon) {
		t.Fatalf("got %+v", task)
	}
	fresh := db.Result{Kind: db.Video, URL: "https://example.com/fresh.mp4"}
	must(t, task.Refresh([]db.Result{fresh}, noon))
	if task.Refreshable() || task.Results[0] != fresh || !task.NextAt.Equal(noon) {
		t.Fatalf("got %+v", task)
	}
	must(t, task.Keep([]db.Media{{Kind: db.Video}}, true))
	if task.Keeping != db.Kept || task.Message != "" || task.ErrorKind != db.NoError {
		t.Errorf("got %+v", task)
	}
}

func TestFileThatIsGoneAfterARefreshIsLost(t *testing.T) {
	task := saving()
	must(t, task.Gone(noon, later))
	must(t, task.Refresh(nil, noon))
	if len(task.Results) != 1 {
		t.Error("the old address is forgotten")
	}
	must(t, task.Gone(noon, later))
	// Another error in between does not mean that the file is gone.
	must(t, task.Retry(db.ServiceError, "down", later))
	for range 4 {
		must(t, task.Gone(noon, later))
		if task.Keeping != db.Saving {
			t.Fatalf("lost too early: %+v", task)
		}
	}
	task.DoneAt = noon.Add(-time.Minute) // it has only just finished
	must(t, task.Gone(noon, later))
	if task.Keeping != db.Saving {
		t.Fatal("the file of a new video was believed to be gone")
	}
	task.DoneAt = noon.Add(-time.Hour)
	must(t, task.Gone(noon, later))
	if task.Keeping != db.Lost || task.Message == "" || !task.NextAt.IsZero() || len(task.Results) != 1 {
		t.Errorf("got %+v", task)
	}
}

func TestUserCanRetryLostFiles(t *testing.T) {
	task := saving()
	task.RefreshedAt = noon
	must(t, task.LoseFiles("gone"))
	must(t, task.KeepAgain(later))
	if task.Keeping != db.Saving || !task.NextAt.Equal(later) || !task.RefreshedAt.IsZero() || task.Message != "" {
		t.Errorf("got %+v", task)
	}
}

func TestRefreshWithFewerVideosKeepsTheOldAddresses(t *testing.T) {
	task := saving()
	task.Results = []db.Result{clip, clip}
	must(t, task.Refresh([]db.Result{{Kind: db.Video, URL: "https://example.com/other.mp4"}}, noon))
	if len(task.Results) != 2 {
		t.Errorf("got %v", task.Results)
	}
}

// A refreshed link may expire like the first one.
func TestExpiredFreshLinkIsRefreshedAgain(t *testing.T) {
	task := saving()
	must(t, task.Gone(noon, later))
	must(t, task.Refresh(nil, noon))
	must(t, task.Gone(noon.Add(25*time.Hour), later))
	if !task.Refreshable() {
		t.Errorf("got %+v", task)
	}
}

// The days for which copies fail count from the first failure, however long ago the
// video was finished, because Dailies may have been off.
func TestDaysOfFailuresCountFromTheFirstOne(t *testing.T) {
	const day = 24 * time.Hour
	task := saving()
	task.DoneAt = noon.Add(-30 * day)
	now := noon
	fail := func() { must(t, task.FailCopy(db.ServiceError, "down", now, now.Add(time.Minute))) }
	failFor := func(d time.Duration) {
		for end := now.Add(d); now.Before(end); now = now.Add(time.Hour) {
			fail()
			if task.Keeping != db.Saving || task.Refreshable() {
				t.Fatalf("after %v: %+v", now.Sub(noon), task)
			}
		}
	}
	failFor(3*day + time.Hour)
	fail()
	if !task.Refreshable() || !task.NextAt.Equal(now) {
		t.Fatalf("the service is not asked for a fresh link: %+v", task)
	}
	// The service may not answer at once either.
	must(t, task.FailCopy(db.KeyError, "no key", now, now.Add(time.Minute)))
	if task.Keeping != db.Saving {
		t.Fatalf("lost with the first question: %+v", task)
	}
	must(t, task.Refresh(nil, now))
	failFor(3*day + time.Hour)
	fail()
	if task.Keeping != db.Lost || task.Message == "" {
		t.Errorf("got %+v", task)
	}
}

// A link that leads to something else is replaced at once, and then twice a day. A host
// that never answers with the video is given up after some days.
func TestALinkThatLeadsElsewhereIsReplacedForDays(t *testing.T) {
	task, asked, now := saving(), 0, noon
	task.DoneAt = noon
	for ; task.Keeping == db.Saving && now.Sub(noon) < 30*24*time.Hour; now = now.Add(10 * time.Minute) {
		if db.IsStale(task, now) {
			must(t, task.Gone(now, later))
		} else {
			must(t, task.FailCopy(db.ServiceError, "no video", now, later))
		}
		if task.Refreshable() {
			if asked++; !task.NextAt.Equal(now) {
				t.Fatalf("the service is asked at %v", task.NextAt)
			}
			must(t, task.Refresh(nil, now))
		}
		if asked == 0 {
			t.Fatal("the service is not asked at once")
		}
	}
	if days := now.Sub(noon).Hours() / 24; task.Keeping != db.Lost || task.Message == "" || days < 7 || days > 11 || asked < 10 || asked > 14 {
		t.Errorf("after %.1f days and %d questions: %+v", days, asked, task)
	}
}

// A clock that jumps does not make the copies fail for days.
func TestClockThatJumpsLosesNoFile(t *testing.T) {
	for _, jump := range []time.Duration{-30 * 24 * time.Hour, 30 * 24 * time.Hour} {
		task := saving()
		must(t, task.FailCopy(db.ServiceError, "down", noon, later))
		must(t, task.FailCopy(db.ServiceError, "down", noon.Add(jump), later))
		must(t, task.FailCopy(db.ServiceError, "down", noon.Add(jump), later))
		if task.Keeping != db.Saving || task.Refreshable() || task.FailingSince.After(noon.Add(jump)) {
			t.Errorf("after a jump of %v: %+v", jump, task)
		}
	}
}

func TestFewVideosOfManyAreWanted(t *testing.T) {
	task := saving()
	task.Results = nil
	for i := range 3000 {
		task.Results = append(task.Results, db.Result{Kind: db.Video, URL: fmt.Sprintf("https://example.com/%d.mp4", i)}, db.Result{Kind: db.Cover, URL: "https://example.com/c.jpg"})
	}
	wanted := task.Wanted()
	if len(wanted) != db.MaxVideos+1 || wanted[db.MaxVideos].Kind != db.Cover || wanted[1].Position != 1 {
		t.Errorf("got %+v", wanted)
	}
	task.Media = []db.Media{{Kind: db.Video, Position: 1}, {Kind: db.Cover}}
	if wanted := task.Wanted(); len(wanted) != db.MaxVideos-1 || wanted[1].Position != 2 {
		t.Errorf("got %+v", wanted)
	}
	// The eight videos that the service now lists replace the addresses, although
	// they are fewer than 3000.
	var eight []db.Result
	for i := range db.MaxVideos {
		eight = append(eight, db.Result{Kind: db.Video, URL: fmt.Sprintf("https://example.com/fresh/%d.mp4", i)})
	}
	must(t, task.Refresh(eight, noon))
	if len(task.Results) != db.MaxVideos {
		t.Errorf("%d addresses", len(task.Results))
	}
}

func TestHostsTakeTurns(t *testing.T) {
	task := saving()
	task.Results = []db.Result{
		{Kind: db.Video, URL: "https://Slow.example.:443/a.mp4"}, {Kind: db.Video, URL: "http://quick.example/b.mp4"},
		{Kind: db.Video, URL: "https://slow.example/c.mp4"}, {Kind: db.Cover, URL: "https://covers.example/c.jpg"},
	}
	var got []string
	for range 3 {
		got = append(got, task.CopyHost())
		task.Attempts++
	}
	if want := []string{"slow.example:443", "quick.example:80", "slow.example:443"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	task.Keeping = db.Kept
	if h := task.CopyHost(); h != "" {
		t.Errorf("a kept one is copied from %q", h)
	}
}

func TestFilesChangeOnlyWhileTheyAreSaved(t *testing.T) {
	for _, k := range []db.Keeping{db.NothingToKeep, db.Saving, db.Kept, db.Lost} {
		for name, step := range map[string]struct {
			do   func(*db.Task) error
			from db.Keeping
		}{
			"keep":       {func(t *db.Task) error { return t.Keep(nil, true) }, db.Saving},
			"gone":       {func(t *db.Task) error { return t.Gone(noon, later) }, db.Saving},
			"refresh":    {func(t *db.Task) error { return t.Refresh(nil, noon) }, db.Saving},
			"lose":       {func(t *db.Task) error { return t.LoseFiles("gone") }, db.Saving},
			"keep again": {func(t *db.Task) error { t.Results = []db.Result{clip}; return t.KeepAgain(noon) }, db.Lost},
			"fail":       {func(t *db.Task) error { return t.FailCopy(db.ServiceError, "down", noon, later) }, db.Saving},
		} {
			task := db.Task{State: db.Success, Files: db.Files{Keeping: k}}
			if err := step.do(&task); (err == nil) != (k == step.from) || err != nil && !errors.Is(err, db.ErrConflict) {
				t.Errorf("%s from %q: got %v", name, k, err)
			}
		}
	}
}

// A program that rarely ran has tried a few times only, over however many days.
func TestACopyIsNotGivenUpAfterAFewAttempts(t *testing.T) {
	task, now := saving(), noon
	task.DoneAt = noon
	for n := range 19 {
		must(t, task.FailCopy(db.ServiceError, "down", now, now.Add(time.Hour)))
		if task.Keeping != db.Saving || task.Refreshable() || task.Attempts != n+1 {
			t.Fatalf("after %d attempts: %+v", n+1, task)
		}
		now = now.Add(24 * time.Hour)
	}
	must(t, task.FailCopy(db.ServiceError, "down", now, now.Add(time.Hour)))
	if !task.Refreshable() {
		t.Errorf("after 20 attempts no fresh link is asked for: %+v", task)
	}
}

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
		must(t, early.RetryAddress(db.TaskError, "it is another key's", noon.Add(71*time.Hour), later))
	}
	if !early.LacksAddress() || early.Message != "it is another key's" || early.ErrorKind != db.TaskError {
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
