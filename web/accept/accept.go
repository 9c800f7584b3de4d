// Package accept parses what a client accepts.
package accept

import (
	"slices"
	"strconv"
	"strings"
)

// Encodings returns the encodings that the client accepts, the preferred ones first:
// "br", "gzip" and, for the plain file, "". Among equally preferred ones, the smaller
// result comes first. header is Accept-Encoding (RFC 9110, 12.5.3); parts of it that
// are invalid or unknown are ignored.
func Encodings(header []string) []string {
	likes := map[string]float64{}
	for _, line := range header {
		for part := range strings.SplitSeq(line, ",") {
			name, parameters, _ := strings.Cut(part, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			if name == "x-gzip" {
				name = "gzip"
			}
			if q, ok := quality(parameters); ok && name != "" {
				likes[name] = q
			}
		}
	}
	like := func(name string) float64 {
		if q, named := likes[name]; named {
			return q
		}
		if q, all := likes["*"]; all {
			return q
		}
		if name == "identity" {
			return 0.0001 // acceptable by default, but less than anything that is named
		}
		return 0
	}
	var takes []string
	for _, name := range []string{"br", "gzip", "identity"} {
		if like(name) > 0 {
			takes = append(takes, name)
		}
	}
	slices.SortStableFunc(takes, func(a, b string) int {
		switch {
		case like(a) > like(b):
			return -1
		case like(a) < like(b):
			return 1
		}
		return 0
	})
	if i := slices.Index(takes, "identity"); i >= 0 {
		takes[i] = ""
	}
	return takes
}

// quality parses a parameter such as "q=0.5". Without one, the quality is 1.
func quality(parameters string) (q float64, ok bool) {
	name, value, given := strings.Cut(parameters, "=")
	if !given || strings.ToLower(strings.TrimSpace(name)) != "q" {
		return 1, strings.TrimSpace(parameters) == ""
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return q, err == nil && q >= 0 && q <= 1
}
