package sandbox

import (
	"strings"

	"dailies/web/videoapi"
)

// A steering is what the words #fail, #slow, #cancel and #refuse in a prompt
// ask of the sandbox.
type steering struct {
	refuse bool            // the create call is refused
	slow   bool            // processing takes long
	end    videoapi.Status // Failed or Canceled; empty for a video
}

// The reasons that a steered task gives.
const (
	askedToFail   = "The sandbox was asked to fail this one."
	askedToCancel = "The sandbox was asked to cancel this one."
	askedToRefuse = "generate video failed: The sandbox was asked to refuse this one."
)

// steer takes the steering words out of a prompt. They stand alone, in any
// case, at most with punctuation behind them: "#failure" is none.
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
		case "#cancel":
			s.end = videoapi.Canceled
		default:
			words = append(words, w)
		}
	}
	return strings.Join(words, " "), s
}
