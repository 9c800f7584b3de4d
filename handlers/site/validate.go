package site

import (
	"errors"
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"

	"dailies/views/part"
)

// NewValidator returns a validator that reports fields by their names in the forms.
// It is safe for concurrent use.
func NewValidator() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(f reflect.StructField) string { return f.Tag.Get("form") })
	return v
}

// Messages translates the validator's errors into sentences by field. An element of a
// list is named like "image_input.0".
func Messages(err error, sentence func(field, rule string) string) part.Errors {
	var found validator.ValidationErrors
	if !errors.As(err, &found) {
		return nil
	}
	errs := part.Errors{}
	for _, f := range found {
		name := strings.NewReplacer("[", ".", "]", "").Replace(f.Field())
		if _, told := errs[name]; told {
			continue
		}
		field, _, _ := strings.Cut(name, ".")
		text := sentence(field, f.Tag())
		if text == "" {
			text = f.Param() // our own rules put their sentence into Param
		}
		errs[name] = text
	}
	return errs
}

// FirstRule returns the name of the first rule that a single value violates.
func FirstRule(err error) string {
	var found validator.ValidationErrors
	if errors.As(err, &found) {
		return found[0].Tag()
	}
	return ""
}
