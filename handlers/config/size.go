package config

import (
	"math"
	"strconv"
	"strings"
)

// A Size is a number of bytes, parsed from text such as "50GB", "1.5 TB", "800M",
// "64GiB" or "1048576". Zero and empty text mean no limit.
type Size int64

// units maps the unit after the number, in lower case and without the "b", to its
// size.
var units = map[string]float64{
	"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12,
	"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40,
}

// Set implements flag.Value.
func (s *Size) Set(text string) error {
	text = strings.ToLower(strings.TrimSpace(text))
	digits := strings.TrimRight(text, "kmgtib ")
	unit, known := units[strings.TrimSuffix(strings.TrimSpace(text[len(digits):]), "b")]
	n, err := strconv.ParseFloat(digits, 64)
	if text == "" {
		n, err, unit, known = 0, nil, 1, true
	}
	if bytes := n * unit; err == nil && known && bytes >= 0 && bytes <= math.MaxInt64/2 {
		*s = Size(bytes)
		return nil
	}
	return sentence("it takes a size such as 50GB")
}

// String implements flag.Value.
func (s *Size) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*s), 10)
}
