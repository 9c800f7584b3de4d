package videoapi

import (
	"slices"
	"strconv"
	"strings"
	"time"

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
