package config

import (
	"flag"
	"time"
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
