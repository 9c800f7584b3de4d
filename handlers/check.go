package handlers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-playground/validator/v10"

	"dailies/handlers/site"
	"dailies/views/part"
	"dailies/web/videoapi"
	"dailies/web/videoapi/option"
)

// validate checks every form of the app. It is safe for concurrent use.
var validate = withScenes(site.NewValidator())

func withScenes(v *validator.Validate) *validator.Validate {
	v.RegisterStructValidation(checkScene, createForm{})
	return v
}

// check returns the messages for the form by field, none if it will do.
func (f createForm) check() part.Errors {
	return site.Messages(validate.Struct(f), formSentence)
}

// formSentence has the sentences for the rules in the tags. The rules of
// checkScene bring their own.
func formSentence(field, rule string) string {
	switch {
	case rule == ownRule:
		return ""
	case field == "prompt":
		return fmt.Sprintf("Please use at most %d characters.", maxPrompt)
	case field == "image_input" || field == "end_image_url":
		if rule == "max" {
			return "This link is too long. Please use one of at most 2,048 characters."
		}
		return "This is not a web address. It starts with https:// or http://"
	case field == "provider":
		return "Please use at most 100 plain letters and digits, or leave it empty."
	}
	return "This cannot be chosen here."
}

// ownRule marks a message that is a whole sentence already.
const ownRule = "own"

// checkScene holds the form against the scene and the chosen model.
func checkScene(level validator.StructLevel) {
	f := level.Current().Interface().(createForm)
	say := func(field, sentence string) { level.ReportError(field, field, field, ownRule, sentence) }
	if f.Scene == videoapi.TextToVideo && f.Prompt == "" {
		say("prompt", "Please say what should happen in the video.")
	}
	if !f.Known {
		say("model", "This model cannot be chosen here. Please choose one of these.")
		f.checkPictures(say, videoapi.Model{})
		return
	}
	f.checkPictures(say, f.Chosen)
	f.checkChoices(say)
	f.checkSwitches(say)
	f.checkSeed(say)
}

func (f createForm) checkPictures(say func(field, sentence string), m videoapi.Model) {
	want := m.ImagesFor(f.Scene)
	have := len(f.pictures())
	switch {
	case want.Max == 0 && have > 0:
		say("image_input", "This scene takes no pictures. Choose Image, Start and end, or References to use one.")
	case have > want.Max:
		say("image_input", fmt.Sprintf("Here the model takes at most %s; this has %d.", counted(want.Max), have))
	case f.Scene == videoapi.FramesToVideo && want.Min == 2:
		for i, sentence := range []string{"Please give the picture that the video starts with.", "Please give the picture that the video ends with."} {
			if i >= len(f.Pictures) || f.Pictures[i] == "" {
				say(fmt.Sprintf("image_input.%d", i), sentence)
			}
		}
	case have < want.Min || (f.EndPicture != "" && have == 1):
		say("image_input.0", "Please give the link of a picture.")
	}
}

func counted(pictures int) string {
	if pictures == 1 {
		return "1 picture"
	}
	return fmt.Sprintf("%d pictures", pictures)
}

func (f createForm) checkChoices(say func(field, sentence string)) {
	m := f.Chosen
	choose := func(field, value, what string, from []string) {
		switch {
		case value == "" || slices.Contains(from, value):
		case len(from) == 0:
			say(field, fmt.Sprintf("%s does not let you choose the %s.", m.Name, what))
		default:
			say(field, fmt.Sprintf("%s can make %s here, not %q.", m.Name, either(from), site.Clip(value, 20)))
		}
	}
	choose("duration", f.Duration, "length", seconds(m.Durations))
	choose("resolution", f.Resolution, "resolution", m.Resolutions)
	choose("aspect_ratio", ratio(f.AspectRatio), "shape", m.Ratios)
}

// ratio is the one spelling of Auto; API.md names it so, and people type it as
// they like.
func ratio(s string) string {
	if strings.EqualFold(s, option.AutoRatio) {
		return option.AutoRatio
	}
	return s
}

func (f createForm) checkSwitches(say func(field, sentence string)) {
	m := f.Chosen
	for _, s := range []struct {
		field, value, what string
		offered            bool
	}{
		{"camera_fixed", f.CameraFixed, "keep the camera still", m.Camera != option.MovingCamera},
		{"enable_safety_checker", f.SafetyChecker, "switch the safety check", m.Safety},
		{"generate_audio", f.Audio, "make sound", m.Sound != option.NoSound},
	} {
		switch {
		case s.value != "" && s.value != "true" && s.value != "false":
			say(s.field, "Please choose on or off.")
		case s.value == "true" && !s.offered:
			say(s.field, fmt.Sprintf("%s cannot %s.", m.Name, s.what))
		}
	}
	if f.Audio == "false" && m.Sound == option.AlwaysSound {
		say("generate_audio", fmt.Sprintf("%s always makes sound.", m.Name))
	}
}

func (f createForm) checkSeed(say func(field, sentence string)) {
	if f.Seed == "" {
		return
	}
	limits := f.Chosen.Seed
	if limits == nil {
		say("seed", fmt.Sprintf("%s takes no seed. Please leave it empty.", f.Chosen.Name))
		return
	}
	n, err := strconv.ParseInt(f.Seed, 10, 64)
	if err != nil || n < limits.Min || n > limits.Max {
		say("seed", fmt.Sprintf("Please give a whole number from %d to %d, or leave it empty.", limits.Min, limits.Max))
	}
}

func seconds(durations []int) []string {
	var all []string
	for _, d := range durations {
		all = append(all, strconv.Itoa(d))
	}
	return all
}

// either joins the choices as one says them: "5 or 10".
func either(choices []string) string {
	if len(choices) < 2 {
		return strings.Join(choices, "")
	}
	return strings.Join(choices[:len(choices)-1], ", ") + " or " + choices[len(choices)-1]
}
