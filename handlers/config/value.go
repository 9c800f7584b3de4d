package config

import (
	"flag"
	"math"
	"strconv"
	"strings"
	"time"

	"dailies/web/throttle"
)

// duration defines a flag for a length of time. Unlike that of the flag package, its
// error says what is missing from a number alone.
func duration(f *flag.FlagSet, to *time.Duration, name string, usual time.Duration, usage string) {
	*to = usual
	f.Var((*span)(to), name, usage)
}

// A span is a length of time such as 3s or 1h30m.
type span time.Duration

// Set implements flag.Value.
func (s *span) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return sentence("it takes a number with its unit, such as 500ms, 3s, 10m or 24h")
	}
	*s = span(d)
	return nil
}

// String implements flag.Value.
func (s *span) String() string { return time.Duration(*s).String() }

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

// Networks is a list of networks and addresses, in the syntax of
// throttle.ParseProxies.
type Networks string

// String implements flag.Value.
func (n *Networks) String() string { return string(*n) }

// Set implements flag.Value.
func (n *Networks) Set(text string) error {
	if _, err := throttle.ParseProxies(text); err != nil {
		return sentence("it takes networks and addresses such as 127.0.0.1,10.0.0.0/8")
	}
	*n = Networks(text)
	return nil
}

// Proxies returns the parsed networks. Set has already checked the syntax.
func (n Networks) Proxies() throttle.Proxies {
	proxies, _ := throttle.ParseProxies(string(n))
	return proxies
}

// A LogFormat is how the log is written.
type LogFormat string

// The formats of the log. The empty LogFormat means TextLog.
const (
	TextLog LogFormat = "text" // lines with key=value
	JSONLog LogFormat = "json" // one JSON object a line; durations are in seconds
)

// String implements flag.Value.
func (l *LogFormat) String() string { return string(*l) }

// Set implements flag.Value.
func (l *LogFormat) Set(text string) error {
	if f := LogFormat(text); f == TextLog || f == JSONLog {
		*l = f
		return nil
	}
	return sentence("it takes text or json")
}

func (l *LogFormat) flag(f *flag.FlagSet) {
	*l = TextLog
	f.Var(l, "log-format", "`format` of the log: text, or json with one object a line")
}
