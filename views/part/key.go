package part

import "dailies/views/input"

// KeyInput returns the field in which a key of the video service is entered.
func KeyInput(label, hint string) *input.Text {
	return &input.Text{
		Field: input.Field{Name: "key", Label: label, Hint: hint, Focus: input.OnError},
		Kind:  "text", Sample: "sk-…", Class: "secret mono", Plain: true,
	}
}
