package option

import (
	"fmt"
	"slices"
	"strings"
)

// An Offer lists the values that a model accepts for each option. It is part of a
// model's entry in the catalogue.
type Offer struct {
	Durations     []int `toml:"durations"`      // seconds
	Duration      int   `toml:"duration"`       // the default; 0 selects the first
	FixedDuration bool  `toml:"fixed_duration"` // the model decides; not sent

	Resolutions []string `toml:"resolutions"`
	Resolution  string   `toml:"resolution"` // the default; empty selects the first

	Ratios []string `toml:"ratios"` // empty: the shape of the picture; not sent
	Ratio  string   `toml:"ratio"`  // the default; empty selects the first
	// Leads says that the video can have the shape of its first picture. It depends on the
	// scene, so it is not in the catalogue.
	Leads bool `toml:"-"`

	Sound  Sound  `toml:"sound"`
	Camera Camera `toml:"camera"`
	Seed   *Seed  `toml:"seed"`
	Safety bool   `toml:"safety"` // whether the user can switch the safety check
}

// Sound says whether a model makes sound and whether the user can choose.
type Sound string

const (
	NoSound     Sound = ""
	AlwaysSound Sound = "always" // no choice; not sent
	SoundOn     Sound = "on"     // the user can choose; on by default
	SoundOff    Sound = "off"    // the user can choose; off by default
)

// Optional reports whether the user can choose.
func (s Sound) Optional() bool { return s == SoundOn || s == SoundOff }

// Camera names the field of the create call that fixes a model's camera.
type Camera string

// The two names that API.md has for the same field.
const (
	MovingCamera Camera = "" // no field: the camera cannot be fixed
	FixedCamera  Camera = "camera_fixed"
	FixedLens    Camera = "fixed_lens"
)

// A Seed is the range of seeds that a model accepts.
type Seed struct {
	Min     int64  `toml:"min"`
	Max     int64  `toml:"max"`
	Default *int64 `toml:"default"` // sent if the user gives none
}

// AutoRatio is the ratio that lets the model decide. API.md: "For Veo, Auto is
// expressed by omitting the field or sending an empty string."
const AutoRatio = "Auto"

// Tidy normalises the spellings that browsers, programs and users send: switches
// become "true" or "false", and Auto becomes AutoRatio. Everything else stays as
// it is; Check reports what is invalid.
func (o Offer) Tidy(t Text) {
	for _, f := range fields {
		text, sent := t[f.name]
		switch {
		case f.isSwitch():
			text = Switch(text)
		case f.name == aspectRatio && (strings.EqualFold(text, AutoRatio) || sent && text == "" && slices.Contains(o.Ratios, AutoRatio)):
			text = AutoRatio
		}
		if sent {
			t[f.name] = text
		}
	}
}

// Switch converts a switch, in any spelling that browsers and programs send, to
// "true" or "false". It returns any other text unchanged.
func Switch(text string) string {
	switch strings.ToLower(text) {
	case "true", "on", "1", "yes":
		return "true"
	case "false", "off", "0", "no":
		return "false"
	}
	return text
}

// Choices returns the values of the named option from which the user can choose.
// There are none if the model decides or the user types the value.
func (o Offer) Choices(name string) []string {
	for _, f := range fields {
		if c := f.offer(&o); f.name == name && !c.fixed {
			if c.also != "" && len(c.from) > 0 {
				return slices.Insert(slices.Clone(c.from), 0, c.also)
			}
			return c.from
		}
	}
	return nil
}

// Takes reports whether the model takes the option: there is a choice, or at least a value
// that it needs.
func (o Offer) Takes(name string) bool {
	for _, f := range fields {
		if c := f.offer(&o); f.name == name {
			return c.limit != nil || len(c.from) > 0 && !(c.fixed && f.isSwitch())
		}
	}
	return false
}

// Check returns one sentence for each option that the model does not accept, by
// the option's name; nil if it accepts all. The sentences contain the model's
// name.
func (o Offer) Check(model string, t Text) map[string]string {
	return o.check(func(f field, c choice) string { return f.problem(model, c, t[f.name]) })
}

