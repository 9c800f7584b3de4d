package views_test

import (
	"time"

	"dailies/db"
	"dailies/views"
	"dailies/web/videoapi"
)

// The videos and the moment at which they are looked at are the storybook's.
const tram = views.StoryPrompt

var (
	now   = views.StoryNow
	task  = views.StoryTask
	kept  = views.StoryKept
	usual = views.StoryUsual
)

func card(t db.Task) views.Card { return views.StoryCard(t) }

func with(t db.Task, change func(*db.Task)) db.Task {
	change(&t)
	return t
}

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

// emptyForm is the form as it is first shown where nobody can upload.
func emptyForm(scene videoapi.Scene, modelID string) views.CreateForm {
	form := views.StoryForm(scene, modelID)
	if form.Model.ID == "" {
		panic("no model " + modelID)
	}
	form.Token, form.Uploads = "ONETIMETOKEN", false
	return form
}
