package part

import (
	"fmt"

	"dailies/db"
	"dailies/db/option"
	"dailies/web/videoapi"
)

// An Option describes how pages show one option of a video.
type Option struct {
	Name    string // name of the form field
	Label   string
	Yes, No string // labels of a switch
	Form    string // how the value is read, such as "%s s"; empty is the value alone
	Rare    bool   // rarely needed, so it is folded away
	Compact bool   // its choices are short, so that many fit on a line
	Shape   bool   // each choice is shown with an outline of its aspect ratio

	// Decided describes what the model does if the user cannot choose. It returns an
	// empty string if there is nothing to say.
	Decided func(m videoapi.Model) string
	// Hint describes the allowed values of an option that is typed. It is nil for other
	// options.
	Hint func(m videoapi.Model) string
}

// Options lists all options in the order of the pages.
var Options = []Option{
	{Name: "duration", Label: "Length", Form: "%s s", Compact: true, Decided: decidedLength},
	{Name: "aspect_ratio", Label: "Shape", Compact: true, Shape: true, Decided: decidedShape},
	{Name: "resolution", Label: "Resolution"},
	{Name: "generate_audio", Label: "Sound", Yes: "With sound", No: "Silent", Decided: decidedSound},
	{Name: "camera_fixed", Label: "Camera", Yes: "Held still", No: "Free to move", Rare: true},
	{Name: "seed", Label: "Seed", Rare: true, Hint: seedHint},
	{Name: "enable_safety_checker", Label: "Safety check", Yes: "On", No: "Off", Rare: true},
}

// Words returns the value as users read it.
func (o Option) Words(value string) string {
	switch {
	case value == "true" && o.Yes != "":
		return o.Yes
	case value == "false" && o.No != "":
		return o.No
	case o.Shape && value == string(option.LikePicture):
		return LikePicture
	}
	if o.Form != "" {
		return fmt.Sprintf(o.Form, value)
	}
	return value
}

// Fixed describes what the model decides by itself, empty if there is a choice or
// nothing to say.
func (o Option) Fixed(m videoapi.Model) string {
	if o.Decided == nil || len(m.Choices(o.Name)) > 0 {
		return ""
	}
	return o.Decided(m)
}

// LikePicture is the choice of the shape that the picture has.
const LikePicture = "Like the picture"

func decidedShape(m videoapi.Model) string {
	if !m.Leads {
		return "Decided by the model"
	}
	return LikePicture
}

func decidedLength(m videoapi.Model) string {
	switch {
	case !m.FixedDuration:
		return ""
	case m.Duration == 0:
		return "Decided by the model"
	}
	return fmt.Sprintf("%d s, decided by the model", m.Duration)
}

func decidedSound(m videoapi.Model) string {
	if m.Sound == option.AlwaysSound {
		return "Always with sound"
	}
	return "No sound with this model"
}

// seedHint says which seeds are allowed, empty if the model takes none.
func seedHint(m videoapi.Model) string {
	if m.Seed == nil {
		return ""
	}
	return fmt.Sprintf("Empty: a new result each time. The same number: a similar video. %d to %d.", m.Seed.Min, m.Seed.Max)
}

// ShapeSent says what decided the shape of a video that has its picture's, and what was
// sent for it; empty if the shape was chosen.
func ShapeSent(t db.Task) string {
	o := t.Options
	sending := t.State == db.Queued || t.State == db.Sending
	switch {
	case o.Shape == option.ChosenShape:
		return ""
	case o.Shape == option.UnseenPicture && sending:
		return fmt.Sprintf("Like the picture. Its size isn’t known, so %s is sent.", o.AspectRatio)
	case o.Shape == option.UnseenPicture:
		return fmt.Sprintf("Like the picture. Its size wasn’t known, so %s was sent.", o.AspectRatio)
	case o.AspectRatio == "" && sending:
		return "Like the picture. No shape is sent."
	case o.AspectRatio == "":
		return "Like the picture. No shape was sent."
	case sending:
		return fmt.Sprintf("Like the picture: %s is sent.", o.AspectRatio)
	}
	return fmt.Sprintf("Like the picture: %s was sent.", o.AspectRatio)
}

// A Fact is one line in a list of labels and values.
type Fact struct{ Label, Value string }

// Facts lists what was chosen for the task, in words.
func Facts(c Card) []Fact {
	facts := []Fact{{"Made from", SceneName(videoapi.Scene(c.Task.Scene))}, {"Model", c.ModelName}}
	text := c.Task.Options.Text()
	for _, o := range Options {
		switch value := text[o.Name]; {
		case o.Shape && c.Task.Options.Shape != option.ChosenShape:
			facts = append(facts, Fact{o.Label, ShapeSent(c.Task)})
		case value != "":
			facts = append(facts, Fact{o.Label, o.Words(value)})
		case o.Hint != nil && c.Task.Options.Seed != nil:
			facts = append(facts, Fact{o.Label, "Random"})
		}
	}
	if c.Task.Provider != "" {
		facts = append(facts, Fact{"Provider", c.Task.Provider})
	}
	return facts
}
