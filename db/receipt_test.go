package db_test

import (
	"testing"
	"time"

	"dailies/db"
)

func TestAReceiptSaysWhatCameBack(t *testing.T) {
	none, some := db.Credits{}, db.CreditsOf
	for name, tt := range map[string]struct {
		status            string
		paid, said        db.Credits // before, and by the last record
		charged, returned db.Credits
		missing           bool
	}{
		"failed":                        {"failed", some(30), some(30), some(30), some(30), false},
		"failed, the record is silent":  {"failed", some(30), none, some(30), some(30), false},
		"failed, the record says 0":     {"failed", some(30), some(0), some(30), some(30), false},
		"failed, a part is kept":        {"failed", some(30), some(10), some(30), some(20), true},
		"failed, the record is absurd":  {"failed", some(30), some(-5), some(30), some(30), false},
		"failed, cost known at the end": {"failed", none, some(30), some(30), some(30), false},
		"failed, cost never known":      {"failed", none, none, none, none, true},
		"failed, and it was free":       {"failed", some(0), some(0), some(0), some(0), false},
		"canceled":                      {"canceled", some(30), some(30), some(30), none, false},
		"canceled, the record says 0":   {"canceled", some(30), some(0), some(30), some(30), false},
		"success":                       {"success", some(30), some(30), some(30), none, false},
		"success, the price came down":  {"success", some(30), some(20), some(20), none, false},
	} {
		task := db.Task{State: db.Processing, Charged: tt.paid}
		must(t, task.Report(db.Report{Status: tt.status, Charged: tt.said}, noon, later))
		if task.Charged != tt.charged || task.Returned != tt.returned || task.RefundMissing() != tt.missing {
			t.Errorf("%s: charged %v, returned %v, missing %v", name, task.Charged, task.Returned, task.RefundMissing())
		}
		if task.ReturnedAt.IsZero() == task.Returned.Known {
			t.Errorf("%s: returned %v at %v", name, task.Returned, task.ReturnedAt)
		}
	}
}

func TestAgainIsTheSameRecipeAndNothingElse(t *testing.T) {
	yes := true
	old := db.Task{
		ID: 7, UserID: 3, FormToken: "x", Scene: "image-to-video", Model: "veo3", Prompt: "a boat", Provider: "p",
		Pictures: []string{"https://example.com/a.png"}, Options: db.Options{Duration: 5, Audio: &yes},
		State: db.Failed, RemoteID: "r", Message: "no", Charged: paid, DoneAt: noon, Results: []db.Result{clip},
	}
	again := old.Again("retry 7", noon.Add(time.Hour))
	if again.ID != 0 || again.RemoteID != "" || again.Message != "" || again.Charged.Known || !again.DoneAt.IsZero() || again.Results != nil ||
		again.State != db.Queued || again.FormToken != "retry 7" || !again.CreatedAt.Equal(noon.Add(time.Hour)) {
		t.Errorf("it brings along %+v", again)
	}
	if again.UserID != 3 || again.Scene != old.Scene || again.Model != old.Model || again.Prompt != old.Prompt || again.Provider != "p" ||
		len(again.Pictures) != 1 || again.Options != old.Options {
		t.Errorf("it lacks something: %+v", again)
	}
	if silent := again.Options.Silent(); silent.HasSound() || !old.Options.HasSound() || silent.Duration != 5 || (db.Options{}).HasSound() {
		t.Errorf("silent it is %+v", silent)
	}
}
