package sandbox

import (
	"strings"

	"dailies/web/videoapi"
)

// A steering holds what the words #fail, #face, #slow, #cancel and #refuse in a prompt
// ask for.
type steering struct {
	refuse bool            // the create call is refused
	slow   bool            // the task stays in processing for a long time
	face   bool            // it fails if it has a picture, because that may show a real person
	end    videoapi.Status // Failed or Canceled; empty for a video
}

// The messages of steered tasks.
const (
	askedToFail   = "The sandbox was asked to fail this one."
	askedForFaces = "The request failed because the input image may contain real person. The sandbox was asked to say so."
	askedToCancel = "The sandbox was asked to cancel this one."
	askedToRefuse = "generate video failed: The sandbox was asked to refuse this one."
)

// steer separates the steering words from a prompt. They stand alone, in any
// case, with nothing but punctuation behind them: "#failure" is not one.
func steer(prompt string) (drawn string, s steering) {
	var words []string
	for w := range strings.FieldsSeq(prompt) {
		switch strings.ToLower(strings.TrimRight(w, ".,;:!?")) {
		case "#refuse":
			s.refuse = true
		case "#slow":
			s.slow = true
		case "#fail":
			s.end = videoapi.Failed
		case "#face":
			s.face = true
		case "#cancel":
			s.end = videoapi.Canceled
		default:
			words = append(words, w)
		}
	}
	return strings.Join(words, " "), s
}
