package storybook_test

import (
	"time"

	"dailies/db"
	"dailies/views/create"
	"dailies/views/part"
	"dailies/views/storybook"
	"dailies/web/videoapi"
)

// The videos and the present time are the storybook's.
const tram = storybook.Prompt

var (
	now   = storybook.Now
	task  = storybook.Task
	kept  = storybook.Kept
	usual = storybook.Usual
)

func card(t db.Task) part.Card { return storybook.Card(t) }

func with(t db.Task, change func(*db.Task)) db.Task {
	change(&t)
	return t
}

func ago(d time.Duration) time.Time { return now.Add(-d) }

func viewer() *db.User {
	return &db.User{ID: 1, Name: "Mara Ellison", Email: "mara@example.com", Role: db.Admin, CreatedAt: ago(90 * 24 * time.Hour)}
}

func frame(title, path string) part.Frame {
	return part.Frame{Title: title, Path: path, Viewer: viewer(), Now: now}
}

func sandboxed(f part.Frame) part.Frame {
	f.Sandbox = true
	return f
}

// emptyForm returns the form as it is first shown if pictures cannot be uploaded.
func emptyForm(scene videoapi.Scene, modelID string) create.CreateForm {
	form := storybook.Form(scene, modelID)
	if form.Model.ID == "" {
		panic("no model " + modelID)
	}
	form.Token, form.Uploads = "ONETIMETOKEN", false
	return form
}
