package views_test

import (
	"strings"
	"time"

	"dailies/db"
	"dailies/views"
	"dailies/web/videoapi"
)

// now is the moment at which every page of these tests is looked at.
var now = time.Date(2026, 11, 14, 9, 30, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

func viewer() *db.User {
	return &db.User{ID: 1, Name: "Mara Ellison", Email: "mara@example.com", Role: db.Admin, CreatedAt: ago(90 * 24 * time.Hour)}
}

func frame(title, path string) views.Frame {
	return views.Frame{Title: title, Path: path, Viewer: viewer(), Now: now}
}

func sandboxed(f views.Frame) views.Frame {
	f.Sandbox = true
	return f
}

func model(id string) videoapi.Model {
	m, ok := videoapi.DefaultCatalog().Model(id)
	if !ok {
		panic("no model " + id)
	}
	return m
}

// emptyForm is the form as it is first shown.
func emptyForm(scene videoapi.Scene, modelID string) views.CreateForm {
	m := model(modelID)
	form := views.CreateForm{
		Scene: scene, Token: "ONETIMETOKEN", Models: videoapi.DefaultCatalog().For(scene), Model: m,
		PromptMax: 2000, Resolution: m.Resolution, AspectRatio: m.Ratio,
		Duration: "5", CameraFixed: "false", SafetyChecker: "true", Audio: "true",
		HasKey: true, Price: views.Price{Credits: db.CreditsOf(30), Stated: true},
	}
	switch scene {
	case videoapi.ImageToVideo:
		form.Pictures = make([]string, 1)
	case videoapi.FramesToVideo:
		form.Pictures = make([]string, 2)
	case videoapi.ReferenceToVideo:
		form.Pictures = make([]string, 3)
	}
	return form
}

const tram = "A tram crosses the bridge at night, rain on the lens, the city lights blurred behind it"

// task is a task of the viewer in the state, with what belongs to it.
func task(id int64, state db.State) db.Task {
	yes := true
	t := db.Task{
		ID: id, UserID: 1, UserName: "Mara Ellison", Scene: "text-to-video", Model: "seedance-2.0", Prompt: tram,
		Options: db.Options{Duration: 5, AspectRatio: "16:9", Resolution: "720p", Audio: &yes},
		State:   state, Status: string(state), Quoted: db.CreditsOf(30), CreatedAt: ago(4 * time.Minute),
	}
	if state == db.Queued {
		return t
	}
	t.SentAt = t.CreatedAt.Add(time.Second)
	if state == db.Sending || state == db.Rejected || state == db.Unconfirmed {
		if state != db.Sending {
			t.DoneAt = t.SentAt.Add(2 * time.Second)
		}
		return t
	}
	t.AcceptedAt, t.Charged = t.SentAt.Add(time.Second), db.CreditsOf(30)
	t.RemoteID, t.UpstreamID = "01J9ZX4T6V0B", "up-88213"
	if !state.Running() {
		t.DoneAt = t.CreatedAt.Add(130 * time.Second)
	}
	if state == db.Failed {
		t.Returned, t.ReturnedAt = t.Charged, t.DoneAt
	}
	return t
}

// kept is a finished task whose files are here.
func kept(id int64) db.Task {
	t := task(id, db.Success)
	t.Keeping = db.Kept
	t.Results = []db.Result{{Kind: db.Video, URL: "https://cdn.example.com/v/" + strings.Repeat("a", 12) + ".mp4"}}
	t.Media = []db.Media{
		{ID: id*10 + 1, TaskID: id, Kind: db.Video, Type: "video/webm", Size: 3_412_887},
		{ID: id*10 + 2, TaskID: id, Kind: db.Cover, Type: "image/webp", Size: 38_112},
	}
	return t
}

func card(t db.Task) views.Card {
	return views.Card{Task: t, ModelName: "Seedance 2.0", Mine: t.UserID == 1, Now: now}
}

func usual(c views.Card) views.Card {
	c.Usual = db.Usual{Count: 8, Low: 2 * time.Minute, High: 4 * time.Minute, LastCost: db.CreditsOf(30)}
	return c
}

func with(t db.Task, change func(*db.Task)) db.Task {
	change(&t)
	return t
}
