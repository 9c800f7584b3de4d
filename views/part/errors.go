package part

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"
)

// Errors are messages by the name of the field they stand beside. The empty
// name is the whole form's.
type Errors map[string]string

// fieldOrder is the order in which the fields of all forms stand on the page.
func fieldOrder() []string {
	return []string{"", "name", "note", "title", "days", "email", "current", "password", "key", "webhook", "prompt", "image_input", "image_input.0", "image_input.1", "image_input.2",
		"model", "end_image_url", "duration", "aspect_ratio", "resolution", "generate_audio", "camera_fixed", "seed", "enable_safety_checker", "provider"}
}

// Fields are the names that have a message, in the order of the page.
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

// PictureErrorField is the name under which messages about a picture are kept.
func PictureErrorField(i int) string { return fmt.Sprintf("image_input.%d", i) }

// FieldID is the id of the field's input, where a link to it leads.
func FieldID(field string) string {
	if field == "image_input" {
		field = PictureErrorField(0)
	}
	return strings.ReplaceAll(field, ".", "-")
}

func ErrorID(field string) string { return strings.ReplaceAll(field, ".", "-") + "-error" }

// Any reports whether one of the fields has a message.
func (e Errors) Any(fields ...string) bool {
	return slices.ContainsFunc(fields, func(f string) bool { return e[f] != "" })
}

// Attributes returns what an input with the field's message carries: it is
// marked as invalid, and described by its message after the hints with the ids.
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

// hintID returns the id of the hint below a field, empty where there is none.
func hintID(field, hint string) string {
	if hint == "" {
		return ""
	}
	return FieldID(field) + "-hint"
}
