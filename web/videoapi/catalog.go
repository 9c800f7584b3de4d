package videoapi

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/BurntSushi/toml"

	"dailies/db/option"
)

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
	Note   string  `toml:"note"` // a few words that help the user to choose
	Scenes []Scene `toml:"scenes"`
	Draft  string  `toml:"draft"` // ID of a quicker model for trying out ideas; may be empty

	// Usual is how long a video usually takes, in seconds, from and to; empty if that is
	// not known.
	Usual []int `toml:"usual"`

	option.Offer // the values that each option accepts

	// NoRatio are the scenes in which no aspect ratio is sent although the model offers some
	// in others: the first picture decides.
	NoRatio []Scene `toml:"no_ratio"`

	Images map[Scene]Images `toml:"images"`
	// Reference is how a prompt refers to a picture of the scene that has reference
	// pictures, with ReferenceNumber for its number; empty if prompts do not refer to any.
	Reference     string        `toml:"reference"`
	PictureFields PictureFields `toml:"picture_fields"`

	Prices []Price `toml:"price"`
}

// Images gives the number of pictures that a model takes in a scene.
type Images struct {
	Min int `toml:"min"`
	Max int `toml:"max"`
}

// PictureFields names the request fields in which a model expects its pictures.
type PictureFields string

const (
	ImageInput PictureFields = "image_input" // one list of all pictures; the default
	ImageURLs  PictureFields = "image_url"   // image_url and end_image_url, one picture each
)

// A Price is the price that the service states for a combination of options. An
// empty field matches every value.
type Price struct {
	Scene      Scene   `toml:"scene"`
	Resolution string  `toml:"resolution"`
	Duration   int     `toml:"duration"`
	Sound      *bool   `toml:"sound"`
	Credits    float64 `toml:"credits"`
}

// Leads reports whether the first picture of the scene can decide the video's shape.
// References do not.
func (s Scene) Leads() bool { return s == ImageToVideo || s == FramesToVideo }

// In returns the model as it is in the scene: with the shapes that it takes there.
func (m Model) In(s Scene) Model {
	m.Leads = s.Leads()
	if slices.Contains(m.NoRatio, s) {
		m.Ratios, m.Ratio = nil, ""
	}
	return m
}

// For returns the models that offer the scene, as they are in it.
func (c *Catalog) For(s Scene) []Model {
	models := make([]Model, 0, len(c.Models))
	for _, m := range c.Models {
		if slices.Contains(m.Scenes, s) {
			models = append(models, m.In(s))
		}
	}
	return models
}

// Model finds a model by its id.
func (c *Catalog) Model(id string) (Model, bool) {
	for i := range c.Models { // a model is large
		if c.Models[i].ID == id {
			return c.Models[i], true
		}
	}
	return Model{}, false
}

// Name returns the model's display name, or the id itself if the catalogue no
// longer lists the model.
func (c *Catalog) Name(id string) string {
	if m, ok := c.Model(id); ok {
		return m.Name
	}
	return id
}

// Draft returns the quicker model for drafts of the model with the id. It reports
// false unless both models offer the scene.
func (c *Catalog) Draft(id string, s Scene) (Model, bool) {
	full, _ := c.Model(id)
	draft, ok := c.Model(full.Draft)
	return draft.In(s), ok && slices.Contains(draft.Scenes, s) && slices.Contains(full.Scenes, s)
}

// Final returns the full model whose drafts the model with the id makes in the
// scene.
func (c *Catalog) Final(id string, s Scene) (Model, bool) {
	for i := range c.Models {
		if full := &c.Models[i]; full.Draft == id && id != "" {
			if _, ok := c.Draft(full.ID, s); ok {
				return full.In(s), true
			}
		}
	}
	return Model{}, false
}

// ImagesFor returns how many pictures the model takes in the scene, as stated by
// the catalogue or, failing that, by API.md.
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

// ReferenceNumber stands for the number of a picture, from 1, in a Model's Reference.
const ReferenceNumber = "{n}"

// RefersTo returns how a prompt refers to picture n, counted from 1, in the scene; empty if
// the model has no words for that.
func (m Model) RefersTo(s Scene, n int) string {
	if s != ReferenceToVideo {
		return ""
	}
	return strings.ReplaceAll(m.Reference, ReferenceNumber, strconv.Itoa(n))
}

// UsualTime returns how long a video of the model usually takes, or zeros if that is not
// known.
func (m Model) UsualTime() (low, high time.Duration) {
	if len(m.Usual) == 0 {
		return 0, 0
	}
	return time.Duration(m.Usual[0]) * time.Second, time.Duration(m.Usual[1]) * time.Second
}

// Price returns the price that the service states for a video with these options.
// It reports false if the service states none.
func (m Model) Price(s Scene, o option.Values) (credits float64, ok bool) {
	for _, p := range m.Prices {
		if (p.Scene == "" || p.Scene == s) && (p.Resolution == "" || p.Resolution == o.Resolution) &&
			(p.Duration == 0 || p.Duration == o.Duration) && (p.Sound == nil || *p.Sound == m.HasSound(o)) {
			return p.Credits, true
		}
	}
	return 0, false
}

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
	case m.Reference != "" &&
		(!strings.Contains(m.Reference, ReferenceNumber) || len(m.Reference) > maxReference ||
			strings.ContainsFunc(m.Reference, unicode.IsControl)):
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

// A Smallest is a video that costs little, to try a service with.
type Smallest struct {
	Model      string // its ID
	Duration   int    // in seconds
	Resolution string
	Credits    float64 // as the service states, if HasPrice
	HasPrice   bool
}

// Smallest returns the video from text with the lowest stated price, or, if none is stated,
// one of the first model, or of the quicker one for its drafts. It is as short and has as low a resolution as the model allows,
// but takes at least five seconds.
func (c *Catalog) Smallest() (found Smallest) {
	const shortest = 5 // seconds; prices are stated for this length
	for _, m := range c.For(TextToVideo) {
		s := Smallest{Model: m.ID}
		for _, d := range m.Durations {
			if d >= shortest && (s.Duration == 0 || d < s.Duration) {
				s.Duration = d
			}
		}
		if len(m.Resolutions) > 0 {
			s.Resolution = slices.MinFunc(m.Resolutions, func(a, b string) int { return lines(a) - lines(b) })
		}
		s.Credits, s.HasPrice = m.Price(TextToVideo, option.Values{Duration: s.Duration, Resolution: s.Resolution})
		if found.Model == "" || s.HasPrice && (!found.HasPrice || s.Credits < found.Credits) {
			found = s
		}
	}
	if draft, ok := c.Draft(found.Model, TextToVideo); ok && !found.HasPrice &&
		slices.Contains(draft.Durations, found.Duration) && slices.Contains(draft.Resolutions, found.Resolution) {
		found.Model = draft.ID
	}
	return found
}

// lines returns the number in the name of a resolution, such as 480p.
func lines(resolution string) (n int) {
	for _, r := range resolution {
		if r < '0' || r > '9' {
			break
		}
		n = n*10 + int(r-'0')
	}
	return n
}
