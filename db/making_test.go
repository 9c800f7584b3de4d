package db_test

import (
	"encoding/json"
	"testing"

	"dailies/db"
)

// TestMakingKeepsItsJSONFormat checks what other programs rely on: the names and
// their order.
func TestMakingKeepsItsJSONFormat(t *testing.T) {
	seed := int64(7)
	task := db.Task{
		ID: 12, UserID: 3, UserName: "Kim", Request: db.Request{Scene: "image-to-video", Model: "veo3", Prompt: "a boat",
			Pictures: []string{"https://example.com/a.png"},
			Options:  db.Options{Duration: 5, AspectRatio: "16:9", Seed: &seed}}, State: db.Success, Charged: paid, CreatedAt: noon,
		DoneAt:   later,
		ParentID: 9, Reuse: db.Reseeded, Tags: []string{"sea"},
		Files: db.Files{
			Media: []db.Media{
				{TaskID: 12, Kind: db.Video, Type: "video/mp4", Size: 99, Hash: "ab"},
				{TaskID: 12, Kind: db.Cover, Type: "image/jpeg"},
			},
		},
	}
	for want, m := range map[string]db.Making{
		`{"version":1,"id":12,"scene":"image-to-video","model":"veo3","prompt":"a boat","image_input":["https://example.com/a.png"],` +
			`"options":{"duration":5,"aspect_ratio":"16:9","seed":7},"made_by":"Kim","asked_at":"2026-11-03T12:00:00Z","done_at":"2026-11-03T12:01:00Z",` +
			`"cost_credits":30,"made_from":{"id":9,"took":"unseeded"},"tags":["sea"],` +
			`"files":[{"name":"dailies-12 a boat.mp4","type":"video/mp4","bytes":99,"sha256":"ab"}]}`: db.MakingOf(task, true),
		`{"version":1,"id":5,"scene":"","model":"","prompt":"","image_input":[],"options":{},"made_by":"","asked_at":"2026-11-03T12:00:00Z",` +
			`"done_at":null,"cost_credits":null,"made_from":null,"tags":[],"files":[]}`: db.MakingOf(
			db.Task{ID: 5, CreatedAt: noon, ParentID: 9}, false,
		),
	} {
		if got, err := json.Marshal(m); err != nil || string(got) != want {
			t.Errorf("got  %s\nwant %s, %v", got, want, err)
		}
	}
}

func TestOneCoverIsTaken(t *testing.T) {
	task := db.Task{ID: 7, State: db.Success, Files: db.Files{Keeping: db.Kept, Media: []db.Media{{ID: 1, Kind: db.Video}}}}
	for name, unfit := range map[string]func(*db.Task){
		"not made": func(t *db.Task) { t.State = db.Processing }, "still saved": func(t *db.Task) { t.Keeping = db.Saving },
		"not kept": func(t *db.Task) { t.Media = nil }, "gone for good": func(t *db.Task) { t.PurgedAt = noon },
	} {
		other := task
		if unfit(&other); other.TakeCover(db.Media{}) == nil {
			t.Errorf("%s: it takes one", name)
		}
	}
	if err := task.TakeCover(db.Media{ID: 5, Hash: "ab"}); err != nil {
		t.Fatal(err)
	}
	if m, ok := task.Cover(); !ok || m.ID != 0 || m.TaskID != 7 || m.Hash != "ab" {
		t.Errorf("its cover is %+v", m)
	}
	if task.TakeCover(db.Media{}) == nil {
		t.Error("it takes a second one")
	}
}

// TestMakingsOfEarlierVersionsAreRead reads literal copies of what downloads and
// backups of earlier versions contain.
func TestMakingsOfEarlierVersionsAreRead(t *testing.T) {
	for name, text := range map[string]string{
		"in a download": `{"version":1,"id":12,"scene":"image-to-video","model":"veo3","prompt":"a boat","image_input":["https://example.com/a.png"],` +
			`"options":{"duration":5},"made_by":"Kim","asked_at":"2026-11-03T12:00:00Z","done_at":"2026-11-03T12:01:00Z",` +
			`"cost_credits":30,"made_from":null,"tags":["sea"],"files":[{"name":"12.mp4","type":"video/mp4","bytes":99,"sha256":"ab"}]}`,
		"in a backup": `{"id":12,"scene":"image-to-video","model":"veo3","prompt":"a boat","pictures":["https://example.com/a.png"],` +
			`"options":{"duration":5},"made_by":"Kim","asked_at":"2026-11-03T12:00:00Z","sent_at":"2026-11-03T12:00:00Z","done_at":"2026-11-03T12:01:00Z",` +
			`"quoted_credits":30,"cost_credits":30,"service_id":"r","addresses":["https://cdn.example.com/a.mp4"],` +
			`"files":[{"kind":"video","name":"12.mp4","type":"video/mp4","bytes":99,"sha256":"ab"}]}`,
		"in a backup of now": `{"version":1,"id":12,"scene":"image-to-video","model":"veo3","prompt":"a boat","image_input":["https://example.com/a.png"],` +
			`"options":{"duration":5},"made_by":"Kim","asked_at":"2026-11-03T12:00:00Z","done_at":"2026-11-03T12:01:00Z",` +
			`"cost_credits":30,"made_from":null,"tags":[],"files":[{"kind":"video","name":"12.mp4","type":"video/mp4","bytes":99,"sha256":"ab"}],"service_id":"r"}`,
	} {
		var m db.Making
		err := json.Unmarshal([]byte(text), &m)
		if err != nil || m.Version != 1 || m.ID != 12 || m.Prompt != "a boat" || len(m.Pictures) != 1 ||
			m.Pictures[0] != "https://example.com/a.png" ||
			m.Options.Duration != 5 || m.MadeBy != "Kim" || m.DoneAt == nil || !m.DoneAt.Equal(
			later,
		) || m.CostCredits == nil || *m.CostCredits != 30 ||
			len(m.Files) != 1 || m.Files[0].Name != "12.mp4" || m.Files[0].SHA256 != "ab" {
			t.Errorf("%s: %v: %+v", name, err, m)
		}
	}
}
