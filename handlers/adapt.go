package handlers

import (
	"fmt"
	"slices"
	"strconv"

	"dailies/handlers/site"
	"dailies/web/videoapi"
	"dailies/web/videoapi/option"
)

// adapt fits the choices to the model: a value that it does not take becomes
// its default, with a note that says so. What was typed stays.
func (f *createForm) adapt(c *videoapi.Catalog) (notes []string) {
	models := c.For(f.Scene)
	if !f.Known {
		if f.Model != "" {
			notes = append(notes, fmt.Sprintf("%s is not for this scene, so %s is chosen.", c.Name(site.Clip(f.Model, 60)), models[0].Name))
		}
		f.Chosen, f.Model, f.Known = models[0], models[0].ID, true
	}
	m := f.Chosen
	fit := func(what string, value *string, from []string, usual, unit string) {
		if *value == "" || slices.Contains(from, *value) {
			*value = pick(*value, usual)
			return
		}
		if len(from) > 0 {
			notes = append(notes, fmt.Sprintf("%s is now %s%s, because %s does not make %s%s.", what, usual, unit, m.Name, site.Clip(*value, 20), unit))
		} else {
			notes = append(notes, fmt.Sprintf("%s lets the picture decide the %s.", m.Name, "shape"))
		}
		*value = usual
	}
	fit("Length", &f.Duration, seconds(m.Durations), usualDuration(m), " s")
	fit("Resolution", &f.Resolution, m.Resolutions, m.Resolution, "")
	f.AspectRatio = ratio(f.AspectRatio)
	fit("Shape", &f.AspectRatio, m.Ratios, m.Ratio, "")
	return append(notes, f.adaptSwitches()...)
}

func usualDuration(m videoapi.Model) string {
	if m.Duration == 0 {
		return ""
	}
	return strconv.Itoa(m.Duration)
}

func (f *createForm) adaptSwitches() (notes []string) {
	m := f.Chosen
	turn := func(value *string, offered bool, usual, lost string) {
		switch {
		case !offered && *value == "true" && lost != "":
			notes = append(notes, fmt.Sprintf("%s %s", m.Name, lost))
			*value = ""
		case !offered:
			*value = ""
		case *value != "true" && *value != "false":
			*value = usual
		}
	}
	turn(&f.CameraFixed, m.Camera != option.MovingCamera, "false", "cannot keep the camera still.")
	turn(&f.SafetyChecker, m.Safety, "true", "")
	quiet := "makes no sound."
	if m.Sound == option.AlwaysSound {
		quiet = ""
	}
	turn(&f.Audio, m.Sound.Optional(), strconv.FormatBool(m.Sound == option.SoundOn), quiet)
	if f.Seed != "" && m.Seed == nil {
		notes = append(notes, fmt.Sprintf("%s takes no seed.", m.Name))
		f.Seed = ""
	}
	if f.EndPicture != "" && f.Scene == videoapi.ImageToVideo && m.ImagesFor(f.Scene).Max < 2 {
		notes = append(notes, fmt.Sprintf("%s takes one picture only; the end picture is left out.", m.Name))
		f.EndPicture = ""
	}
	return notes
}
