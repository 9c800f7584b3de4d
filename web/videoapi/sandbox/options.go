package sandbox

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dailies/web/videoapi"
	"dailies/web/videoapi/option"
)

// What a video may last where the catalogue does not say.
const (
	minSeconds   = 1
	maxSeconds   = 30
	usualSeconds = 5
)

// seconds reads duration: one that the model offers, else its own.
func (in *input) seconds(m videoapi.Model) int {
	n, given := in.number("duration")
	if !given {
		n = float64(cmp.Or(m.Duration, usualSeconds))
	}
	switch {
	case n < minSeconds || n > maxSeconds || n != math.Trunc(n):
		in.fail("options.duration must be a whole number from %d to %d", minSeconds, maxSeconds)
		return minSeconds
	case len(m.Durations) > 0 && !slices.Contains(m.Durations, int(n)):
		in.fail("options.duration must be one of %v for %s", m.Durations, m.ID)
	}
	return int(n)
}

// resolution reads resolution: one that the model offers, else its own.
func (in *input) resolution(m videoapi.Model) string {
	r := cmp.Or(in.text("resolution"), m.Resolution, "720p")
	if len(m.Resolutions) > 0 && !slices.Contains(m.Resolutions, r) {
		in.fail("options.resolution must be one of %s for %s", strings.Join(m.Resolutions, ", "), m.ID)
	}
	return r
}

// ratio reads aspect_ratio. It is empty where the picture decides: for models
// that take no ratio, and for Auto.
//
// API.md: "For Veo, Auto is expressed by omitting the field or sending an
// empty string."
func (in *input) ratio(m videoapi.Model) string {
	given := in.text("aspect_ratio")
	auto := slices.Contains(m.Ratios, option.AutoRatio)
	switch {
	case len(m.Ratios) == 0, auto && (given == "" || given == option.AutoRatio):
		return ""
	case given == "":
		return m.Ratio
	case !slices.Contains(m.Ratios, given):
		in.fail("options.aspect_ratio must be one of %s for %s", strings.Join(m.Ratios, ", "), m.ID)
	}
	return given
}

// anySeed lets the service choose, with every model.
const anySeed = -1

// seed reads seed.
//
// API.md: "a value of -1 is used in the image-to-video usage".
func (in *input) seed(m videoapi.Model) int64 {
	n, given := in.number("seed")
	switch {
	case !given, m.Seed == nil, n == anySeed:
		return anySeed
	case n != math.Trunc(n) || n < float64(m.Seed.Min) || n > float64(m.Seed.Max):
		in.fail("options.seed must be a whole number from %d to %d for %s", m.Seed.Min, m.Seed.Max, m.ID)
		return anySeed
	}
	return int64(n)
}

// camera reads the field that keeps the camera still, under either name. A drawn film has no camera
// that could be fixed, so nothing comes of it.
//
// API.md: "fixed_lens is an equivalent name."
func (in *input) camera() {
	fixed, a := in.flag(string(option.FixedCamera))
	lens, b := in.flag(string(option.FixedLens))
	if a && b && fixed != lens {
		in.fail("options.%s and options.%s mean the same and must not differ", option.FixedCamera, option.FixedLens)
	}
}

// hasAudio reports whether sound is billed: has_audio, else generate_audio, else
// what the model does when it is not asked.
//
// API.md: "Used for billing calculation only. Should be kept equal to
// generate_audio."
func (in *input) hasAudio(m videoapi.Model) bool {
	if has, given := in.flag("has_audio"); given {
		return has
	}
	return in.wantsSound(m)
}

// wantsSound reports whether a video is to have sound: generate_audio, else what
// the model does when it is not asked.
func (in *input) wantsSound(m videoapi.Model) bool {
	if wants, asked := in.flag("generate_audio"); asked {
		return wants
	}
	return m.Sound == option.SoundOn || m.Sound == option.AlwaysSound
}
