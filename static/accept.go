package static

import (
	"slices"
	"strconv"
	"strings"
)

// accepted returns the encodings that the client takes, the best first: "br",
// "gzip" and, for the plain file, "". Of those that it likes equally the smaller
// one is better. The header is RFC 9110's, 12.5.3; what is not understood in it
// is left out.
func accepted(header []string) []string {
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
			return 0.0001 // it is always taken, but nobody asks for it
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

// quality reads ";q=0.5"; without one it is 1.
func quality(parameters string) (q float64, ok bool) {
	name, value, given := strings.Cut(parameters, "=")
	if !given || strings.ToLower(strings.TrimSpace(name)) != "q" {
		return 1, strings.TrimSpace(parameters) == ""
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return q, err == nil && q >= 0 && q <= 1
}
