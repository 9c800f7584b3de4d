package config

import (
	"flag"
	"strings"
)

// oneRun are the flags that are about one run of a command. They are no settings, so the
// environment cannot have them.
var oneRun = map[string]bool{"json": true, "name": true, "role": true, "limit": true, "hand-to": true, "private": true, "end-links": true, "into": true, "keep": true}

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
