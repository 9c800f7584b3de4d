package config

import (
	"flag"
	"time"
)

// A setting is a row of the table of the app's settings. The flags, the environment, the
// files with secrets, the help, the manual page, "config check" and the README's table
// read it.
type setting struct {
	name string // of the flag, or of the variable of a secret that has no flag
	// define defines the flag with the name and the help; nil if there is none.
	define func(f *flag.FlagSet, name, help string)
	help   string // with the kind of the value in back quotes, as package flag reads it
	// check returns the error of the value, a sentence that begins with the name of a
	// setting; nil if any value can be used. The name has its dash.
	check func(name string, s Source) error
	// text points to the text that was given, for values whose String method returns
	// something else; nil for all others.
	text *string

	secret          bool   // may be in a file that NAME_FILE names, and is never shown
	mayHidePassword bool   // an address; shown without a password
	guide           string // the section of OPERATING.md that says more
	usual           string // the default as the README says it, if the value does not
}

func text(to *string, usual string) func(*flag.FlagSet, string, string) {
	return func(f *flag.FlagSet, name, help string) { f.StringVar(to, name, usual, help) }
}

func boolean(to *bool, usual bool) func(*flag.FlagSet, string, string) {
	return func(f *flag.FlagSet, name, help string) { f.BoolVar(to, name, usual, help) }
}

func number(to *int, usual int) func(*flag.FlagSet, string, string) {
	return func(f *flag.FlagSet, name, help string) { f.IntVar(to, name, usual, help) }
}

func span(to *time.Duration, usual time.Duration) func(*flag.FlagSet, string, string) {
	return func(f *flag.FlagSet, name, help string) { duration(f, to, name, usual, help) }
}

// own is for a value that brings its own help, because other commands have it too.
func own(define func(*flag.FlagSet, string)) func(*flag.FlagSet, string, string) {
	return func(f *flag.FlagSet, name, _ string) { define(f, name) }
}

func value(to flag.Value) func(*flag.FlagSet, string, string) {
	return func(f *flag.FlagSet, name, help string) { f.Var(to, name, help) }
}

// secretFlags returns the flags of all commands whose values can also be read from a file
// that the environment names.
func secretFlags() map[string]bool {
	names := map[string]bool{"new-secret": true, "password": true} // of reseal, and of the sandbox
	for _, s := range new(App).settings() {
		names[s.name] = names[s.name] || s.secret
	}
	return names
}

// unflagged returns the variables of secrets that have no flag, because other users of the
// machine can read those.
func unflagged() (names []string) {
	for _, s := range new(App).settings() {
		if s.define == nil {
			names = append(names, s.name)
		}
	}
	return names
}
