package gallery_test

import (
	"encoding/json"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestVideosAreDownloadedWithHowTheyWereMade(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	film := strings.Repeat("the first film ", 50_000)
	h.AddKept(t, 1, film)
	hidden := h.AddKept(t, 2, "what nobody may see")
	_, err := h.Store.Tasks.UpdateTask(t.Context(), hidden.ID, func(t *db.Task) error { t.Private = true; return nil })
	must(t, err)
	h.AddTask(t, 1, db.Success) // a video without a stored file
	lost := h.AddKept(t, 2, "gone from the disk")
	must(t, h.Config.Media.Remove(t.Context(), lost.Media[0].Hash))

	answer := kim.Get("/tasks/download?id=1&id=2&id=3&id=4&id=99").Is(200)
	if answer.Header.Get("Content-Encoding") != "" || !strings.Contains(answer.Header.Get("Content-Disposition"), "dailies-3-videos.zip") {
		t.Errorf("its headers are %v", answer.Header)
	}
	files := handlerstest.Unzip(t, answer.Text)
	if files["dailies-1 a paper boat.webm"] != film || len(files) != 5 {
		t.Errorf("there are %d files", len(files))
	}
	if missing := files["MISSING.txt"]; !strings.Contains(missing, "Video 3 isn’t saved") ||
		!strings.Contains(missing, "video 4 is missing") || strings.Contains(missing, "2") {
		t.Errorf("what is missing: %q", missing)
	}
	var making db.Making
	must(t, json.Unmarshal([]byte(files["dailies-1 a paper boat.json"]), &making))
	if making.Version != 1 || making.Prompt != "a paper boat" || making.Model != "veo3" || making.MadeBy != "Kim Doe" ||
		*making.CostCredits != 30 || len(making.Files) != 1 ||
		making.Files[0].Name != "dailies-1 a paper boat.webm" || making.Files[0].Bytes != int64(len(film)) {
		t.Errorf("it was made so: %+v", making)
	}
	ada.Get("/tasks/download?id=2").Is(200)
	kim.Get("/tasks/download?id=2").Is(404)
	kim.Get("/tasks/download").Is(422)
	kim.Get("/tasks/download?" + strings.Repeat("&id=1", 501)).Is(422)
}

func TestARecipeNamesNoParentThatIsNotToBeSeen(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.Joiner(t, kim, "ada")
	parent := h.AddKept(t, 2, "a draft")
	child := db.Task{UserID: 1, FormToken: "x", Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "日本の<港>/.."},
		CreatedAt: db.Now(),
		ParentID:  parent.ID, Reuse: db.Reseeded}
	handlerstest.Queue(t, h.Store, &child)
	kim.Get("/tasks/2/recipe").Is(200).Shows(`"made_from": {`, `"id": 1,`, `"took": "unseeded"`, `"prompt": "日本の<港>/.."`)
	_, err := h.Store.Tasks.UpdateTask(t.Context(), parent.ID, func(t *db.Task) error { t.Private = true; return nil })
	must(t, err)
	answer := kim.Get("/tasks/2/recipe").Is(200).Shows(`"made_from": null`)
	if got := answer.Header.Get("Content-Disposition"); !strings.Contains(got, "attachment") || strings.Contains(got, "/..") {
		t.Errorf("it is called %q", got)
	}
}

func TestAVideoThatIsChosenTwiceIsDownloadedOnce(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.AddKept(t, 1, "a film")
	files := handlerstest.Unzip(t, p.Get("/tasks/download?id=1&id=1").Is(200).Text)
	if _, missing := files["MISSING.txt"]; missing || len(files) != 2 {
		t.Errorf("it holds %q", files)
	}
}
