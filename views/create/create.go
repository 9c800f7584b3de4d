// Package create draws the pages on which videos are ordered: the form, recipes,
// batches and the pictures that were uploaded.
package create

import (
	"cmp"
	"strconv"
	"unicode/utf8"

	"dailies/views/part"
	"dailies/web/videoapi"
	"dailies/web/videoapi/option"
)

// A CreateForm holds the form that makes a video, with everything as it was
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
	SlowTold   []string // addresses that the person was told are slow
	Earlier    []EarlierPicture
	Uploads    bool // the service can fetch what is uploaded here

	Options  option.Text
	Provider string

	Mend   part.Step   // what helps after the service refused it
	Errors part.Errors // pictures: "image_input.0" and on, or "image_input" for all of them
	Notes  []string    // what was changed because the model does not take it
	Price  part.Price
	HasKey bool

	Count  int         // how many videos; 0 is one
	Origin *Origin     // what it is made from; nil for nothing
	Draft  *DraftOffer // nil where there is no quicker model to try it on

	// Paths lead elsewhere where the form is a part of another page.
	Paths FormPaths
	// Blanks lets pictures be asked for each time, as a recipe does.
	Blanks bool
}

// FormPaths holds the addresses that the form's parts use, where they differ
// from those of the form that makes a video.
type FormPaths struct {
	Look    string // the page again, with what is in the form
	Options string // the part with the model's options
	Upload  string // takes a picture without script
}

func (f CreateForm) lookPath() string {
	return cmp.Or(f.Paths.Look, part.ScenePath(f.Scene))
}

func (f CreateForm) optionsPath() string {
	return cmp.Or(f.Paths.Options, optionsPath(f.Scene))
}

func (f CreateForm) uploadPath() string {
	return cmp.Or(f.Paths.Upload, uploadPath(f.Scene))
}

// HasEndPicture reports whether the model takes an optional end picture in a
// scene that has one picture.
func (f CreateForm) HasEndPicture() bool {
	return f.Scene == videoapi.ImageToVideo && f.Model.ImagesFor(f.Scene).Max == 2
}

// promptLength counts the prompt's characters, as the counter beside the field
// does.
func (f CreateForm) promptLength() int { return utf8.RuneCountInString(f.Prompt) }

// unfolded reports whether a folded option has a message that must be seen.
func (f CreateForm) unfolded() bool {
	for _, o := range part.Options {
		if o.Rare && f.Errors[o.Name] != "" {
			return true
		}
	}
	return f.Errors["provider"] != ""
}

// makeWords returns the label of the button.
func (f CreateForm) makeWords() string {
	if f.Count > 1 {
		return "Make the " + strconv.Itoa(f.Count) + " videos"
	}
	return "Make the video"
}
