package videoapi

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"

	"dailies/db/option"
)

//go:embed catalog.toml
var defaultCatalog string

// DefaultCatalog returns the catalogue that the program was built with.
func DefaultCatalog() *Catalog {
	c, err := ParseCatalog(defaultCatalog)
	if err != nil {
		panic("videoapi: embedded catalogue: " + err.Error()) // unreachable: a test parses the embedded file
	}
	return c
}

// OpenCatalog reads the catalogue file at path, of at most 1 MiB. For an empty
// path it returns the default catalogue.
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

// ParseCatalog parses and validates a catalogue. Its error fits on one line and
// says which line or model is at fault.
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
	for _, m := range c.Models {
		if m.Draft != "" && (m.Draft == m.ID || !seen[m.Draft]) {
			return nil, fmt.Errorf("model %q: draft %q is not another model of the list", m.ID, m.Draft)
		}
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

// maxReference limits a model's reference, in bytes.
const maxReference = 40

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
	case len(m.Usual) != 0 && (len(m.Usual) != 2 || m.Usual[0] <= 0 || m.Usual[1] < m.Usual[0]):
		return errors.New("usual is not two numbers of seconds, the shorter first")
	case m.FixedDuration && len(m.Durations) != 1:
		return errors.New("fixed_duration needs exactly one of durations")
	case m.Resolution != "" && !slices.Contains(m.Resolutions, m.Resolution):
		return fmt.Errorf("resolution %q is not one of resolutions", m.Resolution)
	case m.Ratio != "" && !slices.Contains(m.Ratios, m.Ratio):
		return fmt.Errorf("ratio %q is not one of ratios", m.Ratio)
	case m.Reference != "" && (!strings.Contains(m.Reference, ReferenceNumber) || len(m.Reference) > maxReference || strings.ContainsFunc(m.Reference, unicode.IsControl)):
		return fmt.Errorf("reference %q does not have {n} for the picture's number, or is too long", m.Reference)
	case m.Reference != "" && !slices.Contains(m.Scenes, ReferenceToVideo):
		return errors.New("reference is for models with the scene reference-to-video")
	case !slices.Contains([]PictureFields{"", ImageInput, ImageURLs}, m.PictureFields):
		return fmt.Errorf("picture_fields %q is not image_input or image_url", m.PictureFields)
	case !slices.Contains([]option.Sound{option.NoSound, option.AlwaysSound, option.SoundOn, option.SoundOff}, m.Sound):
		return fmt.Errorf("sound %q is not always, on or off", m.Sound)
	case !slices.Contains([]option.Camera{option.MovingCamera, option.FixedCamera, option.FixedLens}, m.Camera):
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
	for _, s := range m.NoRatio {
		if !slices.Contains(m.Scenes, s) || !s.Leads() {
			return fmt.Errorf("no_ratio has %q, which is not one of its scenes with a start frame", s)
		}
	}
	for s := range m.Images {
		if !slices.Contains(m.Scenes, s) {
			return fmt.Errorf("images for %q, which is not one of its scenes", s)
		}
	}
	return nil
}
