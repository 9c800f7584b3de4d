package input

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"dailies/db/option"
)

// Errors maps the name of a field to the message beside it. The message under the empty
// name is about the whole form.
type Errors map[string]string

// fieldOrder lists the fields of all forms in the order of their pages.
func fieldOrder() []string {
	order := []string{"", "name", "note", "title", "days", "email", "current", "password", "key", "webhook", "prompt", "image_input",
		"image_input.0", "image_input.1", "image_input.2", "model", "end_image_url",
		"passwords", "second", "label", "admit", "domains", "link", "claim", "admins", "members", "viewers", "otherwise", "scopes"}
	return append(order, option.Names()...)
}

// Fields returns the names that have a message, in the order of the page.
func (e Errors) Fields() []string {
	order, names := fieldOrder(), make([]string, 0, len(e))
	for name := range e {
		names = append(names, name)
	}
	place := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := place(a) - place(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return names
}

// First returns the first field that has a message, or else the given one. Short forms
// focus this field instead of showing a summary.
func (e Errors) First(otherwise string) string {
	for _, field := range e.Fields() {
		return field
	}
	return otherwise
}

// Set puts the message beside the field, and makes the map if there is none yet.
func (e *Errors) Set(field, message string) {
	if *e == nil {
		*e = Errors{}
	}
	(*e)[field] = message
}

// Mark gives each of the inputs its message, if there is one.
func (e Errors) Mark(inputs ...Input) {
	for _, in := range inputs {
		in.Base().Error = e[in.Base().Name]
	}
}

// Heading returns the first sentence of the summary.
func (e Errors) Heading() string {
	if e[""] != "" {
		return e[""]
	}
	return "Fix this first"
}

// OfPicture returns the name under which messages about the picture with the index are
// kept.
func OfPicture(i int) string { return fmt.Sprintf("image_input.%d", i) }

// ID returns the ID of the field's input element, for labels and links to it.
func ID(field string) string {
	if field == "image_input" {
		field = OfPicture(0)
	}
	return strings.ReplaceAll(field, ".", "-")
}

// ErrorID returns the ID of the message beside the field.
func ErrorID(field string) string { return strings.ReplaceAll(field, ".", "-") + "-error" }

// Attributes returns the ARIA attributes of an input: it is marked as invalid if the
// field has a message, and described by the hints with the given IDs and by the
// message.
func (e Errors) Attributes(field string, hints ...string) templ.Attributes {
	marks := templ.Attributes{}
	if e[field] != "" {
		marks["aria-invalid"] = "true"
		hints = append(hints, ErrorID(field))
	}
	if described := strings.Join(hints, " "); described != "" {
		marks["aria-describedby"] = strings.TrimSpace(described)
	}
	return marks
}
