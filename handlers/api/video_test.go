package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
)

// A program reads what the page of the video shows its person.
func TestAProgramReadsNotesAndDecisions(t *testing.T) {
	h, kim := started(t)
	film := h.Film(t, 1, func(*db.Task) {})
	c := newClient(t, h, kim, "look", 0)
	path := fmt.Sprintf("/api/v1/videos/%d/notes", film.ID)
	if got := string(c.get(path).is(200).body); got != `{"notes":[],"verdicts":[]}` {
		t.Errorf("without notes: %s", got)
	}
	notes := fmt.Sprintf("/tasks/%d/notes", film.ID)
	task := fmt.Sprint(film.ID)
	kim.Post(notes, url.Values{
		"task": {task}, "at": {"300"}, "until": {"700"}, "body": {"Brighter"},
		"mark": {`{"kind":"rect","points":[[0.1,0.2],[0.3,0.4]]}`}, "internal": {"on"},
	}).Is(303)
	share := kim.Share(fmt.Sprintf("/tasks/%d", film.ID), "Film", "may", "decide")
	client := h.Stranger(t)
	client.Get(share).Is(200)
	client.Post(share+"/notes", url.Values{"task": {task}, "at": {"200"}, "body": {"Slower"}, "name": {"Jo"}}).Is(303)
	client.Post(share+"/verdict", url.Values{"task": {task}, "verdict": {"changes"}, "body": {"Almost"}}).Is(303)
	kim.Post(notes, url.Values{"task": {task}, "parent": {"2"}, "body": {"Will do"}}).Is(303)
	kim.Post("/notes/1/done", url.Values{"done": {"on"}}).Is(303)
	got := c.get(path).is(200).value()
	var all []string
	for _, n := range got["notes"].([]any) {
		note := n.(map[string]any)
		author := note["author"].(map[string]any)
		all = append(all, strings.TrimSpace(fmt.Sprintln(
			note["id"], note["parent"], note["at"], note["until"], note["body"], author["name"], author["guest"],
			note["internal"], note["done_at"] != nil, note["mark"], note["verdict"],
		)))
	}
	want := "3 <nil> <nil> <nil> Almost Jo true false false <nil> changes\n2 <nil> 200 <nil> Slower Jo true false false <nil> <nil>\n4 2 200 <nil> Will do Kim Doe false false false <nil> <nil>\n" +
		"1 <nil> 300 700 Brighter Kim Doe false true true map[kind:rect points:[[0.1 0.2] [0.3 0.4]]] <nil>"
	if text := strings.Join(all, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	verdict := got["verdicts"].([]any)[0].(map[string]any)
	if verdict["verdict"] != "changes" || verdict["body"] != "Almost" || verdict["author"].(map[string]any)["name"] != "Jo" {
		t.Errorf("%v", verdict)
	}
	if n, err := h.Store.Notes.HowMuchIsNew(t.Context(), 1); n == 0 || err != nil {
		t.Errorf("%d are new, %v", n, err)
	}
	private := h.Film(t, 1, func(t *db.Task) { t.Private = true })
	newClient(t, h, h.Joiner(t, kim, "Ada"), "look", 0).get(fmt.Sprintf("/api/v1/videos/%d/notes", private.ID)).is(404, "not_found")
}

// A video that the service made and a filter keeps back is a success for the service, and has
// failed for people.
func TestAFilteredVideoIsASuccessWithAReasonAndWithoutAFile(t *testing.T) {
	h, kim := started(t)
	c := newClient(t, h, kim, "look", 0)
	video := h.AddTask(t, 1, db.Failed)
	_, err := h.Store.Tasks.UpdateTask(t.Context(), video.ID, func(t *db.Task) error {
		t.Status, t.ErrorKind, t.Message, t.Charged, t.Returned = "success", db.RequestError, "The output audio may contain sensitive information.", db.CreditsOf(30), db.Credits{}
		return nil
	})
	must(t, err)
	var got struct {
		State, Reason string
		File          *string
		Credits       struct{ Charged, Returned *float64 }
	}
	must(t, json.Unmarshal(c.do("GET", fmt.Sprintf("/api/v1/videos/%d", video.ID), "").is(200).body, &got))
	if got.State != "success" || !strings.Contains(got.Reason, "sound") || got.File != nil ||
		got.Credits.Returned != nil || *got.Credits.Charged != 30 {
		t.Errorf("got %+v", got)
	}
	answer := data(t, c.call("query", query(video.ID)))
	if info := fmt.Sprint(answer["taskInfo"]); answer["status"] != "success" || !strings.Contains(info, "sound") ||
		!strings.Contains(info, "filtered") || answer["costCredits"] != 30.0 {
		t.Errorf("got %v", answer)
	}
	if page := kim.Get(fmt.Sprintf("/tasks/%d", video.ID)).Is(200).Text; !strings.Contains(page, "A safety filter stopped its sound") || !strings.Contains(page, "30 credits. They don’t come back for filtered videos.") {
		t.Error("its page does not say so")
	}
	if page := kim.Get("/gallery?status=failed").Is(200).Text; !strings.Contains(page, fmt.Sprintf("/tasks/%d", video.ID)) {
		t.Error("it is not among the failed ones")
	}
}
