package suite_test

import (
	"slices"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/outbox"
	"dailies/db/store/suite"
)

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
