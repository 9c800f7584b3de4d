package videoapi

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

//go:embed catalog.toml
var defaultCatalog string

// A Catalog lists the models that can be chosen, in the order in which pages
// show them. API.md names the models; what each accepts is in the file
// catalog.toml, because the service does not document it.
type Catalog struct {
	Models []Model `toml:"model"`
}

// A Model is one entry of the catalogue.
type Model struct {
	ID     string  `toml:"id"`
	Name   string  `toml:"name"`
	Note   string  `toml:"note"` // a few words for the person who chooses
	Scenes []Scene `toml:"scenes"`

	Durations     []int `toml:"durations"`      // seconds
	Duration      int   `toml:"duration"`       // the default; 0 takes the first
	FixedDuration bool  `toml:"fixed_duration"` // the model decides; not sent

	Resolutions []string `toml:"resolutions"`
	Resolution  string   `toml:"resolution"` // the default; empty takes the first

	Ratios []string `toml:"ratios"` // empty: as the picture; not sent
	Ratio  string   `toml:"ratio"`  // the default; empty takes the first

	Images        map[Scene]Images `toml:"images"`
	PictureFields PictureFields    `toml:"picture_fields"`

	Sound  Sound  `toml:"sound"`
	Camera Camera `toml:"camera"`
	Seed   *Seed  `toml:"seed"`
	Safety bool   `toml:"safety"` // takes enable_safety_checker

	Prices []Price `toml:"price"`
}

// Images is how many pictures a scene takes with one model.
type Images struct {
	Min int `toml:"min"`
	Max int `toml:"max"`
}

// PictureFields names the fields in which a model wants its pictures.
type PictureFields string

const (
	ImageInput PictureFields = "image_input" // all in one list; the default
	ImageURLs  PictureFields = "image_url"   // image_url and end_image_url
)

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

// Camera names the field that keeps a model's camera still.
type Camera string

const (
	MovingCamera Camera = ""
	CameraFixed  Camera = "camera_fixed"
	FixedLens    Camera = "fixed_lens"
)

// A Seed is the range of seeds that a model takes.
type Seed struct {
	Min     int64  `toml:"min"`
	Max     int64  `toml:"max"`
	Default *int64 `toml:"default"` // sent where nothing was chosen
}

// A Price is what the service states for one combination. An empty field fits
// everything.
type Price struct {
	Scene      Scene   `toml:"scene"`
	Resolution string  `toml:"resolution"`
	Duration   int     `toml:"duration"`
	Sound      *bool   `toml:"sound"`
	Credits    float64 `toml:"credits"`
}

// AutoRatio is the ratio that lets the model decide. API.md: "For Veo, Auto is
// expressed by omitting the field or sending an empty string."
const AutoRatio = "Auto"

// DefaultCatalog is the catalogue that the program was built with.
func DefaultCatalog() *Catalog {
	c, err := ParseCatalog(defaultCatalog)
	if err != nil {
		panic("videoapi: embedded catalogue: " + err.Error()) // a test reads it
	}
	return c
}

