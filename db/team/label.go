package team

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Labels says how the team tells that its videos are made by AI.
type Labels struct {
	Quiet    bool   `json:",omitempty"` // guests are not told
	Producer string `json:",omitempty"` // code of the team in the labels of new videos; empty for no labels
}

// ProducerLength is the length of a producer's code, in characters.
const ProducerLength = 27

// producerCode describes the codes of the Practice Guide to Cybersecurity Standards on the
// coding of service providers (TC260, 14 March 2025): the version 00; whether it is an
// organisation or a person, and by which number it is known; that number in 18 characters;
// and the kind of service with a code for the model or program, or zeros.
var producerCode = regexp.MustCompile(`^00[12][1-9][0-9A-Z]{23}$`)

// ParseProducer returns the code as it is stored, or "" for none. It reports whether it is
// one.
func ParseProducer(text string) (string, bool) {
	code := strings.ToUpper(strings.Join(strings.Fields(text), ""))
	return code, code == "" || producerCode.MatchString(code)
}

// Label returns the label of a video under the number that the team gives it: the JSON text
// of GB 45438-2025, appendix E. Those who propagate the video fill in the other fields.
func (l Labels) Label(number string) string {
	text, _ := json.Marshal(struct { // cannot fail: these are texts
		Label, ContentProducer, ProduceID, ReservedCode1, ContentPropagator, PropagateID, ReservedCode2 string
	}{Label: "1", ContentProducer: l.Producer, ProduceID: number})
	return string(text)
}
