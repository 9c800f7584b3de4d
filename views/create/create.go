// Package create holds the pages on which videos are ordered: the form, recipes,
// batches and uploaded pictures.
package create

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/naming"
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

	Cast          Cast
	Remedy        part.Step    // a step that helps after the service has refused the video
	Errors        input.Errors // pictures have the keys "image_input.0" and so on, or "image_input" for all
	Notes         []string     // what was changed because the model does not support it
	Price         part.Price
	CreditRequest *part.CreditRequestForm // a request for more credits, if a limit does not allow the videos; else nil
	NoKey         part.KeyLack
	Practice      bool // credits are those of the sandbox, which gives more

	Count         int            // number of videos, or of videos of each line of a list; 0 means one
	List          bool           // each row of the prompt is a video of its own
	Lines         int            // number of the rows that are made
	Kinds         string         // value of KindsField
	LeftOut       string         // value of LeftField
	Listing       *List          // these rows; nil if there is no list
	AnsweredNotes []AnsweredNote // the notes that the video answers
	Origin        *Origin        // the video from which the form was filled; nil if there is none
	Draft         *DraftOffer    // a quicker model for a draft; nil if there is none
	DraftFirst    bool           // a draft is made first, and Price is the draft's

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
		p.Count, p.Left, p.Budget = f.Price.Count, f.Price.Left, f.Price.Budget
		if m.ID != f.Model.ID && p.Credits.Known && p.Credits.Amount > cost && p.Shortfall() == "" {
			best, ok, cost = m, true, p.Credits.Amount
		}
	}
	return best, ok
}

// useWords returns the label of the button that chooses a cheaper model.
func (f CreateForm) useWords(m videoapi.Model) string {
	p := f.Each["model="+m.ID]
	return fmt.Sprintf("Use %s for %s", m.Name, part.Number(p.Reservation()*float64(f.Price.Videos())))
}

// onlyWords returns the label of the button that orders only as many videos as the
// credits are enough for.
func (f CreateForm) onlyWords(videos int) string {
	return fmt.Sprintf("Make %d for %s", videos, part.Number(f.Price.Reservation()*float64(videos)))
}

// lastOption is the option whose menu also contains the rarely used options.
const lastOption = "generate_audio"

// said returns the label of the option's button, empty if the option has no button or
// the model has nothing to say about it.
func (f CreateForm) said(o part.Option) string {
	value := f.Options[o.Name]
	switch {
	case o.Rare:
		return ""
	case o.Name == lastOption && (value == "true" || f.Model.Sound == option.AlwaysSound):
		return "Sound"
	case o.Name == lastOption:
		return "Silent"
	case len(f.Model.Choices(o.Name)) == 0 || o.Fixed(f.Model) != "":
		short, _, _ := strings.Cut(o.Fixed(f.Model), ",")
		return short
	case value == "":
		return o.Label
	}
	return o.Words(value)
}

// usualShape returns the attribute that tells the script which shape is sent if the size of
// the picture is not known.
func (f CreateForm) usualShape(o part.Option, value string) templ.Attributes {
	if !o.Shape || value != string(option.LikePicture) {
		return nil
	}
	return templ.Attributes{"data-usual": f.Model.Ratio}
}

// typedOption returns the field of an option that is typed.
func (f CreateForm) typedOption(o part.Option) input.Text {
	return input.Text{
		Field: input.Field{Name: o.Name, Label: o.Label, Hint: o.Hint(f.Model), Value: f.Options[o.Name], Error: f.Errors[o.Name]},
		Kind:  "text", Keyboard: "numeric", Sample: "Random",
	}
}

// unfolded reports whether a rare option has an error message that must be visible.
func (f CreateForm) unfolded() bool {
	return slices.ContainsFunc(part.Options, func(o part.Option) bool { return o.Rare && f.Errors[o.Name] != "" })
}

// choiceClass returns the CSS class of the list of the option's choices.
func choiceClass(o part.Option) string {
	switch {
	case o.Shape:
		return "grid6 g3"
	case o.Compact:
		return "grid6"
	}
	return "picks"
}

// tabStop returns the tabindex of an option's button: Tab stops at the first one, and
// arrow keys lead to the others.
func tabStop(name string) string {
	if name == "model" {
		return "0"
	}
	return "-1"
}

// A guide explains a scene in a few words, and suggests what to write.
type guide struct{ Note, Hint string }

func guideTo(s videoapi.Scene) guide {
	switch s {
	case videoapi.ImageToVideo:
		return guide{"Bring one picture to life", "What moves in the picture, and how does the camera?"}
	case videoapi.FramesToVideo:
		return guide{"Move from one picture to another", "How does the start become the end?"}
	case videoapi.ReferenceToVideo:
		return guide{"Keep people and things alike", "What do they do, and where?"}
	}
	return guide{"Describe it in words", "Describe the shot: who, where, what moves."}
}

// An example is a prompt to start from.
type example struct{ Name, Prompt string }

func examples() []example {
	return []example{
		{"A paper boat", "A paper boat drifts out of a quiet harbour as the morning fog lifts. Slow push-in, soft light, gentle ripples."},
		{
			"A night tram",
			"A yellow tram crosses a bridge at night, rain on the lens, city lights blurred behind it. The camera glides alongside.",
		},
		{"Dew on a fern", "Macro shot of dew drops on a fern at sunrise, focus moves from the front leaf to the back, a light breeze."},
	}
}

