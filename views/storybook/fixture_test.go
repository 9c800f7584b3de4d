package storybook_test

import (
	"time"

	"github.com/a-h/templ"

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

// shown returns the page as an admin sees it.
func shown(title, path string, page templ.Component) templ.Component {
	return part.Framed(frame(title, path), page)
}

// practising returns the page as an admin sees it in practice mode.
func practising(title, path string, page templ.Component) templ.Component {
	f := frame(title, path)
	f.Sandbox = true
	return part.Framed(f, page)
}

// signedOut returns the page as somebody sees it who is not signed in.
func signedOut(title, path string, page templ.Component) templ.Component {
	return part.Framed(part.Frame{Title: title, Path: path, Now: now}, page)
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
