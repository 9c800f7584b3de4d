package handlerstest

import (
	"cmp"
	"net/http"
	"regexp"
	"strings"

	"dailies/handlers/site"
)

// wildcard matches what stands for a part of a path in a pattern.
var wildcard = regexp.MustCompile(`\{[^/}]*\}`)

// Path returns the path of an example of the row, or of what a row says that requests get.
func Path(r site.Route, at string) string {
	path := r.Pattern[strings.Index(r.Pattern, "/"):]
	values, query, asks := strings.Cut(at, "?")
	parts := strings.Split(values, "/")
	path = wildcard.ReplaceAllStringFunc(path, func(string) (value string) {
		value, parts = parts[0], parts[1:]
		return value
	})
	path += strings.Join(parts, "/")
	if asks {
		path += "?" + query
	}
	return path
}

// Method returns the method of the row's requests; of a row for all methods, GET.
func Method(r site.Route) string {
	method, _, _ := strings.Cut(r.Pattern, "/")
	return cmp.Or(strings.TrimSpace(method), http.MethodGet)
}

// Examples returns the row's examples.
func Examples(r site.Route) []site.Example {
	if r.Examples == nil {
		return []site.Example{{}}
	}
	return r.Examples
}

// Sender returns who sends the row's examples; it is empty for an admin.
func Sender(r site.Route) string {
	if r.Sender == "" && (r.For == site.ForSignedOut || r.For == site.ForLink || r.For == site.ForGuests) {
		return "nobody"
	}
	return r.Sender
}

// Statuses returns what empty requests get.
func Statuses(r site.Route) []site.Status {
	switch example := Examples(r)[0]; {
	case r.Statuses != nil:
		return r.Statuses
	case r.For.NeedsToken():
		return []site.Status{{At: example.At, Code: http.StatusUnauthorized}}
	case Method(r) == http.MethodGet:
		return []site.Status{{Code: http.StatusOK}}
	case example.Body != "":
		return []site.Status{{Code: http.StatusUnprocessableEntity}}
	default:
		return []site.Status{{Code: http.StatusSeeOther}}
	}
}