func exampleLink(e example) string {
	return part.ScenePath(videoapi.TextToVideo) + "?" + url.Values{"prompt": {e.Prompt}}.Encode()
}

func optionsPath(s videoapi.Scene) string { return part.ScenePath(s) + "/options" }

// tabLink returns the path of another scene's form, with what was typed.
func (f CreateForm) tabLink(s videoapi.Scene) string {
	carried := url.Values{}
	if f.Prompt != "" {
		carried.Set("prompt", f.Prompt)
	}
	for _, p := range f.Pictures {
		if p != "" {
			carried.Add("image_input", p)
		}
	}
	if o := f.Origin; o != nil {
		carried.Set("from", o.id())
		carried.Set("use", string(o.Use))
		carried.Set("prompt", f.Prompt) // even if empty, so that the origin's prompt is not used instead
	}
	const longest = 4000 // long enough for most forms, and short enough for any proxy
	query := carried.Encode()
	if query == "" || len(query) > longest {
		return part.ScenePath(s)
	}
	return part.ScenePath(s) + "?" + query
}

// hasPictures reports whether the form has any picture.
func (f CreateForm) hasPictures() bool {
	return slices.ContainsFunc(f.Pictures, func(address string) bool { return address != "" })
}

// oneByOne reports whether picture fields can be added and removed one by one.
func (f CreateForm) oneByOne() bool { return f.Scene == videoapi.ReferenceToVideo && !f.Blanks }

// A shot holds the videos that were ordered together, in order. At most four of the same
// prompt are takes; others, of a table or a list, are a batch. Cards are large, and a page
// asks for its shots many times, so that these point to them.
type shot []*part.Card

const mostTakes = 4

// isBatch reports whether the videos are those of a table or a list.
func (s shot) isBatch() bool {
	first := s[0]
	if first.Group == nil || first.Group.Videos < 2 {
		return false
	}
	return first.Group.Videos > mostTakes || slices.ContainsFunc(s, func(c *part.Card) bool {
		return c.Task.Prompt != first.Task.Prompt || !slices.Equal(c.Task.Pictures, first.Task.Pictures)
	})
}

// takes says how many takes the shot has.
func (s shot) takes() string {
	ready := 0
	for _, c := range s {
		if c.Task.State == db.Success {
			ready++
		}
	}
	return fmt.Sprintf("%d takes, %d ready", len(s), ready)
}

// batchName names a batch.
func (s shot) batchName() string {
	group := s[0].Group
	if group.RecipeName == "" {
		return part.Plural(group.Videos, "Batch: %s video", "Batch: %s videos")
	}
	return part.Plural(group.Videos, "Batch: %[2]s, %[1]s video", "Batch: %[2]s, %[1]s videos", naming.Isolated(group.RecipeName))
}

// progress says how much of a batch is done, and when the rest will be.
func (s shot) progress(now time.Time) string {
	group := s[0].Group
	ready, failed := len(group.Ready), group.Videos-group.Running-len(group.Ready)
	left := s.left(now)
	minutes := int((left + time.Minute - 1) / time.Minute)
	switch {
	case group.Running == 0 && failed == 0:
		return fmt.Sprintf("%d ready", ready)
	case group.Running == 0:
		return fmt.Sprintf("%d ready, %d failed", ready, failed)
	case left == 0 && failed == 0:
		return fmt.Sprintf("%d ready, %d to go", ready, group.Running)
	case left == 0:
		return fmt.Sprintf("%d ready, %d failed, %d to go", ready, failed, group.Running)
	case failed == 0:
		return fmt.Sprintf("%d ready, %d to go, about %d min", ready, group.Running, minutes)
	}
	return fmt.Sprintf("%d ready, %d failed, %d to go, about %d min", ready, failed, group.Running, minutes)
}

// left returns how long the running videos of a batch will take, or 0 if that is not known.
// If some wait for their turn, it is the time until the turn of the last one.
func (s shot) left(now time.Time) (last time.Duration) {
	for _, c := range s {
		if c.Task.State.Running() && !c.Task.State.Begun() {
			last = max(last, c.Wait)
		}
	}
	if last == 0 {
		_, last = s.ends(now)
	}
	return last
}

// ends returns when the first and the last running video of a batch will probably be
// ready, or zeros if that is not known of all: one of them was not accepted yet, is of an
// unknown kind, or is late already.
func (s shot) ends(now time.Time) (first, last time.Duration) {
	for _, c := range s {
		if !c.Task.State.Running() {
			continue
		}
		left := c.Usual.High - now.Sub(c.Task.StartedAt())
		if c.Task.StartedAt().IsZero() || !c.Usual.Known() || left <= 0 {
			return 0, 0
		}
		if last = max(last, left); first == 0 || left < first {
			first = left
		}
	}
	return first, last
}

// until returns the first time at which progress says something else although no video has
// changed, or the zero time.
func (s shot) until(now time.Time) time.Time {
	if !s.isBatch() {
		return time.Time{}
	}
	first, last := s.ends(now)
	if last == 0 {
		return time.Time{}
	}
	return now.Add(min(first, (last-1)%time.Minute+1))
}
