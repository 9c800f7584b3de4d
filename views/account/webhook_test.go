package account_test

import (
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/views/account"
	"dailies/web/htmltest"
)

func TestDeliveriesSayHowTheyWent(t *testing.T) {
	now := time.Date(2026, 11, 14, 9, 30, 0, 0, time.UTC)
	list := htmltest.Draw(t, account.Deliveries([]outbox.Delivery{
		{Event: outbox.VideoReady, State: db.Success, TaskID: 20, CreatedAt: now},
		{Event: outbox.VideoFailed, State: db.Failed, TaskID: 19, CreatedAt: now.Add(-time.Hour), Tries: 3, NextAt: now.Add(90 * time.Second), Problem: "It answered with HTTP 500."},
		{Event: outbox.VideoCanceled, State: db.Canceled, TaskID: 18, CreatedAt: now.Add(-80 * time.Hour), Tries: 10, Outcome: outbox.GaveUp, Problem: "We couldn’t reach it."},
		{Event: outbox.TestSent, CreatedAt: now.Add(-90 * time.Hour), Tries: 1, Outcome: outbox.Delivered},
	}, now))
	if got, want := htmltest.Texts(list, "li"), []string{
		"Ready just now Waiting Send again : Ready",
		"Failed 1 h ago It answered with HTTP 500. Tried 3 times. The next try is in 1 min 30 s. Trying again Send again : Failed",
		"Cancelled by the service 3 days ago We couldn’t reach it. Tried 10 times. Failed Send again : Cancelled by the service",
		"Test 3 days ago Arrived Send again : Test",
	}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for path, linked := range map[string]bool{"/tasks/20": true, "/tasks/0": false} {
		if htmltest.Has(list, "a[href="+path+"]") != linked {
			t.Errorf("a link to %s: want %v", path, linked)
		}
	}
}
