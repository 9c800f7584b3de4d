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
	// Each is what one video costs with another choice, by "name=value".
	Each map[string]part.Price

	Prompt     string
	PromptMax  int
	Pictures   []string // as many as there are inputs named image_input
	EndPicture string   // end_image_url, where HasEndPicture
	SlowTold   []string // addresses that the person was told are slow
	// Seen says what is known of the pictures, by their addresses.
	Seen    map[string]PictureNote
	Earlier []EarlierPicture
	Uploads bool // the service can fetch what is uploaded here

	Options  option.Text
	Provider string

	Remedy part.Step   // what helps after the service refused it
	Errors part.Errors // pictures: "image_input.0" and on, or "image_input" for all of them
	Notes  []string    // what was changed because the model does not take it
	Price  part.Price
	Ask    *part.AskForm // where the limits do not allow it; else nil
	NoKey  part.KeyLack

	Count      int         // how many videos; 0 is one
	Origin     *Origin     // what it is made from; nil for nothing
	Draft      *DraftOffer // nil where there is no quicker model to try it on
	DraftFirst bool        // it is made on that model first, and Price is the draft's

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

// nearLimit reports whether the counter of the prompt shows.
func (f CreateForm) nearLimit() bool { return f.promptLength() > f.PromptMax-countedFrom }

// countedFrom is how many characters are left when the counter appears.
const countedFrom = 200

// makeWords returns the label of the button.
func (f CreateForm) makeWords() string {
	switch draft := f.DraftFirst && f.Draft != nil; {
	case draft && f.Count > 1:
		return "Make " + strconv.Itoa(f.Count) + " drafts"
	case draft:
		return "Make the draft"
	}
	return makeWords(f.Count)
}

func makeWords(videos int) string {
	if videos > 1 {
		return "Make " + strconv.Itoa(videos) + " videos"
	}
	return "Make the video"
}

// onlyWords returns the label of the button that makes as many videos as the
// credits are enough for.
func (f CreateForm) onlyWords(videos int) string {
	return "Make " + strconv.Itoa(videos) + " for " + part.Number(f.Price.Held()*float64(videos))
}
