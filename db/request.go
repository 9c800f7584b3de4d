package db

// A Request is what a video is asked for with. It is read once, where it enters the program
// (a form, JSON, a row of the database), and is passed on as it is. Only the client of the
// service turns it into the service's own JSON.
//
// It has no names for JSON: intents contain it with those of its fields.
type Request struct {
	Scene string // API.md: "One of text-to-video, image-to-video, frames-to-video, reference-to-video"
	Model string // API.md: "Model ID, bound to the provider"
	// Prompt is the text as it was typed. API.md: "Text prompt. It may be empty in some modes, but sending it
	// is recommended."
	Prompt   string
	Provider string // only if the person filled it in. API.md: "Provider identifier. Required or optional: not shown."
	// Pictures are addresses. An empty one keeps the place of a picture that is missing. API.md: "Image URLs.
	// Image to video: normally 1. Frames to video: 2 (start and end). Reference to video: at most 3."
	Pictures []string
	Options  Options // API.md: "Model- and mode-specific parameters. The available options differ by model."
}
