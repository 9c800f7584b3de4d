package create

import (
	"fmt"

	"dailies/views/part"
)

// A Problem is one thing that keeps an order from being placed.
type Problem struct {
	Kind    Kind
	Field   string // as in API.md, pictures as PictureField names them; empty for the whole order
	Text    string // one sentence
	Address string // of the picture, where it is about one
}

// Kind sorts problems, so that each caller can answer them in its own way.
type Kind int

const (
	Wrong       Kind = iota // a field is not as the scene or the model wants it
	NoKey                   // the person has no API key that opens
	Dearer                  // it costs more than the page said
	Short                   // the person's credits are too few for it
	OverLimit               // a limit does not allow it
	BadPicture              // a picture will not do
	SlowPicture             // a picture may do, if the person accepts that it is slow
	NotSaved                // it cannot be written down just now
)

// Problems list the reasons why an order cannot be placed; nil if it can.
type Problems []Problem

// Errors returns the problems as messages by field.
func (p Problems) Errors() part.Errors {
	if len(p) == 0 {
		return nil
	}
	errs := part.Errors{}
	for _, problem := range p {
		if errs[problem.Field] == "" {
			errs[problem.Field] = problem.Text
		}
	}
	return errs
}

// Has reports whether one of the problems is of the kind.
func (p Problems) Has(k Kind) bool {
	for _, problem := range p {
		if problem.Kind == k {
			return true
		}
	}
	return false
}

// Slow returns the addresses of the pictures that are only slow.
func (p Problems) Slow() []string {
	var slow []string
	for _, problem := range p {
		if problem.Kind == SlowPicture {
			slow = append(slow, problem.Address)
		}
	}
	return slow
}

// PictureField returns the name of the field of a task's picture.
func PictureField(i int) string { return fmt.Sprintf("image_input.%d", i) }
