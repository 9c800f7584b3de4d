package team

import (
	"dailies/db/team"
	"dailies/views/input"
)

// A LabelFields has the fields of how the team tells that its videos are made by AI.
type LabelFields struct {
	Guests   input.Switch
	Producer input.Text
}

// NewLabelFields returns the form that changes them.
func NewLabelFields(l team.Labels) LabelFields {
	return LabelFields{
		Guests: input.Switch{
			Field: input.Field{Name: "made_with_ai", ID: "made-with-ai", Label: "“Made with AI” on shared pages", Hint: "The law may ask you to tell people."},
			On:    !l.Quiet,
		},
		Producer: input.Text{
			Field: input.Field{Name: "producer", Label: "Producer code", Hint: "27 letters and digits that begin with 00. Leave it empty for no labels.", Value: l.Producer, Focus: input.OnError},
			Plain: true, Room: 60,
		},
	}
}

// ProducerOdd is the sentence about a code that is none.
const ProducerOdd = "Enter all 27 letters and digits. The first two are 00."
