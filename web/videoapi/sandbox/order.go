package sandbox

import (
	"encoding/json"
	"slices"

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
