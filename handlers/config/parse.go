package config

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"dailies/web/throttle"
)

// ErrHelp means that help was requested and has been printed.
var ErrHelp = flag.ErrHelp

// Source says where the settings come from and where help is printed.
type Source struct {
	Args    []string
	Environ []string // NAME=value, as from os.Environ
	Help    io.Writer
	// Installed is the environment file of the service that is installed on this
	// machine. Commands read it; it is empty for what does not belong to that service.
	Installed string
	// Note is told, in a sentence, of what may be a mistake. It may be nil.
	Note func(sentence string)

	file map[string]string // what was read from -env or Installed
	path string            // of that file
	// ofUnit says that the data folder is that of the installed service's unit, because
	// the file names none.
	ofUnit bool
}

// Lookup returns the value of an environment variable, or else of the environment
// file.
func (s Source) Lookup(name string) (value string, ok bool) {
	value, from := s.find(name)
	return value, from != ""
}

// find is like Lookup, and says where the value comes from: "" if there is none.
func (s Source) find(name string) (value, from string) {
	for _, pair := range s.Environ {
		if n, v, _ := strings.Cut(pair, "="); n == name {
			return v, "environment"
		}
	}
	if value, ok := s.file[name]; ok && s.ofUnit && name == variable("data") {
		return value, "unit of the installed service"
	} else if ok {
		return value, s.path
	}
	return "", ""
}

// parse reads the flags. For every -name that is not given, it reads DAILIES_NAME
// from the environment, or else from the environment file.
func parse(f *flag.FlagSet, s *Source) error {
	if err := begin(f, s); err != nil {
		return err
	}
	for _, r := range s.fill(f) {
		if r.err != nil {
			return r.err
		}
	}
	s.noteUnknown()
	return nil
}

// flagSet returns the flags of the command with the name.
func flagSet(name string, flags func(*flag.FlagSet)) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	flags(f)
	return f
}

const envHelp = "`file` with further settings, one NAME=value per line as in an environment file of systemd; " +
	"flags and the environment take precedence"

// begin reads the command line and the environment file.
func begin(f *flag.FlagSet, s *Source) error {
	f.SetOutput(io.Discard)
	env := f.String("env", "", envHelp)
	err := f.Parse(s.Args)
	if errors.Is(err, flag.ErrHelp) {
		f.SetOutput(s.Help)
		fmt.Fprint(s.Help, usage(f.Name()))
		f.PrintDefaults()
		return err
	}
	err = said(err)
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("%q is not a setting; -h lists them", f.Arg(0))
	}
	if err == nil {
		err = s.readFile(*env, f)
	}
	return err
}

// A reading says where the value of a flag comes from.
type reading struct {
	name string
	from string // empty for the default
	err  error  // why the value cannot be used
}

// fill sets the flags that are not given on the command line to their values in the
// environment, or else in the environment file.
func (s Source) fill(f *flag.FlagSet) (readings []reading) {
	given := map[string]bool{}
	f.Visit(func(one *flag.Flag) { given[one.Name] = true })
	secrets := secretFlags()
	f.VisitAll(func(one *flag.Flag) {
		if oneRun[one.Name] {
			return
		}
		if given[one.Name] {
			readings = append(readings, reading{name: one.Name, from: "command line"})
			return
		}
		name := variable(one.Name)
		value, from := s.find(name)
		var err error
		if from == "" && secrets[one.Name] {
			var ok bool
			if value, ok, err = s.secretFile(name); ok || err != nil {
				from = fmt.Sprintf("file of %s_FILE", name)
			}
		}
		if from != "" && err == nil {
			err = set(f, one.Name, value)
		}
		readings = append(readings, reading{one.Name, from, err})
	})
	return readings
}

// variable returns the environment variable of a flag.
func variable(flag string) string {
	return "DAILIES_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// set sets the flag to the value of its environment variable. The error shows the value
// only if it cannot be a secret.
func set(f *flag.FlagSet, name, value string) error {
	err := f.Set(name, value)
	if err == nil {
		return nil
	}
	if said := (sentence("")); errors.As(err, &said) {
		return fmt.Errorf("%s has a value that cannot be used: %w", variable(name), said)
	}
	if isBool(f.Lookup(name)) {
		return fmt.Errorf("%s has a value that cannot be used: it takes true or false", variable(name))
	}
	if isNumber(f.Lookup(name)) {
		return fmt.Errorf("%s has a value that cannot be used: it takes a whole number", variable(name))
	}
	return fmt.Errorf("%s has a value that cannot be used", variable(name))
}

// isNumber reports whether the flag takes a whole number.
func isNumber(one *flag.Flag) bool {
	getter, ok := one.Value.(flag.Getter)
	if !ok {
		return false
	}
	switch getter.Get().(type) {
	case int, int64:
		return true
	}
	return false
}

// said returns the error of a flag on the command line, with what it takes in place of
// the flag package's "parse error".
func said(err error) error {
	if err == nil {
		return nil
	}
	for _, usual := range []string{": parse error", ": value out of range"} {
		before, found := strings.CutSuffix(err.Error(), usual)
		switch {
		case found && strings.HasPrefix(before, "invalid boolean value"):
			return errors.New(before + ": it takes true or false")
		case found:
			return errors.New(before + ": it takes a whole number")
		}
	}
	return err
}

// A sentence is an error of a flag's value that says what the flag takes. It does not
// contain the value.
type sentence string

func (s sentence) Error() string { return string(s) }

// oneRun are the flags that are about one run of a command. They are no settings, so the
// environment cannot have them.
var oneRun = map[string]bool{"json": true, "name": true, "role": true, "limit": true, "hand-to": true,
	"private": true, "end-links": true, "into": true, "keep": true}

// takeArguments splits a command's arguments from its flags, before, between or after
// which they may stand. A flag that f does not know takes a value.
func takeArguments(f *flag.FlagSet, args []string) (found, flags []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == "-" || !strings.HasPrefix(args[i], "-") {
			found = append(found, args[i])
			continue
		}
		flags = append(flags, args[i])
		name := strings.TrimLeft(args[i], "-")
		if strings.Contains(name, "=") || name == "h" || name == "help" || isBool(f.Lookup(name)) || i+1 == len(args) {
			continue
		}
		i++
		flags = append(flags, args[i])
	}
	return found, flags
}

// isBool reports whether the flag takes no value.
func isBool(f *flag.Flag) bool {
	if f == nil {
		return false
	}
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// duration defines a flag for a length of time. Unlike that of the flag package, its
// error says what is missing from a number alone.
func duration(f *flag.FlagSet, to *time.Duration, name string, usual time.Duration, usage string) {
	*to = usual
	f.Var((*length)(to), name, usage)
}

// A length is a length of time such as 3s or 1h30m.
type length time.Duration

// Set implements flag.Value.
func (s *length) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return sentence("it takes a number with its unit, such as 500ms, 3s, 10m or 24h")
	}
	*s = length(d)
	return nil
}

// String implements flag.Value.
func (s *length) String() string { return time.Duration(*s).String() }

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

func (l *LogFormat) flag(f *flag.FlagSet, name string) {
	*l = TextLog
	f.Var(l, name, "`format` of the log: text, or json with one object a line and durations in seconds")
}
