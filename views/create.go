package views

import (
	"dailies/db"
	"dailies/web/videoapi"
)

// A CreateForm is the form that makes a video, with everything as it was
// typed.
type CreateForm struct {
	Scene  videoapi.Scene
	Token  string           // one-time, field "token"
	Models []videoapi.Model // that offer the scene
	Model  videoapi.Model   // the chosen one

	Prompt     string
	PromptMax  int
	Pictures   []string // as many as there are inputs named image_input
	EndPicture string   // end_image_url, where HasEndPicture

	Duration      string
	AspectRatio   string
	Resolution    string
	CameraFixed   string // "true" or "false", like the next ones
	Seed          string
	SafetyChecker string
	Audio         string
	Provider      string

	Errors Errors   // pictures: "image_input.0" and on, or "image_input" for all of them
	Notes  []string // what was changed because the model does not take it
	Price  Price
	HasKey bool
}

// HasEndPicture reports whether the model takes an optional end picture in a
// scene that has one picture.
func (f CreateForm) HasEndPicture() bool {
	return f.Scene == videoapi.ImageToVideo && f.Model.ImagesFor(f.Scene).Max == 2
}

// A Price is what is known before the button is pressed.
type Price struct {
	Credits db.Credits
	Stated  bool // by the service; otherwise it is what the same cost last time
}

// Latest is the list beside the form: running and newest tasks.
type Latest struct {
	Cards []Card
}

// Live reports whether the list should refresh itself.
func (l Latest) Live() bool {
	for _, c := range l.Cards {
		if c.Live() {
			return true
		}
	}
	return false
}
