package handlers

import (
	"errors"
	"reflect"
	"strings"
	"unicode"

	"github.com/go-playground/validator/v10"

	"dailies/views/part"
)

// validate checks every form of the app. It is safe for use by many at once.
var validate = newValidator()

func newValidator() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(f reflect.StructField) string { return f.Tag.Get("form") })
	v.RegisterStructValidation(checkScene, createForm{})
	return v
}

// messages turns what the validator found into sentences by field. An element
// of a list is named like "image_input.0".
func messages(err error, sentence func(field, rule string) string) part.Errors {
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
			text = f.Param() // a rule of ours brings its own sentence
		}
		errs[name] = text
	}
	return errs
}

// plainText is s without invalid bytes and without control characters other
// than line breaks and tabs, which nobody types.
func plainText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\r\n", "\n"))
}

// firstRule is the rule that a single value broke.
func firstRule(err error) string {
	var found validator.ValidationErrors
	if errors.As(err, &found) {
		return found[0].Tag()
	}
	return ""
}
