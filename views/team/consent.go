package team

import "dailies/views/input"

// NewConsentField returns the switch that requires consent.
func NewConsentField(required bool) input.Switch {
	return input.Switch{
		Field: input.Field{Name: "required", ID: "consent-required", Label: "People in the cast need a consent line", Hint: "Without it, nobody can make a video with that person."},
		On:    required,
	}
}
