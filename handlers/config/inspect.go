package config

import (
	"flag"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"dailies/db/store/postgres"
)

// A Setting is a setting of the app as "dailies config check" shows it.
type Setting struct {
	Name     string // of its flag; of its variable if it has no flag
	Variable string
	Value    string // hidden if it may contain a secret
	From     string
	Problem  string // a sentence; empty if the value can be used
}

// Hidden stands for a value that is not shown.
const Hidden = "(hidden)"

// An Inspection says what the app's settings are, where each comes from, and what keeps
// them from being used.
type Inspection struct {
	App      App
	JSON     bool // whether the report is to be printed as JSON
	Settings []Setting
	Notes    []string // what may be a mistake
}

// Usable reports whether the app would accept the settings.
func (i *Inspection) Usable() bool {
	return !slices.ContainsFunc(i.Settings, func(s Setting) bool { return s.Problem != "" })
}

// InspectApp reads the settings as ParseApp does, but goes on after a value that cannot
// be used. It returns an error if it cannot read the command line or the environment
// file.
func InspectApp(s Source) (i Inspection, err error) {
	f := flagSet("dailies config check", i.flags)
	if err := begin(f, &s); err != nil {
		return i, err
	}
	s.Note = func(sentence string) { i.Notes = append(i.Notes, sentence) }
	readings := s.fill(f)
	s.noteUnknown()
	rows, texts := map[string]setting{}, map[string]string{}
	for _, row := range i.App.settings() {
		if rows[row.name] = row; row.text != nil {
			texts[row.name] = *row.text
		}
	}
	problems := map[string]string{}
	for _, err := range i.App.problems(s) {
		if err != nil {
			name := subject(err.Error())
			if _, told := problems[name]; !told {
				problems[name] = err.Error()
			}
		}
	}
	for _, r := range readings {
		if r.err != nil {
			problems[r.name] = r.err.Error()
		}
		text, special := texts[r.name]
		if !special {
			text = f.Lookup(r.name).Value.String()
		}
		if r.err != nil && !rows[r.name].secret {
			text, _ = s.Lookup(variable(r.name))
		}
		i.Settings = append(i.Settings,
			Setting{r.name, variable(r.name), shown(rows[r.name], text, problems[r.name] != ""), from(r.from), problems[r.name]})
	}
	for _, name := range unflagged() {
		i.Settings = append(i.Settings, s.unflagged(name, problems[name]))
	}
	return i, nil
}

func (i *Inspection) flags(f *flag.FlagSet) {
	i.App.flags(f)
	f.BoolVar(&i.JSON, "json", false, "print JSON")
}

// unflagged returns the setting of a secret that has no flag.
func (s Source) unflagged(name, problem string) Setting {
	value, where := s.find(name)
	if where == "" {
		if _, named := s.find(name + "_FILE"); named != "" {
			value, where = Hidden, fmt.Sprintf("file of %s_FILE", name)
		}
	}
	if value != "" {
		value = Hidden
	}
	return Setting{name, name, value, from(where), problem}
}

func from(where string) string {
	if where == "" {
		return "default"
	}
	return where
}

var subjectForm = regexp.MustCompile(`^(?:-([a-z0-9-]+)|(DAILIES_[A-Z0-9_]+?)(?:_FILE)?\b)`)

// subject returns the name of the setting with which a sentence begins.
func subject(sentence string) string {
	found := subjectForm.FindStringSubmatch(sentence)
	if found == nil {
		return ""
	}
	return strings.TrimSuffix(found[1]+found[2], "-")
}

// shown returns the value as it may be shown. Of an address that cannot be used, nobody
// knows what in it may be a password.
func shown(s setting, value string, wrong bool) string {
	switch {
	case value == "":
		return ""
	case s.name == "database" && !wrong:
		address, direct, err := postgres.Addresses(value)
		if err != nil {
			return Hidden
		}
		if direct != "" {
			return postgres.Name(address) + " " + postgres.Name(direct)
		}
		return postgres.Name(address)
	case s.secret, wrong && s.mayHidePassword:
		return Hidden
	case s.mayHidePassword:
		u, err := url.Parse(value)
		if err != nil || u.Opaque != "" {
			return Hidden
		}
		if _, has := u.User.Password(); has {
			u.User = url.User(u.User.Username())
		}
		if s.name == "api-url" && u.RawQuery != "" {
			u.RawQuery = "…"
		}
		return u.String()
	}
	return value
}
