package storybook

import (
	"github.com/a-h/templ"

	"dailies/views/input"
)

// fill gives an input what somebody typed, and what is wrong with that.
func fill(in input.Input, typed, sentence string) {
	in.Base().Value, in.Base().Error = typed, sentence
}

// typed shows a text field as somebody has filled it in.
func typed(t input.Text, value, sentence string) templ.Component {
	fill(&t, value, sentence)
	return t.Show()
}
