// Package videoapi is a client of the asynchronous video service: it creates
// tasks, queries them and finds their results. It contains the types of requests
// and answers, and the catalogue of models.
//
// A third party runs the service. The client follows the documentation to the
// letter, accepts undocumented answers in any shape that it can understand, and
// always returns the raw bytes too, so that no information gets lost.
package videoapi

import "strings"

import "dailies/db/option"

// A Scene is a generation mode.
//
// API.md: "One of text-to-video, image-to-video, frames-to-video,
// reference-to-video".
type Scene string

const (
	TextToVideo      Scene = "text-to-video"
	ImageToVideo     Scene = "image-to-video"
	FramesToVideo    Scene = "frames-to-video"
	ReferenceToVideo Scene = "reference-to-video"
)

// Scenes returns the four scenes in the order in which pages show them.
func Scenes() []Scene {
	return []Scene{TextToVideo, ImageToVideo, FramesToVideo, ReferenceToVideo}
}

// Valid reports whether s is one of the four scenes.
func (s Scene) Valid() bool {
	switch s {
	case TextToVideo, ImageToVideo, FramesToVideo, ReferenceToVideo:
		return true
	}
	return false
}

// MaxProvider limits the length of a request's provider, in characters.
const MaxProvider = 100

// ProviderFits reports whether the text can be sent as a request's provider: it has at
// most MaxProvider printable characters of ASCII.
func ProviderFits(provider string) bool {
	return len(provider) <= MaxProvider && !strings.ContainsFunc(provider, func(r rune) bool { return r < ' ' || r > '~' })
}

// A Request is the body of the create call.
//
// API.md, "Generation request fields (body of create)".
type Request struct {
	Provider  string  `json:"provider,omitempty"`
	MediaType string  `json:"mediaType"` // "Fixed value video"
	Scene     Scene   `json:"scene"`
	Model     string  `json:"model"`
	Prompt    string  `json:"prompt"`
	Options   Options `json:"options"`
}

// MediaType is the only media type that this client asks for.
const MediaType = "video"

// Options are the model- and scene-specific parameters. A zero or nil field is
// left out of the body.
//
// API.md, "options fields (common)".
type Options struct {
	Mode string `json:"mode,omitempty"` // "Same value as scene"
	option.Values
	ImageInput  []string `json:"image_input,omitempty"`
	ImageURL    string   `json:"image_url,omitempty"` // "equal to the first image_input entry"
	EndImageURL string   `json:"end_image_url,omitempty"`
	FixedLens   *bool    `json:"fixed_lens,omitempty"` // "Same meaning as camera_fixed"
	HasAudio    *bool    `json:"has_audio,omitempty"`  // "Should be kept equal to generate_audio"
}

// Options returns the options of a create call: the chosen values and the
// pictures, in the fields that the model expects.
func (m Model) Options(s Scene, chosen option.Values, pictures []string) Options {
	o := Options{Mode: string(s), HasAudio: chosen.Audio}
	o.Values, o.FixedLens = m.Wire(chosen)
	switch {
	case m.PictureFields != ImageURLs:
		o.ImageInput = pictures
	case len(pictures) > 1:
		o.ImageURL, o.EndImageURL = pictures[0], pictures[1]
	case len(pictures) == 1:
		o.ImageURL = pictures[0]
	}
	return o
}
