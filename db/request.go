package db

// A Request describes the video that somebody wants: what should happen in it, and which model
// makes it, from which pictures and with which options. Forms, JSON and rows of the database
// are parsed into a Request where they enter the program. Only the client of the service turns
// it into the service's own JSON.
//
// Its fields have no JSON tags, because the files that package aside writes while the database
// is away contain it under the names of the fields.
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
