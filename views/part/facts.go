package part

import (
	"strconv"

	"dailies/web/videoapi"
)

// A Fact is one line of a list of labels and values.
type Fact struct{ Label, Value string }

// Facts lists what was chosen for the task, in words.
func Facts(c Card) []Fact {
	o := c.Task.Options
	facts := []Fact{
		{"Scene", SceneName(videoapi.Scene(c.Task.Scene))},
		{"Model", c.ModelName},
	}
	add := func(label, value string) {
		if value != "" {
			facts = append(facts, Fact{label, value})
		}
	}
	if o.Duration > 0 {
		add("Length", Seconds(o.Duration))
	}
	add("Shape", o.AspectRatio)
	add("Resolution", o.Resolution)
	add("Sound", choice(o.Audio, "With sound", "Silent"))
	add("Camera", choice(o.CameraFixed, "Held still", "Free to move"))
	if o.Seed != nil {
		add("Seed", seedWords(*o.Seed))
	}
	add("Safety check", choice(o.SafetyChecker, "On", "Off"))
	add("Provider", c.Task.Provider)
	return facts
}

// choice returns yes or no for an option that is set, and an empty string for
// one that is not.
func choice(b *bool, yes, no string) string {
	switch {
	case b == nil:
		return ""
	case *b:
		return yes
	}
	return no
}

func seedWords(seed int64) string {
	if seed < 0 {
		return "Random"
	}
	return strconv.FormatInt(seed, 10)
}
