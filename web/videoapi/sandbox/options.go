package sandbox

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dailies/db/option"
	"dailies/web/videoapi"
)

// The limits and the default of a video's length, in seconds. The catalogue may
// restrict them further.
const (
	minSeconds   = 1
	maxSeconds   = 30
	usualSeconds = 5
)

// options holds the options of a create call and checks them against a model. It
// records the first error in err.
type options struct {
	videoapi.Options
	// These replace the integer fields of Options, so that numbers may be written
	// as 5.0.
	Duration *float64 `json:"duration"`
	Seed     *float64 `json:"seed"`

	model videoapi.Model
	err   error
}

// fail records an error, unless there is one already.
func (o *options) fail(format string, args ...any) {
	if o.err == nil {
		o.err = invalid(format, args...)
	}
}

// seconds returns the length: the requested one or the model's default. It fails
// if the model does not offer it.
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

// oneOf returns the value of the option. It fails if the model offers other
// values only.
func (o *options) oneOf(name, value string, offered []string) string {
	if len(offered) > 0 && !slices.Contains(offered, value) {
		o.fail("options.%s must be one of %s for %s", name, strings.Join(offered, ", "), o.model.ID)
	}
	return value
}

// resolution returns the requested resolution or the model's default. It fails if
// the model does not offer it.
func (o *options) resolution() string {
	return o.oneOf("resolution", cmp.Or(o.Resolution, o.model.Resolution, "720p"), o.model.Resolutions)
}

// ratio returns the aspect ratio, or "" for that of the picture: with models that
// take no ratio, and with Auto.
//
// API.md: "For Veo, Auto is expressed by omitting the field or sending an empty
// string."
func (o *options) ratio() string {
	auto := slices.Contains(o.model.Ratios, option.AutoRatio)
	if len(o.model.Ratios) == 0 || auto && (o.AspectRatio == "" || o.AspectRatio == option.AutoRatio) {
		return ""
	}
	return o.oneOf("aspect_ratio", cmp.Or(o.AspectRatio, o.model.Ratio), o.model.Ratios)
}

// anySeed leaves the choice of the seed to the service. Every model accepts it.
const anySeed = -1

// seed returns the requested seed, or anySeed if there is none or the model takes
// none.
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

// checkCamera fails if the two names of the camera's option have different
// values. The option has no effect on a drawn video.
//
// API.md: "fixed_lens is an equivalent name."
func (o *options) checkCamera() {
	if o.CameraFixed != nil && o.FixedLens != nil && *o.CameraFixed != *o.FixedLens {
		o.fail("options.%s and options.%s mean the same and must not differ", option.FixedCamera, option.FixedLens)
	}
}

// sound reports whether sound is requested, by generate_audio or else by the
// model's default, and whether it is billed.
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
