package option

import (
	"fmt"
	"slices"
	"strings"
)

// An Offer is what a model lets one choose of each option. It is a part of a
// model's entry in the catalogue.
type Offer struct {
	Durations     []int `toml:"durations"`      // seconds
	Duration      int   `toml:"duration"`       // the default; 0 takes the first
	FixedDuration bool  `toml:"fixed_duration"` // the model decides; not sent

	Resolutions []string `toml:"resolutions"`
	Resolution  string   `toml:"resolution"` // the default; empty takes the first

	Ratios []string `toml:"ratios"` // empty: as the picture; not sent
	Ratio  string   `toml:"ratio"`  // the default; empty takes the first

	Sound  Sound  `toml:"sound"`
	Camera Camera `toml:"camera"`
	Seed   *Seed  `toml:"seed"`
	Safety bool   `toml:"safety"` // the safety check can be switched
}

// Sound says whether a model can be asked for sound.
type Sound string

const (
	NoSound     Sound = ""
	AlwaysSound Sound = "always" // not a choice; not sent
	SoundOn     Sound = "on"     // a choice, on at first
	SoundOff    Sound = "off"    // a choice, off at first
)

// Optional reports whether the person can choose.
func (s Sound) Optional() bool { return s == SoundOn || s == SoundOff }

// Camera names the field of the create call that keeps a model's camera still.
type Camera string

// The names that API.md has for one and the same field.
const (
	MovingCamera Camera = "" // none: it cannot be kept still
	FixedCamera  Camera = "camera_fixed"
	FixedLens    Camera = "fixed_lens"
)

// A Seed is the range of seeds that a model takes.
type Seed struct {
	Min     int64  `toml:"min"`
	Max     int64  `toml:"max"`
	Default *int64 `toml:"default"` // sent where nothing was chosen
}

// AutoRatio is the ratio that lets the model decide. API.md: "For Veo, Auto is
// expressed by omitting the field or sending an empty string."
const AutoRatio = "Auto"

// Tidy brings the spellings of browsers, programs and people to one: switches
// are "true" or "false", and Auto is AutoRatio. What else it holds stays as it
// is, to be refused by Check.
func (o Offer) Tidy(t Text) {
	for _, f := range fields {
		text, sent := t[f.name]
		switch {
		case f.isSwitch():
			text = Switch(text)
		case f.name == "aspect_ratio" && (strings.EqualFold(text, AutoRatio) || sent && text == "" && slices.Contains(o.Ratios, AutoRatio)):
			text = AutoRatio
		}
		if sent {
			t[f.name] = text
		}
	}
}

// Switch reads a switch in the ways in which browsers and programs send it, as
// "true" or "false". It returns anything else as it is.
func Switch(text string) string {
	switch strings.ToLower(text) {
	case "true", "on", "1", "yes":
		return "true"
	case "false", "off", "0", "no":
		return "false"
	}
	return text
}

// Choices returns the values of the named option that can be chosen, none where
// the model decides or the option is typed.
func (o Offer) Choices(name string) []string {
	for _, f := range fields {
		if c := f.offer(&o); f.name == name && !c.fixed {
			return c.from
		}
	}
	return nil
}

// Check returns what is wrong with the options on the model of that name, in one
// sentence for each option; nil if nothing is.
func (o Offer) Check(model string, t Text) map[string]string {
	var problems map[string]string
	for _, f := range fields {
		if text := f.problem(model, f.offer(&o), t[f.name]); text != "" {
			if problems == nil {
				problems = map[string]string{}
			}
			problems[f.name] = text
		}
	}
	return problems
}

// Fit returns the options with the defaults of the model of that name in place of
// what it does not take and of what is missing, and a note for each change that a
// person would not expect.
func (o Offer) Fit(model string, t Text) (fitted Text, notes []string) {
	fitted = Text{}
	for _, f := range fields {
		c, text := f.offer(&o), t[f.name]
		fits := f.problem(model, c, text) == ""
		switch {
		case f.name == "seed" && (c.limit != nil || text == ""):
			c.usual = text // it is told where it is checked
		case f.name == "seed":
			notes = append(notes, model+" takes no seed.")
		case f.isSwitch():
			if len(c.from) == 0 && text == "true" && f.lost != "" {
				notes = append(notes, model+" "+f.lost)
			}
		case fits:
		case len(c.from) > 0:
			notes = append(notes, fmt.Sprintf("%s, so we set %s%s.", f.limit(model, c, text), c.usual, f.unit))
		case f.name == "aspect_ratio":
			notes = append(notes, model+" lets the picture decide the shape.")
		default:
			notes = append(notes, fmt.Sprintf("%s does not let you choose the %s.", model, f.what))
		}
		if text == "" || !fits || len(c.from) == 0 || c.fixed {
			text = c.usual
		}
		if text != "" {
			fitted[f.name] = text
		}
	}
	return fitted, notes
}

// Complete returns the values with the model's defaults for what was not chosen,
// and without what the model does not offer.
func (o Offer) Complete(v Values) Values {
	for _, f := range fields {
		c, text := f.offer(&o), f.text(&v)
		switch {
		case c.limit != nil && text == "":
			v.Seed = c.limit.Default
		case c.limit != nil:
		case len(c.from) == 0, c.fixed, text == "":
			f.set(&v, c.usual)
		}
	}
	return v
}

// Wire returns the values as the create call takes them, the camera's apart where
// the model wants it under its other name.
func (o Offer) Wire(v Values) (sent Values, fixedLens *bool) {
	if o.FixedDuration {
		v.Duration = 0
	}
	if strings.EqualFold(v.AspectRatio, AutoRatio) {
		v.AspectRatio = ""
	}
	if o.Camera == FixedLens {
		fixedLens = v.CameraFixed
	}
	if o.Camera != FixedCamera {
		v.CameraFixed = nil
	}
	return v, fixedLens
}

// HasSound reports whether a video with the values has sound: because it was
// asked for, or because the model always makes it.
func (o Offer) HasSound(v Values) bool { return v.HasSound() || o.Sound == AlwaysSound }

// NextSeed returns the seed that comes so many after the one, beginning anew
// after the model's last one. It returns a seed that leaves the choice to the
// service as it is.
func (o Offer) NextSeed(seed *int64, after int64) *int64 {
	if seed == nil || *seed < 0 || o.Seed == nil {
		return seed
	}
	next := *seed + after
	if next > o.Seed.Max {
		next = min(o.Seed.Max, max(0, o.Seed.Min)+next-o.Seed.Max-1)
	}
	return &next
}
