package sandbox

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"dailies/db/option"
	"dailies/web/videoapi"
)

// An order is a create call that has been validated.
type order struct {
	videoapi.Request
	options string // JSON text, as sent
	refused bool   // the prompt contains #refuse
	cost    amount
	spec    spec
}

// A spec describes the video that a job makes. It is complete, so that a change
// of the catalogue does not affect existing jobs.
type spec struct {
	Scene      videoapi.Scene  `json:"scene"`
	Model      string          `json:"model"`  // display name, shown in the video
	Prompt     string          `json:"prompt"` // text shown in the video, without steering words
	Pictures   []string        `json:"pictures,omitempty"`
	Seconds    int             `json:"seconds"`
	Resolution string          `json:"resolution"`
	Ratio      string          `json:"ratio,omitempty"` // empty: that of the first picture, or 16:9
	Seed       int64           `json:"seed"`            // anySeed: derived from the job's ID
	Sound      bool            `json:"sound,omitempty"` // sound is requested
	Slow       bool            `json:"slow,omitempty"`
	Face       bool            `json:"face,omitempty"` // it fails if it has a picture, which may show a real person
	End        videoapi.Status `json:"end,omitempty"`  // how the job ends instead; empty: with a video
}

// Limits, in bytes, of fields that the record repeats. They keep every answer
// below the 1 MiB that a client reads, because JSON may need six bytes for one.
const (
	maxText     = 100_000
	maxProvider = 100
)

// readOrder parses the body of a create call and checks it against API.md and the
// catalogue. It ignores unknown fields, and options that the model does not take.
func readOrder(body []byte, catalog *videoapi.Catalog) (o order, err error) {
	in := struct {
		*videoapi.Request
		Options json.RawMessage `json:"options"`
	}{&o.Request, json.RawMessage("{}")}
	if err := decode(body, "", &in); err != nil {
		return o, err
	}
	if o.options = string(in.Options); o.options == "null" {
		o.options = "{}"
	}
	for _, field := range []struct {
		name, text string
		most       int
	}{{"provider", o.Provider, maxProvider}, {"prompt", o.Prompt, maxText}, {"options", o.options, maxText}} {
		if len(field.text) > field.most {
			return o, invalid("%s is longer than %d bytes", field.name, field.most)
		}
	}
	m, known := catalog.Model(o.Model)
	switch {
	case o.MediaType != videoapi.MediaType:
		return o, invalid("mediaType must be \"video\"")
	case !o.Scene.Valid():
		return o, refuse("invalid scene")
	case !known:
		return o, invalid("there is no model %s", quote(o.Model))
	case !slices.Contains(m.Scenes, o.Scene):
		return o, refuse("invalid scene: %s does not offer %s", m.ID, o.Scene)
	}
	chosen := &options{model: m}
	chosen.err = decode([]byte(o.options), "options.", chosen)
	return o, o.fill(m, chosen)
}

// fill sets the spec and the price.
func (o *order) fill(m videoapi.Model, chosen *options) (err error) {
	drawn, s := steer(o.Prompt)
	sound, billed := chosen.sound()
	o.refused = s.refuse
	o.spec = spec{Scene: o.Scene, Model: m.Name, Prompt: clip(drawn), Sound: sound, Slow: s.slow, Face: s.face, End: s.end}
	o.spec.Pictures = chosen.pictures(o.Scene)
	if drawn == "" && s == (steering{}) && len(o.spec.Pictures) == 0 {
		chosen.fail("prompt must not be empty in %s", o.Scene)
	}
	if chosen.Mode != "" && chosen.Mode != string(o.Scene) {
		chosen.fail("options.mode must be the same as scene")
	}
	o.spec.Seconds = chosen.seconds()
	o.spec.Resolution = chosen.resolution()
	o.spec.Ratio = chosen.ratio()
	o.spec.Seed = chosen.seed()
	chosen.checkCamera()
	if chosen.err != nil {
		return chosen.err
	}
	o.cost, err = priceOf(m, o.spec, billed)
	return err
}

// maxDrawn bounds the characters of a prompt that are drawn.
const maxDrawn = 2000

func clip(prompt string) string {
	if r := []rune(prompt); len(r) > maxDrawn {
		return string(r[:maxDrawn]) + "…"
	}
	return prompt
}

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

// A tariff holds the rates of a model whose catalogue entry states no price.
type tariff struct {
	perSecond float64 // credits at 720p, without optional sound
	sound     float64 // factor if sound is a choice and has_audio is true
}

// tariffOf returns the rates of a model. Those of seedance-2.0 follow from the
// only price that API.md states, 30 credits for 5 seconds at 720p.
func tariffOf(model string) tariff {
	list := map[string]tariff{
		"seedance-2.0":                     {6, 1},
		"seedance-2.0-fast":                {4, 1},
		"veo3":                             {15, 1},
		"veo3_fast":                        {5, 1},
		"bytedance/seedance-1.5-pro":       {4, 2},
		"bytedance/v1-pro-text-to-video":   {3, 1},
		"bytedance/v1-lite-text-to-video":  {2, 1},
		"bytedance/v1-pro-image-to-video":  {3, 1},
		"bytedance/v1-lite-image-to-video": {2, 1},
	}
	if r, ok := list[model]; ok {
		return r
	}
	return tariff{4, 1.5} // a model that was added to the catalogue
}

// priceOf returns the price of a video: the one that the catalogue states, or
// else the seconds times the model's rate, halved for 480p, doubled for 1080p,
// and rounded up to whole credits.
func priceOf(m videoapi.Model, w spec, hasAudio bool) (amount, error) {
	if credits, ok := m.Price(w.Scene, option.Values{Resolution: w.Resolution, Duration: w.Seconds, Audio: &hasAudio}); ok {
		return amountOf(credits)
	}
	r := tariffOf(m.ID)
	credits := r.perSecond * float64(w.Seconds)
	switch w.Resolution {
	case "480p":
		credits /= 2
	case "1080p":
		credits *= 2
	}
	if hasAudio && m.Sound.Optional() {
		credits *= r.sound
	}
	return amountOf(math.Ceil(credits))
}
