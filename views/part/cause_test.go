package part_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"dailies/db"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// The shapes of errors that web/videoapi reads lead to a sentence with a remedy, or quote the
// service.
func TestReasonsOfProvidersAndGatewaysAreSaidInPlainWords(t *testing.T) {
	text, err := os.ReadFile("../../web/videoapi/testdata/reasons.json")
	if err != nil {
		t.Fatal(err)
	}
	var shapes []struct {
		Name   string
		Answer json.RawMessage
		Text   string
		Cause  db.Cause
	}
	if err := json.Unmarshal(text, &shapes); err != nil {
		t.Fatal(err)
	}
	for _, s := range shapes {
		reason := videoapi.Record{TaskInfo: string(s.Answer)}.Reason()
		if filtered, is := (videoapi.Record{TaskInfo: string(s.Answer)}).Filtered(); is && reason == (videoapi.Reason{}) {
			reason = filtered
		}
		task := db.Task{State: db.Failed, Message: reason.String()}
		why := part.FailureReason(task)
		if task.Cause() != s.Cause {
			t.Errorf("%s: %q has the cause %q, want %q", s.Name, reason, task.Cause(), s.Cause)
		}
		if s.Cause == db.NoCause && !strings.Contains(why, s.Text[:min(len(s.Text), 30)]) || strings.Contains(why, "gave no reason") {
			t.Errorf("%s: %q is said as %q", s.Name, reason, why)
		}
	}
}

func TestACodeAloneIsCalledOne(t *testing.T) {
	for message, want := range map[string]string{
		"E1003":   "The service gave only a code: E1003.",
		"It fell": "The service said: “It fell”.",
		"":        "The service gave no reason.",
	} {
		if got := part.FailureReason(db.Task{State: db.Failed, Message: message}); got != want {
			t.Errorf("%q: got %q", message, got)
		}
	}
}

func TestOnlyAVideoThatCanBeWatchedIsCalledReady(t *testing.T) {
	kept := db.Files{Keeping: db.Kept, Media: []db.Media{{Kind: db.Video}}}
	for name, tt := range map[string]struct {
		task          db.Task
		aloud, notice string
	}{
		"running": {db.Task{Request: db.Request{Prompt: "Sea"}, State: db.Pending}, "“Sea”: Starting soon.", ""},
		"kept":    {db.Task{Request: db.Request{Prompt: "Sea"}, State: db.Success, Files: kept}, "“Sea” is ready.", "Your video is ready"},
		"saving": {
			db.Task{Request: db.Request{Prompt: "Sea"}, State: db.Success, Files: db.Files{Keeping: db.Saving}},
			"“Sea” is being saved.", "",
		},
		"lost": {
			db.Task{Request: db.Request{Prompt: "Sea"}, State: db.Success, Files: db.Files{Keeping: db.Lost}},
			"“Sea”: file missing.", "File missing",
		},
		"filtered": {db.Task{Request: db.Request{Prompt: "Sea"}, State: db.Failed, Status: "success"}, "“Sea”: Failed.", "A video failed"},
		"canceled": {
			db.Task{Request: db.Request{Prompt: "Sea"}, State: db.Canceled}, "“Sea”: Cancelled by the service.",
			"A video was cancelled",
		},
		"unknown": {
			db.Task{Request: db.Request{Prompt: "Sea"}, State: db.Unconfirmed}, "“Sea”: Not sure it started.",
			"Did this video start?",
		},
	} {
		c := part.Card{Task: tt.task}
		if aloud, notice := c.Announcement(), c.Notice(); aloud != tt.aloud || notice != tt.notice {
			t.Errorf("%s: %q is read out and %q notified, want %q and %q", name, aloud, notice, tt.aloud, tt.notice)
		}
	}
}
