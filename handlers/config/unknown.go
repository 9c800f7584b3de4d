package config

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// noteUnknown notes each variable that is none of the program's although its name begins
// with DAILIES, in whatever case, or hardly differs from one of them: a misspelt setting
// would otherwise be ignored silently.
func (s Source) noteUnknown() {
	if s.Note == nil {
		return
	}
	names := slices.Collect(maps.Keys(s.file))
	for _, pair := range s.Environ {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	known := variables()
	for _, name := range slices.Compact(names) {
		if slices.Contains(known, name) {
			continue
		}
		upper := strings.ReplaceAll(strings.ToUpper(name), "-", "_")
		like, differs := nearest(upper, known)
		if !strings.HasPrefix(upper, "DAILIES_") && (like == "" || differs > mostInPrefix) {
			continue
		}
		if like != "" {
			s.Note(fmt.Sprintf("%s is not a setting and is ignored; did you mean %s?", name, like))
		} else {
			s.Note(fmt.Sprintf("%s is not a setting and is ignored", name))
		}
	}
}

// variables returns the names of all environment variables that the program reads.
func variables() []string {
	names := []string{accessKey, secretKey, smtpPassword}
	files := slices.Clone(names)
	for _, flags := range []func(*flag.FlagSet){
		new(App).flags, new(Sandbox).flags, new(Password).flags, new(Move).flags, new(Upkeep).flags, new(Reseal).flags, new(User).flags, new(Inspection).flags,
	} {
		f := flagSet("", flags)
		f.VisitAll(func(one *flag.Flag) {
			if oneRun[one.Name] {
				return
			}
			names = append(names, variable(one.Name))
			if secrets[one.Name] {
				files = append(files, variable(one.Name))
			}
		})
	}
	for _, name := range files {
		names = append(names, name+"_FILE")
	}
	return append(names, variable("env"))
}

// mostInPrefix is how many letters of a name that does not begin with DAILIES_ may differ
// from a setting's name for it to count as a misspelt one.
const mostInPrefix = 2

// nearest returns the known name that differs least from name, and in how many letters,
// or "" if none is similar.
func nearest(name string, known []string) (like string, least int) {
	least = 4
	for _, k := range known {
		if len(k) > len(name)+least || len(name) > len(k)+least { // which would take long for a long name
			continue
		}
		if d := distance(name, k); d < least {
			like, least = k, d
		}
	}
	return like, least
}

// distance returns the number of letters that have to be added, removed or replaced to
// turn a into b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
