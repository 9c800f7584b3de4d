// Package option describes the options of a video: their typed values, what a
// model offers for each, and their form as text. An option is named in this
// package, in the catalogue, and in the template that shows it; all other code
// uses the table fields.
package option

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Values holds the options chosen for a video. The JSON names are those of
// API.md; databases, backups and recipe files contain them. A zero or nil field
// was not offered or not chosen, and is not sent.
type Values struct {
	Duration      int    `json:"duration,omitempty"` // seconds
	AspectRatio   string `json:"aspect_ratio,omitempty"`
	Shape         Shape  `json:"shape,omitempty"` // what AspectRatio follows; not an option of API.md, and not sent
	Resolution    string `json:"resolution,omitempty"`
	CameraFixed   *bool  `json:"camera_fixed,omitempty"`
	Seed          *int64 `json:"seed,omitempty"` // negative: the service chooses
	SafetyChecker *bool  `json:"enable_safety_checker,omitempty"`
	Audio         *bool  `json:"generate_audio,omitempty"`
}

// A Shape says what the aspect ratio of a video follows.
type Shape string

const (
	ChosenShape   Shape = ""        // nothing: it was chosen, or the model decides
	LikePicture   Shape = "picture" // the picture that leads; the ratio is the nearest that the model offers
	UnseenPicture Shape = "unseen"  // that picture, whose size is not known; the ratio is the model's usual one
)

// A field describes one option.
type field struct {
	name  string
	value func(*Values) any // returns a pointer to its value
	offer func(*Offer) choice
	form  string // how users read a value, such as "%s s"; empty is the value alone

	// These are sentences about the model with the name %s.
	never string // it does not offer the option
	lost  string // it lacks a switch that was on; empty: no note
}

// A choice describes the values that a model accepts for one option.
type choice struct {
	from  []string // the accepted values; empty if the option is not offered
	also  string   // one more that is accepted, and that no list for programs has; empty for none
	limit *Seed    // the accepted range of numbers, instead of from
	usual string   // the default
	fixed bool     // the model decides: the user cannot choose
}

// fields lists all options, in the order in which pages show them.
var fields = []field{
	{
		name: "duration", value: func(v *Values) any { return &v.Duration },
		offer: func(o *Offer) choice {
			return choice{from: seconds(o.Durations), usual: positive(o.Duration), fixed: o.FixedDuration}
		},
		never: noLength, form: "%s s",
	}, {
		name: aspectRatio, value: func(v *Values) any { return &v.AspectRatio },
		offer: func(o *Offer) choice { return o.shapes() },
		never: noShape,
	}, {
		name: "resolution", value: func(v *Values) any { return &v.Resolution },
		offer: func(o *Offer) choice { return choice{from: o.Resolutions, usual: o.Resolution} },
		never: noResolution,
	}, {
		name: "generate_audio", value: func(v *Values) any { return &v.Audio },
		offer: func(o *Offer) choice {
			if o.Sound == AlwaysSound {
				return choice{from: []string{"true"}, fixed: true}
			}
			return onOff(o.Sound.Optional(), o.Sound == SoundOn)
		},
		never: cannotSound, lost: makesNoSound,
	}, {
		name: "camera_fixed", value: func(v *Values) any { return &v.CameraFixed },
		offer: func(o *Offer) choice { return onOff(o.Camera != MovingCamera, false) },
		never: cannotFix, lost: cannotFix,
	}, {
		name: "seed", value: func(v *Values) any { return &v.Seed },
		offer: func(o *Offer) choice { return choice{limit: o.Seed} },
	}, {
		name: "enable_safety_checker", value: func(v *Values) any { return &v.SafetyChecker },
		offer: func(o *Offer) choice { return onOff(o.Safety, true) },
		never: noSafety,
	},
}

// instead says that the model does not make videos with the value, or which single value
// it supports, and what was chosen instead.
func (f field) instead(model string, c choice, text string) string {
	if len(c.from) == 1 {
		return makesOnly(model, f.said(c.from[0]), f.said(c.usual))
	}
	return makesNot(model, f.said(short(text)), f.said(c.usual))
}

// said returns the value as a user reads it.
func (f field) said(value string) string {
	if f.form != "" {
		return fmt.Sprintf(f.form, value)
	}
	return value
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

// HasSound reports whether the user asked for sound.
func (v Values) HasSound() bool { return v.Audio != nil && *v.Audio }

// Silent returns the same values without sound.
func (v Values) Silent() Values {
	no := false
	v.Audio = &no
	return v
}

// Text holds options as a form sends them, by name. A missing or empty value was
// not chosen; the others are not validated.
type Text map[string]string

// Text returns the values as a form sends them.
func (v Values) Text() Text {
	t := Text{}
	for _, f := range fields {
		if text := f.text(&v); text != "" {
			t[f.name] = text
		}
	}
	return t
}

// Values parses the options. It leaves out a text that is not of the option's
// type.
func (t Text) Values() (v Values) {
	for _, f := range fields {
		f.set(&v, t[f.name])
	}
	return v
}

// With returns v with the named option as the text has it, and whether that is of the option's
// type.
func (v Values) With(name, text string) (with Values, ok bool) {
	for _, f := range fields {
		if f.name == name {
			f.set(&v, text)
			return v, f.text(&v) == text
		}
	}
	return v, false
}

// Asked returns the values as they were asked for: without the ratio that was found for the shape
// of a picture, and without a seed that the service is to choose.
func (v Values) Asked() Values {
	if v.Shape != ChosenShape {
		v.Shape, v.AspectRatio = LikePicture, ""
	}
	if v.Seed != nil && *v.Seed < 0 {
		v.Seed = nil
	}
	return v
}

// text returns the option's value in v as a form sends it; empty if it has none.
func (f field) text(v *Values) string {
	if f.name == aspectRatio && v.Shape != ChosenShape {
		return string(LikePicture)
	}
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

// set parses text into the option's value in v. It clears the value if the text
// is not of the option's type.
func (f field) set(v *Values, text string) {
	if f.name == aspectRatio {
		if v.Shape = ChosenShape; text == string(LikePicture) {
			v.Shape, text = LikePicture, ""
		}
	}
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

// problem returns one sentence that says why the model does not accept the text;
// empty if it does. c describes what the model offers.
func (f field) problem(model string, c choice, text string) string {
	_, number := f.value(new(Values)).(**int64)
	switch {
	case text == "" || text == c.also || slices.Contains(c.from, text):
		return ""
	case number && c.limit == nil:
		return fmt.Sprintf(noSeedHere, model)
	case number:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= c.limit.Min && n <= c.limit.Max {
			return ""
		}
		return outOfRange(*c.limit)
	case !f.isSwitch() && len(c.from) == 0:
		return fmt.Sprintf(f.never, model)
	case !f.isSwitch():
		return canMake(model, c.from, short(text))
	case text != "true" && text != "false":
		return chooseOnOff
	case text == "true":
		return fmt.Sprintf(f.never, model)
	case c.fixed:
		return fmt.Sprintf(alwaysSound, model)
	}
	return "" // off is accepted even where on is not offered
}

// numberProblem is like problem for a number that was parsed. A negative one is none.
func numberProblem(model string, c choice, n *int64) string {
	switch {
	case n == nil || *n < 0:
		return ""
	case c.limit == nil:
		return fmt.Sprintf(noSeedHere, model)
	case *n < c.limit.Min || *n > c.limit.Max:
		return outOfRange(*c.limit)
	}
	return ""
}

// short shortens what the user typed so that it fits into a sentence.
func short(text string) string {
	const most = 20
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}
