package sandbox

import (
	"slices"

	"dailies/web/videoapi"
)

// An order is a create call that was read and found good.
type order struct {
	provider string
	scene    videoapi.Scene
	model    string
	prompt   string // as it came
	options  string // JSON as it came
	refused  bool   // the prompt asks for it
	cost     amount
	spec     spec
}

// A spec is what a job works from. It is complete, so that a job outlives a
// change of the catalogue.
type spec struct {
	Scene      videoapi.Scene  `json:"scene"`
	Model      string          `json:"model"`  // as it is drawn
	Prompt     string          `json:"prompt"` // as it is drawn
	Pictures   []string        `json:"pictures,omitempty"`
	Seconds    int             `json:"seconds"`
	Resolution string          `json:"resolution"`
	Ratio      string          `json:"ratio,omitempty"` // empty: as the first picture, or 16:9
	Seed       int64           `json:"seed"`            // -1: any
	Sound      bool            `json:"sound,omitempty"` // asked for
	Slow       bool            `json:"slow,omitempty"`
	End        videoapi.Status `json:"end,omitempty"` // empty: a video
}

// readOrder reads the body of a create call and checks what API.md documents
// of it. Fields that it does not know, and options that the model does not
// take, are passed over.
func readOrder(body []byte, catalog *videoapi.Catalog) (order, error) {
	in := parse(body)
	o := order{
		provider: in.text("provider"),
		scene:    videoapi.Scene(in.text("scene")),
		model:    in.text("model"),
		prompt:   in.text("prompt"),
	}
	mediaType := in.text("mediaType")
	options, raw := in.object("options")
	o.options = raw
	in.bound("provider", o.provider, maxProvider)
	in.bound("prompt", o.prompt, maxText)
	in.bound("options", o.options, maxText)
	if in.err != nil {
		return o, in.err
	}
	m, err := chosenModel(catalog, o, mediaType)
	if err != nil {
		return o, err
	}
	err = o.fill(m, options)
	return o, err
}

// What comes back in the record is bounded, in bytes, so that no answer is
// larger than the 1 MiB that a client reads: a letter may take six when it is
// written as JSON.
const (
	maxText     = 100_000
	maxProvider = 100
)

// chosenModel checks the fields that decide which options there are.
func chosenModel(catalog *videoapi.Catalog, o order, mediaType string) (videoapi.Model, error) {
	m, known := catalog.Model(o.model)
	switch {
	case mediaType != videoapi.MediaType:
		return m, invalid("mediaType must be \"video\"")
	case !o.scene.Valid():
		return m, refuse("invalid scene")
	case !known:
		return m, invalid("there is no model %s", quote(o.model))
	case !slices.Contains(m.Scenes, o.scene):
		return m, refuse("invalid scene: %s does not offer %s", m.ID, o.scene)
	}
	return m, nil
}

// fill works out the spec and the price.
func (o *order) fill(m videoapi.Model, options *input) error {
	drawn, s := steer(o.prompt)
	o.refused = s.refuse
	o.spec = spec{Scene: o.scene, Model: m.Name, Prompt: clip(drawn), Slow: s.slow, End: s.end}
	o.spec.Pictures = options.pictures(m, o.scene)
	if drawn == "" && s == (steering{}) && len(o.spec.Pictures) == 0 {
		options.fail("prompt must not be empty in %s", o.scene)
	}
	if mode := options.text("mode"); mode != "" && mode != string(o.scene) {
		options.fail("options.mode must be the same as scene")
	}
	o.spec.Seconds = options.seconds(m)
	o.spec.Resolution = options.resolution(m)
	o.spec.Ratio = options.ratio(m)
	o.spec.Seed = options.seed(m)
	options.camera()
	options.flag("enable_safety_checker")
	hasAudio := options.hasAudio(m)
	o.spec.Sound = options.wantsSound(m)
	if options.err != nil {
		return options.err
	}
	var err error
	o.cost, err = priceOf(m, o.spec, hasAudio)
	return err
}

// maxDrawn is how many letters of a prompt are drawn.
const maxDrawn = 2000

func clip(prompt string) string {
	if r := []rune(prompt); len(r) > maxDrawn {
		return string(r[:maxDrawn]) + "…"
	}
	return prompt
}
