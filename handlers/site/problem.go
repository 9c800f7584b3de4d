package site

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"dailies/views/input"
)

// A Problem is one reason why a press was refused: why its order cannot be placed.
type Problem struct {
	Kind    Kind
	Field   string // as in API.md, or as returned by PictureField; empty for the whole order
	Text    string // one sentence
	Address string // the picture's address, if the problem concerns one
	// Bare is Text without what to press on a page, if there is such a thing in it, and Wait
	// the time after which to try again; 0 if that would change nothing.
	Bare string
	Wait time.Duration
}

// Kind classifies problems, so that each caller can handle them in its own way.
type Kind int

const (
	Wrong            Kind = iota // a field does not suit the scene or the model
	NoKey                        // the user has no API key that can be decrypted
	Dearer                       // the price is higher than the page showed
	Short                        // the user has too few credits
	OverLimit                    // a spending limit is exceeded
	BadPicture                   // a picture cannot be used
	SlowPicture                  // a picture is slow, and can be used if the user accepts that
	UncheckedPicture             // a picture was not looked at yet, because many others were
	NotSaved                     // the order cannot be stored at the moment
	OtherService                 // the team has changed the video service since the page was shown
	NoConsent                    // a person in the cast has not agreed, and the team requires that
	TooManyCast                  // cast members have no place among the pictures
	LeftCast                     // cast members were deleted since the page was shown
)

// Problems lists the reasons why an order cannot be placed; nil if it can.
type Problems []Problem

// Errors returns the problems as messages by field.
func (p Problems) Errors() input.Errors {
	var errs input.Errors
	for _, problem := range p {
		if errs[problem.Field] == "" {
			errs.Set(problem.Field, problem.Text)
		}
	}
	return errs
}

// Status returns the status of the answer that shows the problems.
func (p Problems) Status() int {
	if p.Has(NotSaved) {
		return http.StatusServiceUnavailable
	}
	return http.StatusUnprocessableEntity
}

// Has reports whether there is a problem of the kind.
func (p Problems) Has(k Kind) bool {
	return slices.ContainsFunc(p, func(problem Problem) bool { return problem.Kind == k })
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

// PictureField returns the form's field name for picture i of a task.
func PictureField(i int) string { return fmt.Sprintf("image_input.%d", i) }
