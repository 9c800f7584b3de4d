// Package option describes the options of a video: their typed values, what a
// model offers of each, and how a form writes them. An option is named in the
// table of this file, in the catalogue, and in the part of the page that shows
// it; everything else goes through the table.
package option

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Values are the options chosen for a video. The names in JSON are those of
// API.md; databases, backups and recipe files keep them. A zero or nil value was
// not offered or not chosen, and is not sent.
type Values struct {
	Duration      int    `json:"duration,omitempty"` // seconds
	AspectRatio   string `json:"aspect_ratio,omitempty"`
	Resolution    string `json:"resolution,omitempty"`
	CameraFixed   *bool  `json:"camera_fixed,omitempty"`
	Seed          *int64 `json:"seed,omitempty"` // below 0 leaves the choice to the service
	SafetyChecker *bool  `json:"enable_safety_checker,omitempty"`
	Audio         *bool  `json:"generate_audio,omitempty"`
}

// A field describes one option.
type field struct {
	name  string
	value func(*Values) any // the address of its value
	offer func(*Offer) choice
	what  string // what a model cannot choose or do, within a sentence
	unit  string
	lost  string // notes that a switch is off on the new model; empty says nothing
}

// A choice is what a model offers of one option.
type choice struct {
	from  []string // the values to choose from; none if it is not offered
	limit *Seed    // the numbers to choose from, in place of from
	usual string   // the value where nothing is chosen
	fixed bool     // the model has it by itself: there is nothing to choose
}

// fields are all options, in the order in which pages show them.
var fields = []field{
	{
		name: "duration", value: func(v *Values) any { return &v.Duration },
		offer: func(o *Offer) choice {
			return choice{from: seconds(o.Durations), usual: positive(o.Duration), fixed: o.FixedDuration}
		},
		what: "length", unit: " s",
	}, {
		name: "aspect_ratio", value: func(v *Values) any { return &v.AspectRatio },
		offer: func(o *Offer) choice { return choice{from: o.Ratios, usual: o.Ratio} },
		what:  "shape",
	}, {
		name: "resolution", value: func(v *Values) any { return &v.Resolution },
		offer: func(o *Offer) choice { return choice{from: o.Resolutions, usual: o.Resolution} },
		what:  "resolution",
	}, {
		name: "generate_audio", value: func(v *Values) any { return &v.Audio },
		offer: func(o *Offer) choice {
			if o.Sound == AlwaysSound {
				return choice{from: []string{"true"}, fixed: true}
			}
			return onOff(o.Sound.Optional(), o.Sound == SoundOn)
		},
		what: "make sound", lost: "makes no sound.",
	}, {
		name: "camera_fixed", value: func(v *Values) any { return &v.CameraFixed },
		offer: func(o *Offer) choice { return onOff(o.Camera != MovingCamera, false) },
		what:  "keep the camera still", lost: "cannot keep the camera still.",
	}, {
		name: "seed", value: func(v *Values) any { return &v.Seed },
		offer: func(o *Offer) choice { return choice{limit: o.Seed} },
	}, {
		name: "enable_safety_checker", value: func(v *Values) any { return &v.SafetyChecker },
		offer: func(o *Offer) choice { return onOff(o.Safety, true) },
		what:  "switch the safety check",
	},
}

// limit says that the model does not make a video with the text, or what alone it
// makes.
func (f field) limit(model string, c choice, text string) string {
	if len(c.from) == 1 {
		return fmt.Sprintf("%s makes %s%s only", model, c.from[0], f.unit)
	}
	return fmt.Sprintf("%s does not make %s%s", model, short(text), f.unit)
}

func onOff(offered, usual bool) choice {
	if !offered {
		return choice{}
	}
	return choice{from: []string{"true", "false"}, usual: strconv.FormatBool(usual)}
}

func seconds(durations []int) []string {
	all := make([]string, len(durations))
	for i, d := range durations {
		all[i] = strconv.Itoa(d)
	}
	return all
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Names returns the names of all options, in the order in which pages show them.
func Names() []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// HasSound reports whether sound was asked for.
func (v Values) HasSound() bool { return v.Audio != nil && *v.Audio }

// Silent returns the same values without sound.
func (v Values) Silent() Values {
	no := false
	v.Audio = &no
	return v
}

// Text holds options as a form has them, by name. What is missing or empty was
// not chosen; the rest may be anything until it is checked.
type Text map[string]string

// Text returns the values as a form has them.
func (v Values) Text() Text {
	t := Text{}
	for _, f := range fields {
		if text := f.text(&v); text != "" {
			t[f.name] = text
		}
	}
	return t
}

// Values returns the text as values, without what is not of the option's type.
func (t Text) Values() (v Values) {
	for _, f := range fields {
		f.set(&v, t[f.name])
	}
	return v
}

// Unread returns the part of the text that is not of its option's type.
func (t Text) Unread() Text {
	unread, v := Text{}, t.Values()
	for _, f := range fields {
		if text := t[f.name]; f.text(&v) != text {
			unread[f.name] = text
		}
	}
	return unread
}

// text returns the field's value as a form has it.
func (f field) text(v *Values) string {
	switch p := f.value(v).(type) {
	case *int:
		return positive(*p)
	case *string:
		return *p
	case **bool:
		if *p != nil {
			return strconv.FormatBool(**p)
		}
	case **int64:
		if *p != nil && **p >= 0 {
			return strconv.FormatInt(**p, 10)
		}
	}
	return ""
}

// set puts the text in place of the field's value, or no value where the text
// is not of the field's type.
func (f field) set(v *Values, text string) {
	switch p := f.value(v).(type) {
	case *int:
		*p = 0
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			*p = n
		}
	case *string:
		*p = text
	case **bool:
		*p = nil
		if on := text == "true"; on || text == "false" {
			*p = &on
		}
	case **int64:
		*p = nil
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			*p = &n
		}
	}
}

// isSwitch reports whether the option is either on or off.
func (f field) isSwitch() bool {
	_, is := f.value(new(Values)).(**bool)
	return is
}

// problem returns what is wrong with the text on a model that offers the choice,
// in one sentence; empty if nothing is.
func (f field) problem(model string, c choice, text string) string {
	_, number := f.value(new(Values)).(**int64)
	switch {
	case text == "" || slices.Contains(c.from, text):
		return ""
	case number && c.limit == nil:
		return model + " takes no seed. Please leave it empty."
	case number:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= c.limit.Min && n <= c.limit.Max {
			return ""
		}
		return fmt.Sprintf("Please give a whole number from %d to %d, or leave it empty.", c.limit.Min, c.limit.Max)
	case !f.isSwitch() && len(c.from) == 0:
		return fmt.Sprintf("%s does not let you choose the %s.", model, f.what)
	case !f.isSwitch():
		return fmt.Sprintf("%s can make %s here, not %q.", model, either(c.from), short(text))
	case text != "true" && text != "false":
		return "Please choose on or off."
	case text == "true":
		return fmt.Sprintf("%s cannot %s.", model, f.what)
	case c.fixed:
		return model + " always makes sound."
	}
	return "" // off, where it cannot be on
}

// either joins the choices as one says them: "5 or 10".
func either(choices []string) string {
	if len(choices) < 2 {
		return strings.Join(choices, "")
	}
	return strings.Join(choices[:len(choices)-1], ", ") + " or " + choices[len(choices)-1]
}

// short cuts what somebody typed to what a sentence has room for.
func short(text string) string {
	const most = 20
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}
