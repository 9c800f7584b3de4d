package video_test

import (
	"os"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestThePageOfAVideoListsItsMarks(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)

	film := func(content []byte, change func(*db.Media)) db.Task {
		kept := h.File(t, db.Video, "video/mp4", content)
		change(&kept)
		return h.Film(t, 1, func(t *db.Task) {
			if len(t.Media) > 0 { // the task is finished
				t.Media = []db.Media{kept}
			}
		})
	}
	marked := func(m db.Marks) func(*db.Media) { return func(k *db.Media) { k.Marks = m } }
	const service, own, signed, none = "AI label of the service", "AI label of your team", "Content Credentials found, not checked", "None found"
	p.Get(handlerstest.TaskPage(film(handlerstest.Encoded(t), marked(db.MarksOf(true, true))))).Is(200).Shows(service, signed).Hides(own, none)
	p.Get(handlerstest.TaskPage(film(handlerstest.Encoded(t), func(k *db.Media) { k.Marks, k.ServedHash = db.LabelMark, "hash of what came" }))).Is(200).Shows(own).Hides(service, signed, none)

	// Nobody has looked into the files of earlier videos.
	for content, want := range map[string]string{string(handlerstest.Encoded(t)): none, string(handlerstest.Encoded(t)) + handlerstest.ContentCredentials: signed} {
		early := film([]byte(content), marked(""))
		p.Get(handlerstest.TaskPage(early)).Is(200).Shows("Marks in it", want)
		if m, _, err := h.Store.Files.Media(t.Context(), early.Media[0].ID); err != nil || m.Marks == "" {
			t.Errorf("recorded is %q, %v", m.Marks, err)
		}
		must(t, os.Remove(h.Blob(early.Media[0])))
		p.Get(handlerstest.TaskPage(early)).Is(200).Shows(want)
	}
	gone := film([]byte("no video"), marked(""))
	must(t, os.Remove(h.Blob(gone.Media[0])))
	p.Get(handlerstest.TaskPage(gone)).Is(200).Hides("Marks in it")
}