// CheckValues is like Check for options that were parsed.
func (o Offer) CheckValues(model string, v Values) map[string]string {
	return o.check(func(f field, c choice) string {
		if n, is := f.value(&v).(**int64); is {
			return numberProblem(model, c, *n)
		}
		return f.problem(model, c, f.text(&v))
	})
}

func (o Offer) check(problem func(field, choice) string) map[string]string {
	var problems map[string]string
	for _, f := range fields {
		if text := problem(f, f.offer(&o)); text != "" {
			if problems == nil {
				problems = map[string]string{}
			}
			problems[f.name] = text
		}
	}
	return problems
}

// Fit adapts the options to the model: missing and unsupported values become the
// model's defaults. unread are texts that are not of their option's type, and left those
// of them that are kept. It returns a note for each change that the user would not
// expect.
func (o Offer) Fit(model string, v Values, unread Text) (fitted Values, left Text, notes []string) {
	for _, f := range fields {
		text, odd := unread[f.name]
		if !odd {
			text = f.text(&v)
		}
		fitted, note := f.fit(model, f.offer(&o), text)
		if note != "" {
			notes = append(notes, note)
		}
		switch {
		case fitted != text:
			f.set(&v, fitted)
		case odd:
			if left == nil {
				left = Text{}
			}
			left[f.name] = text
		}
	}
	return v, left, notes
}

// fit returns the text if the model accepts it, or else the model's default, and a note about a
// change that the user would not expect.
func (f field) fit(model string, c choice, text string) (fitted, note string) {
	fits := f.problem(model, c, text) == ""
	switch {
	case f.name == "seed" && (c.limit != nil || text == ""):
		c.usual = text // kept even if out of range: Check reports it
	case f.name == "seed":
		note = fmt.Sprintf(noSeed, model)
	case f.isSwitch():
		if len(c.from) == 0 && text == "true" && f.lost != "" {
			note = fmt.Sprintf(f.lost, model)
		}
	case fits:
	case len(c.from) > 0:
		note = f.instead(model, c, text)
	case f.name == aspectRatio:
		note = fmt.Sprintf(pictureShape, model)
	default:
		note = fmt.Sprintf(f.never, model)
	}
	if text == "" || !fits || len(c.from) == 0 || c.fixed {
		text = c.usual
	}
	return text, note
}

// Taken returns v without the options that the model does not take.
func (o Offer) Taken(v Values) Values {
	for _, f := range fields {
		if !o.Takes(f.name) {
			f.set(&v, "")
		}
	}
	return v
}

// Complete returns v with the model's defaults for options that were not chosen,
// and without options that the model does not offer.
func (o Offer) Complete(v Values) Values {
	for _, f := range fields {
		c, text := f.offer(&o), f.text(&v)
		switch {
		case f.name == aspectRatio:
			v = o.completeShape(v)
		case c.limit != nil && text == "":
			v.Seed = c.limit.Default
		case c.limit != nil:
		case len(c.from) == 0, c.fixed, text == "":
			f.set(&v, c.usual)
		}
	}
	return v
}

// Wire returns the values as the create call sends them. If the model calls the
// camera's field fixed_lens, its value is returned separately.
func (o Offer) Wire(v Values) (sent Values, fixedLens *bool) {
	if o.FixedDuration {
		v.Duration = 0
	}
	if v.Shape = ChosenShape; strings.EqualFold(v.AspectRatio, AutoRatio) {
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

// HasSound reports whether a video with these values has sound, because the user
// asked for it or because the model always makes it.
func (o Offer) HasSound(v Values) bool { return v.HasSound() || o.Sound == AlwaysSound }

// NextSeed returns seed plus after. Beyond the model's highest seed it continues
// at 0, or at the model's lowest seed if that is greater. It returns a nil or
// negative seed, with which the service chooses, unchanged.
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