// OpenCatalog reads a catalogue file of at most 1 MiB, or takes the default
// one where no file is named.
func OpenCatalog(path string) (*Catalog, error) {
	if path == "" {
		return DefaultCatalog(), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	if info.Size() > MaxBody {
		return nil, fmt.Errorf("catalogue %s: larger than 1 MiB", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	c, err := ParseCatalog(string(text))
	if err != nil {
		return nil, fmt.Errorf("catalogue %s: %w", path, err)
	}
	return c, nil
}

// ParseCatalog reads a catalogue and checks that pages can work with it. The
// error is one line that says where the trouble is.
func ParseCatalog(text string) (*Catalog, error) {
	var c Catalog
	meta, err := toml.Decode(text, &c)
	if err != nil {
		return nil, oneLine(err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%q is not a setting of a model", unknown[0].String())
	}
	if len(c.Models) == 0 {
		return nil, errors.New("it lists no [[model]]")
	}
	seen := map[string]bool{}
	for i := range c.Models {
		m := &c.Models[i]
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("model %d (%q): %w", i+1, m.ID, err)
		}
		if seen[m.ID] {
			return nil, fmt.Errorf("model %q is listed twice", m.ID)
		}
		seen[m.ID] = true
		m.fillDefaults()
	}
	for _, s := range Scenes() {
		if len(c.For(s)) == 0 {
			return nil, fmt.Errorf("no model is for scene %q", s)
		}
	}
	return &c, nil
}

func oneLine(err error) error {
	var pe toml.ParseError
	if errors.As(err, &pe) {
		return fmt.Errorf("line %d: %s", pe.Position.Line, strings.ReplaceAll(pe.Message, "\n", " "))
	}
	return errors.New(strings.ReplaceAll(err.Error(), "\n", " "))
}

// For lists the models that offer the scene.
func (c *Catalog) For(s Scene) []Model {
	var models []Model
	for _, m := range c.Models {
		if slices.Contains(m.Scenes, s) {
			models = append(models, m)
		}
	}
	return models
}

// Model finds a model by its id.
func (c *Catalog) Model(id string) (Model, bool) {
	for _, m := range c.Models {
		if m.ID == id {
			return m, true
		}
	}
	return Model{}, false
}

// Name is the model's name for people, or its id if the catalogue does not
// know it any more.
func (c *Catalog) Name(id string) string {
	if m, ok := c.Model(id); ok {
		return m.Name
	}
	return id
}

// ImagesFor is how many pictures the model takes in the scene: what the
// catalogue says, else what API.md says of the scene.
func (m Model) ImagesFor(s Scene) Images {
	if n, ok := m.Images[s]; ok {
		return n
	}
	switch s {
	case ImageToVideo:
		return Images{1, 1} // "normally 1"
	case FramesToVideo:
		return Images{2, 2} // "exactly 2 (start and end)"
	case ReferenceToVideo:
		return Images{1, 3} // "at most 3"
	}
	return Images{}
}

// Price is what the service states for the request, if it states anything.
func (m Model) Price(s Scene, resolution string, duration int, sound bool) (credits float64, ok bool) {
	for _, p := range m.Prices {
		if (p.Scene == "" || p.Scene == s) && (p.Resolution == "" || p.Resolution == resolution) &&
			(p.Duration == 0 || p.Duration == duration) && (p.Sound == nil || *p.Sound == sound) {
			return p.Credits, true
		}
	}
	return 0, false
}

func (m *Model) fillDefaults() {
	if m.Name == "" {
		m.Name = m.ID
	}
	if m.PictureFields == "" {
		m.PictureFields = ImageInput
	}
	if m.Duration == 0 && len(m.Durations) > 0 {
		m.Duration = m.Durations[0]
	}
	if m.Resolution == "" && len(m.Resolutions) > 0 {
		m.Resolution = m.Resolutions[0]
	}
	if m.Ratio == "" && len(m.Ratios) > 0 {
		m.Ratio = m.Ratios[0]
	}
}

func (m *Model) check() error {
	switch {
	case m.ID == "":
		return errors.New("id is missing")
	case len(m.Scenes) == 0:
		return errors.New("scenes is missing")
	case m.Duration != 0 && !slices.Contains(m.Durations, m.Duration):
		return fmt.Errorf("duration %d is not one of durations", m.Duration)
	case slices.ContainsFunc(m.Durations, func(d int) bool { return d <= 0 }):
		return errors.New("a duration is not above 0")
	case m.FixedDuration && len(m.Durations) != 1:
		return errors.New("fixed_duration needs exactly one of durations")
	case m.Resolution != "" && !slices.Contains(m.Resolutions, m.Resolution):
		return fmt.Errorf("resolution %q is not one of resolutions", m.Resolution)
	case m.Ratio != "" && !slices.Contains(m.Ratios, m.Ratio):
		return fmt.Errorf("ratio %q is not one of ratios", m.Ratio)
	case !slices.Contains([]PictureFields{"", ImageInput, ImageURLs}, m.PictureFields):
		return fmt.Errorf("picture_fields %q is not image_input or image_url", m.PictureFields)
	case !slices.Contains([]Sound{NoSound, AlwaysSound, SoundOn, SoundOff}, m.Sound):
		return fmt.Errorf("sound %q is not always, on or off", m.Sound)
	case !slices.Contains([]Camera{MovingCamera, CameraFixed, FixedLens}, m.Camera):
		return fmt.Errorf("camera %q is not camera_fixed or fixed_lens", m.Camera)
	case m.Seed != nil && m.Seed.Min > m.Seed.Max:
		return errors.New("seed: min is above max")
	}
	for _, p := range m.Prices {
		if p.Credits < 0 {
			return errors.New("a price is below 0 credits")
		}
	}
	return m.checkScenes()
}

func (m *Model) checkScenes() error {
	for _, s := range m.Scenes {
		if !s.Valid() {
			return fmt.Errorf("scene %q is not one of the four", s)
		}
		n := m.ImagesFor(s)
		if n.Min < 0 || n.Max < n.Min || (m.PictureFields == ImageURLs && n.Max > 2) {
			return fmt.Errorf("images for %s: min %d, max %d cannot be", s, n.Min, n.Max)
		}
	}
	for s := range m.Images {
		if !slices.Contains(m.Scenes, s) {
			return fmt.Errorf("images for %q, which is not one of its scenes", s)
		}
	}
	return nil
}
