package db_test

import (
	"testing"
	"time"

	"dailies/db"
)

func TestAgainIsTheSameRecipeAndNothingElse(t *testing.T) {
	yes := true
	old := db.Task{
		ID: 7, UserID: 3, FormToken: "x", Scene: "image-to-video", Model: "veo3", Prompt: "a boat", Provider: "p",
		Pictures: []string{"https://example.com/a.png"}, Options: db.Options{Duration: 5, Audio: &yes},
		State: db.Failed, RemoteID: "r", Message: "no", Charged: paid, DoneAt: noon, Files: db.Files{Results: []db.Result{clip}},
		RecipeID: 5, Private: true, Starred: true, Batch: "b", Tags: []string{"x"},
	}
	again := old.Again("retry 7", noon.Add(time.Hour))
	if again.ID != 0 || again.RemoteID != "" || again.Message != "" || again.Charged.Known || !again.DoneAt.IsZero() || again.Results != nil ||
		again.State != db.Queued || again.FormToken != "retry 7" || !again.CreatedAt.Equal(noon.Add(time.Hour)) {
		t.Errorf("it brings along %+v", again)
	}
	if again.UserID != 3 || again.Scene != old.Scene || again.Model != old.Model || again.Prompt != old.Prompt || again.Provider != "p" ||
		len(again.Pictures) != 1 || again.Options != old.Options || again.RecipeID != 5 || !again.Private {
		t.Errorf("it lacks something: %+v", again)
	}
	if again.ParentID != 7 || again.Reuse != db.Retried || again.Batch != "" || again.Starred || again.Tags != nil {
		t.Errorf("it belongs to %+v", again)
	}
	if silent := again.Options.Silent(); silent.HasSound() || !old.Options.HasSound() || silent.Duration != 5 || (db.Options{}).HasSound() {
		t.Errorf("silent it is %+v", silent)
	}
}
