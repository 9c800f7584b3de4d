package create

import (
	"strings"

	"dailies/views/part"
	"dailies/web/videoapi/option"
)

// lastOption names the option whose choices also hold the rare options.
const lastOption = "generate_audio"

// said returns what the button of the option says; empty where the model has
// nothing to say about it, or the option has no button.
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

// unfolded reports whether a rare option has a message that must be seen.
func (f CreateForm) unfolded() bool {
	for _, o := range part.Options {
		if o.Rare && f.Errors[o.Name] != "" {
			return true
		}
	}
	return f.Errors["provider"] != ""
}

// choiceClass returns the class of the list of an option's choices.
func choiceClass(o part.Option) string {
	switch {
	case o.Shape:
		return "grid6 g3"
	case o.Compact:
		return "grid6"
	}
	return "picks"
}

// tabStop returns the tabindex of the button of an option: Tab stops at the
// first one, and arrow keys lead to the others.
func tabStop(name string) string {
	if name == "model" {
		return "0"
	}
	return "-1"
}
