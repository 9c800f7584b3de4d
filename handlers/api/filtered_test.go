package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"dailies/db"
)

// A video that the service made and a filter keeps back is a success for the service, and has
// failed for people.
func TestAFilteredVideoIsASuccessWithAReasonAndWithoutAFile(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "look", 0)
	video := h.AddTask(t, 1, db.Failed)
	_, err := h.Store.Tasks.UpdateTask(t.Context(), video.ID, func(t *db.Task) error {
		t.Status, t.Blame, t.Message, t.Charged, t.Returned = "success", db.BlameRequest, "The output audio may contain sensitive information.", db.CreditsOf(30), db.Credits{}
		return nil
	})
	must(t, err)
	var got struct {
		State, Reason string
		File          *string
		Credits       struct{ Charged, Returned *float64 }
	}
	must(t, json.Unmarshal(c.do("GET", fmt.Sprintf("/api/v1/videos/%d", video.ID), "").is(200).body, &got))
	if got.State != "success" || !strings.Contains(got.Reason, "sound") || got.File != nil || got.Credits.Returned != nil || *got.Credits.Charged != 30 {
		t.Errorf("got %+v", got)
	}
	answer := data(t, c.call("query", query(video.ID)))
	if info := fmt.Sprint(answer["taskInfo"]); answer["status"] != "success" || !strings.Contains(info, "sound") || !strings.Contains(info, "filtered") || answer["costCredits"] != 30.0 {
		t.Errorf("got %v", answer)
	}
	if page := kim.Get(fmt.Sprintf("/tasks/%d", video.ID)).Is(200).Text; !strings.Contains(page, "A safety filter stopped its sound") || !strings.Contains(page, "30 credits. They don’t come back for filtered videos.") {
		t.Error("its page does not say so")
	}
	if page := kim.Get("/gallery?status=failed").Is(200).Text; !strings.Contains(page, fmt.Sprintf("/tasks/%d", video.ID)) {
		t.Error("it is not among the failed ones")
	}
}
