package config

import "flag"

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
