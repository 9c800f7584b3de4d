package create

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"dailies/db/option"
	"dailies/views/input"
	"dailies/views/part"
)

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
