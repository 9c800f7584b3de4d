package video_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/outbox"
	"dailies/db/store/suite"
)

func TestRefusedChangeChangesNothing(t *testing.T) {
	s := suite.Open(t)
	task := suite.AddTask(t, s, suite.AddUser(t, s, "Ann").ID, "a kite")
	refused := errors.New("no")
	_, err := s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		t.Prompt = "changed"
		return refused
	}, db.Answer{Call: "create", At: suite.Day})
	if err != refused {
		t.Errorf("error %v", err)
	}
	_, err = s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { return t.Lose("x", suite.Day) })
	suite.Wants(t, err, db.ErrConflict)
	got, err := s.Tasks.Task(t.Context(), task.ID)
	must(t, err)
	suite.Same(t, got, task)
	answers, err := s.Tasks.Answers(t.Context(), task.ID)
	must(t, err)
	suite.Same(t, answers, nil)
}

func TestPanicInAChangeBlocksNobody(t *testing.T) {
	s := suite.Open(t)
	task := suite.AddTask(t, s, suite.AddUser(t, s, "Ann").ID, "a kite")
	func() {
		defer func() { _ = recover() }()
		_, _ = s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { panic("oh") })
	}()
	_, err := s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { return t.Begin(suite.Day) })
	must(t, err)
}

func TestSameFileTwiceIsAConflict(t *testing.T) {
	s := suite.Open(t)
	id := suite.AddTask(t, s, suite.AddUser(t, s, "Ann").ID, "a kite").ID
	suite.Bring(t, s, id, db.Success, suite.Day)
	keep := func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: "abc", CreatedAt: suite.Day}}, false)
	}
	_, err := s.Tasks.UpdateTask(t.Context(), id, keep)
	must(t, err)
	_, err = s.Tasks.UpdateTask(t.Context(), id, keep)
	suite.Wants(t, err, db.ErrConflict)
}

func TestNewestAnswerIsKeptOfEachCallAndState(t *testing.T) {
	s := suite.Open(t)
	id := suite.AddTask(t, s, suite.AddUser(t, s, "Ann").ID, "a kite").ID
	at := func(n int) time.Time { return suite.Day.Add(time.Duration(n) * time.Second) }
	create := db.Answer{TaskID: id, Call: "create", Status: "pending", HTTP: 200, Body: "{}", At: at(0)}
	newest := db.Answer{TaskID: id, Call: "query", Status: "processing", HTTP: 200, Body: `{"n":3}`, At: at(3)}
	broken := db.Answer{TaskID: id, Call: "query", HTTP: 502, Body: "<html>", At: at(2)}
	for _, a := range []db.Answer{
		create, {Call: "query", Status: "processing", HTTP: 200, Body: `{"n":1}`, At: at(1)}, newest, broken,
		{Call: "query", Status: "processing", HTTP: 200, Body: "late", At: at(1)},
	} {
		_, err := s.Tasks.UpdateTask(t.Context(), id, func(*db.Task) error { return nil }, a)
		must(t, err)
	}
	got, err := s.Tasks.Answers(t.Context(), id)
	must(t, err)
	suite.Same(t, got, []db.Answer{create, broken, newest})
}

// Every change of a running task is stored, alone or together with the result of a
// query.
func TestEveryChangeOfARunningTaskIsWritten(t *testing.T) {
	s := suite.Open(t)
	id := suite.Bring(t, s, suite.AddTask(t, s, suite.AddUser(t, s, "Ann").ID, "a kite").ID, db.Pending, suite.Day).ID
	for name, change := range map[string]func(*db.Task){
		"a question": func(t *db.Task) {
			t.Status, t.Progress, t.Message, t.ErrorKind = "processing", 0.4, "slow", db.ServiceError
			t.NextAt, t.Queries, t.Attempts = suite.Day.Add(time.Minute), t.Queries+1, t.Attempts+1
		},
		"the state":    func(t *db.Task) { t.State = db.Processing },
		"the price":    func(t *db.Task) { t.Charged = db.CreditsOf(30) },
		"the upstream": func(t *db.Task) { t.UpstreamID = "u" },
		"results":      func(t *db.Task) { t.Results = append(t.Results, db.Result{Kind: db.Video, URL: "https://example.com"}) },
		"a file":       func(t *db.Task) { t.Media = append(t.Media, db.Media{Kind: db.Video, Hash: "h", CreatedAt: suite.Day}) },
		"a star":       func(t *db.Task) { t.Starred = true },
		"a time":       func(t *db.Task) { t.AcceptedAt = suite.Day.Add(time.Hour) },
	} {
		suite.Claim(t, s, "me", suite.Day.Add(time.Hour), 10)
		want, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
			change(t)
			t.Queries++
			return nil
		})
		must(t, err)
		got, err := s.Tasks.Task(t.Context(), id)
		must(t, err)
		if len(want.Media) > 0 {
			want.Media[0].TaskID = id
		}
		t.Log(name)
		suite.Same(t, got, want)
		suite.Wants(t, s.Leases.Renew(t.Context(), "me", id, suite.Day.Add(2*time.Hour)), db.ErrConflict) // the change has ended its lease
	}
}

// Webhooks are told that a video failed, and never that it was ready, whether the filter is
// named with the end of the video or only later. Lists have it among the failed ones.
func TestAFilteredVideoIsToldOfAndListedAsFailed(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Bo")
	hook := suite.AddWebhook(t, s, u.ID, u.ID, outbox.VideoReady, outbox.VideoFailed)
	filtered := db.Report{Status: "success", Charged: db.CreditsOf(30), Filtered: true, Reason: "content_filter"}
	for _, reports := range [][]db.Report{{filtered, filtered}, {{Status: "success"}, filtered, filtered}} {
		id := suite.AddTask(t, s, u.ID, "a kite").ID
		_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error { t.State, t.NextAt = db.Pending, suite.Day; return nil })
		must(t, err)
		for _, report := range reports {
			_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
				if t.State == db.Success {
					return t.ReportAgain(report, suite.Day, suite.Day)
				}
				return t.Report(report, suite.Day, suite.Day)
			})
			must(t, err)
		}
		task, err := s.Tasks.Task(t.Context(), id)
		must(t, err)
		if !task.Filtered() || task.Paid() != db.CreditsOf(30) {
			t.Errorf("it is %+v", task)
		}
		failed, err := s.Search.Tasks(t.Context(), gallery.Filter{Viewer: u.ID, States: []db.State{db.Failed}, Limit: 9})
		must(t, err)
		if !slices.Contains(suite.IDs(failed), id) {
			t.Error("it is not listed as failed")
		}
	}
	if events := suite.EventsOf(t, s, hook); !slices.Equal(events, []outbox.Event{outbox.VideoFailed, outbox.VideoFailed}) {
		t.Errorf("told of %v", events)
	}
}
