// Package create holds the pages on which videos are ordered: the form, recipes,
// batches and uploaded pictures.
package create

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"dailies/db/option"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// A CreateForm holds the form that makes a video, with everything that was typed or
// chosen.
type CreateForm struct {
	Scene  videoapi.Scene
	Token  string           // one-time token against double submission, in the field "token"
	Models []videoapi.Model // the models that support the scene
	Model  videoapi.Model   // the chosen model
	// Each holds the price of one video with other choices, by "name=value", such as
	// "model=veo3".
	Each map[string]part.Price

	Prompt     string
	PromptMax  int
	Pictures   []string // URLs in the inputs named image_input
	EndPicture string   // URL in end_image_url, if HasEndPicture
	SlowTold   []string // picture URLs about which the user was warned that they are slow
	// Seen says what is known about the pictures, by URL.
	Seen    map[string]PictureNote
	Earlier []EarlierPicture
	Uploads bool // the service can fetch pictures that are uploaded here

	Options  option.Text
	Provider string

	Cast     Cast
	Remedy   part.Step    // a step that helps after the service has refused the video
	Errors   input.Errors // pictures have the keys "image_input.0" and so on, or "image_input" for all
	Notes    []string     // what was changed because the model does not support it
	Price    part.Price
	Ask      *part.AskForm // a request for more credits, if a limit does not allow the videos; else nil
	NoKey    part.KeyLack
	Practice bool // credits are those of the sandbox, which gives more

	Count      int         // number of videos, or of videos of each line of a list; 0 means one
	List       bool        // each row of the prompt is a video of its own
	Lines      int         // number of the rows that are made
	Kinds      string      // value of KindsField
	LeftOut    string      // value of LeftField
	Listing    *List       // these rows; nil if there is no list
	Asks       []Ask       // the notes that the video answers
	Origin     *Origin     // the video from which the form was filled; nil if there is none
	Draft      *DraftOffer // a quicker model for a draft; nil if there is none
	DraftFirst bool        // a draft is made first, and Price is the draft's

	// Paths are the form's other paths if it is part of another page.
	Paths FormPaths
	// Blanks adds the choice to ask for each picture whenever a recipe is used.
	Blanks bool
}

// FormPaths holds the paths that the form's parts use. Empty ones stand for those of
// the form that makes a video.
type FormPaths struct {
	Look    string // the page again, with the form's values
	Options string // the fragment with the model's options
	Upload  string // accepts an uploaded picture without JavaScript
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

// HasEndPicture reports whether the model accepts an optional end picture in the scene
// that has one picture.
func (f CreateForm) HasEndPicture() bool {
	return f.Scene == videoapi.ImageToVideo && f.Model.ImagesFor(f.Scene).Max == 2
}

// promptLength returns the number of the prompt's characters, counted like the counter
// beside the field.
func (f CreateForm) promptLength() int { return utf8.RuneCountInString(f.Prompt) }

// nearLimit reports whether the prompt's counter is shown.
func (f CreateForm) nearLimit() bool { return f.promptLength() > f.PromptMax-countedFrom }

// countedFrom is the number of remaining characters below which the counter is shown.
const countedFrom = 200

// makeWords returns the label of the submit button.
func (f CreateForm) makeWords() string {
	videos := max(1, f.Count) * max(1, f.Lines)
	switch draft := f.DraftFirst && f.Draft != nil; {
	case draft && videos > 1:
		return fmt.Sprintf("Make %d drafts", videos)
	case draft:
		return "Make the draft"
	}
	return makeWords(videos)
}

func makeWords(videos int) string {
	if videos > 1 {
		return fmt.Sprintf("Make %d videos", videos)
	}
	return "Make the video"
}

// fewer returns how many of the videos the credits are enough for, if a button offers that;
// fewer of each line of a list are not what is meant.
func (f CreateForm) fewer() int {
	if n, _ := f.Price.Short(); f.Lines <= 1 {
		return n
	}
	return 0
}

// cheaper returns the dearest model on which the credits are enough for the videos.
func (f CreateForm) cheaper() (best videoapi.Model, ok bool) {
	cost := -1.0
	for _, m := range f.Models {
		p := f.Each["model="+m.ID]
		p.Count, p.Left, p.Room = f.Price.Count, f.Price.Left, f.Price.Room
		if m.ID != f.Model.ID && p.Credits.Known && p.Credits.Amount > cost && p.Shortfall() == "" {
			best, ok, cost = m, true, p.Credits.Amount
		}
	}
	return best, ok
}

// useWords returns the label of the button that chooses a cheaper model.
func (f CreateForm) useWords(m videoapi.Model) string {
	p := f.Each["model="+m.ID]
	return fmt.Sprintf("Use %s for %s", m.Name, part.Number(p.Held()*float64(f.Price.Videos())))
}

// onlyWords returns the label of the button that orders only as many videos as the
// credits are enough for.
func (f CreateForm) onlyWords(videos int) string {
	return fmt.Sprintf("Make %d for %s", videos, part.Number(f.Price.Held()*float64(videos)))
}
