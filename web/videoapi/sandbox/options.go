package sandbox

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dailies/web/videoapi"
	"dailies/web/videoapi/option"
)

// The length of a video, in seconds, if the catalogue says nothing.
const (
	minSeconds   = 1
	maxSeconds   = 30
	usualSeconds = 5
)

// options are the options of a create call, checked against a model. They keep
// the first error.
type options struct {
	videoapi.Options
	// Numbers may be written as 5.0.
	Duration *float64 `json:"duration"`
	Seed     *float64 `json:"seed"`

	model videoapi.Model
	err   error
}

func (o *options) fail(format string, args ...any) {
	if o.err == nil {
		o.err = invalid(format, args...)
	}
}

// seconds returns the length: one that the model offers, or its default.
func (o *options) seconds() int {
	n := float64(cmp.Or(o.model.Duration, usualSeconds))
	if o.Duration != nil {
		n = *o.Duration
	}
	switch {
	case n < minSeconds || n > maxSeconds || n != math.Trunc(n):
		o.fail("options.duration must be a whole number from %d to %d", minSeconds, maxSeconds)
		return minSeconds
	case len(o.model.Durations) > 0 && !slices.Contains(o.model.Durations, int(n)):
		o.fail("options.duration must be one of %v for %s", o.model.Durations, o.model.ID)
	}
	return int(n)
}

// oneOf fails unless the model offers the value of the option, or offers no
// choice.
func (o *options) oneOf(name, value string, offered []string) string {
	if len(offered) > 0 && !slices.Contains(offered, value) {
		o.fail("options.%s must be one of %s for %s", name, strings.Join(offered, ", "), o.model.ID)
	}
	return value
}

// resolution returns one that the model offers, or its default.
func (o *options) resolution() string {
	return o.oneOf("resolution", cmp.Or(o.Resolution, o.model.Resolution, "720p"), o.model.Resolutions)
}

// ratio returns the aspect ratio, or "" if it is to be that of the picture: for
// models that take no ratio, and for Auto.
//
// API.md: "For Veo, Auto is expressed by omitting the field or sending an
// empty string."
func (o *options) ratio() string {
	auto := slices.Contains(o.model.Ratios, option.AutoRatio)
	if len(o.model.Ratios) == 0 || auto && (o.AspectRatio == "" || o.AspectRatio == option.AutoRatio) {
		return ""
	}
	return o.oneOf("aspect_ratio", cmp.Or(o.AspectRatio, o.model.Ratio), o.model.Ratios)
}

// anySeed leaves the choice to the service, with every model.
const anySeed = -1

// seed returns the seed.
//
// API.md: "a value of -1 is used in the image-to-video usage".
func (o *options) seed() int64 {
	limit := o.model.Seed
	switch n := o.Seed; {
	case n == nil, limit == nil, *n == anySeed:
		return anySeed
	case *n != math.Trunc(*n) || *n < float64(limit.Min) || *n > float64(limit.Max):
		o.fail("options.seed must be a whole number from %d to %d for %s", limit.Min, limit.Max, o.model.ID)
		return anySeed
	default:
		return int64(*n)
	}
}

// checkCamera compares the two names of one option. It has no effect on a video
// that is drawn.
//
// API.md: "fixed_lens is an equivalent name."
func (o *options) checkCamera() {
	if o.CameraFixed != nil && o.FixedLens != nil && *o.CameraFixed != *o.FixedLens {
		o.fail("options.%s and options.%s mean the same and must not differ", option.FixedCamera, option.FixedLens)
	}
}

// sound reports whether sound was asked for, by generate_audio or by what the
// model does without it, and whether it is billed.
//
// API.md, of has_audio: "Used for billing calculation only. Should be kept equal
// to generate_audio."
func (o *options) sound() (asked, billed bool) {
	asked = o.model.Sound == option.SoundOn || o.model.Sound == option.AlwaysSound
	if o.Audio != nil {
		asked = *o.Audio
	}
	if o.HasAudio != nil {
		return asked, *o.HasAudio
	}
	return asked, asked
}
