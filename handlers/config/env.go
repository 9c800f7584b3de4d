package config

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The files of the service that the packages install. Its unit sets the data folder.
const (
	InstalledEnv  = "/etc/dailies/dailies.env"
	installedData = "/var/lib/dailies"
)

// maxEnv limits the size of an environment file, in bytes.
const maxEnv = 64 << 10

// ParseEnv reads an environment file as systemd does: one NAME=value per line, in which
// the value may be quoted, and lines that are empty or begin with # or ; are skipped. In
// double quotes and without quotes, a backslash escapes the next character, and at the
// end of a line it continues the line. Errors name the line.
func ParseEnv(text string) (map[string]string, error) {
	if len(text) > maxEnv {
		return nil, fmt.Errorf("it has more than %d bytes", maxEnv)
	}
	values := map[string]string{}
	rest := strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	for line := 1; rest != ""; {
		here := line
		first, _, _ := strings.Cut(rest, "\n")
		trimmed := strings.TrimSpace(first)
		if trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';' {
			rest = rest[min(len(first)+1, len(rest)):]
			line++
			continue
		}
		name, _, found := strings.Cut(first, "=")
		if name = strings.TrimSpace(name); !found || !isName(name) {
			return nil, fmt.Errorf("line %d is not NAME=value", here)
		}
		value, n, err := envValue(rest[strings.Index(rest, "=")+1:])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", here, err)
		}
		n += strings.Index(rest, "=") + 1
		line += strings.Count(rest[:n], "\n")
		rest = rest[n:]
		values[name] = value
	}
	return values, nil
}

// envValue reads a value up to the end of its line. It returns the value and the number
// of bytes read, with the line break. As with systemd, a quotation mark within a value
// that does not begin with one is part of the value.
func envValue(text string) (value string, n int, err error) {
	var b strings.Builder
	var quote byte // the quotation mark that is open; 0 if none is
	plain := false // within text that is not quoted
	kept := 0      // the length of the value without the blanks at its end
	for n < len(text) {
		c := text[n]
		n++
		switch {
		case c == '\n' && quote == 0:
			return b.String()[:kept], n, nil
		case c == quote:
			quote = 0
		case quote == 0 && !plain && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && (c == ' ' || c == '\t'):
			if plain {
				b.WriteByte(c)
			}
			continue
		case c == '\\' && quote != '\'' && n < len(text):
			plain = plain || quote == 0
			escape(&b, text[n], quote)
			n++
		default:
			plain = quote == 0
			b.WriteByte(c)
		}
		kept = b.Len()
	}
	if quote != 0 {
		return "", n, errors.New("a quotation mark is not closed")
	}
	return b.String()[:kept], n, nil
}

// escape writes the character that follows a backslash. A line break is left out: the
// line continues. Between double quotes, other characters keep their backslash, except
// those that have a meaning to a shell.
func escape(b *strings.Builder, c, quote byte) {
	if quote == '"' && !strings.ContainsRune("\"\\`$\n", rune(c)) {
		b.WriteByte('\\')
	}
	if c != '\n' {
		b.WriteByte(c)
	}
}

func isName(name string) bool {
	for i, c := range name {
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// readFile reads the environment file that -env or DAILIES_ENV names. If neither is
// given, a command reads that of the installed service, unless the command is about
// another data folder.
func (s *Source) readFile(path string, f *flag.FlagSet) (err error) {
	if path == "" {
		path, _ = s.Lookup(variable("env"))
	}
	if path != "" {
		s.path = path
		s.file, err = openEnv(path)
		return err
	}
	if s.Installed == "" {
		return nil
	}
	s.path = s.Installed
	s.file, err = openEnv(s.Installed)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	data := s.file[variable("data")]
	if data == "" {
		data, s.ofUnit = installedData, true
	}
	folders, others := s.folders(f), f.Lookup("data") == nil && f.Lookup("from-data") == nil
	switch {
	case len(folders) > 0 && !contains(folders, data):
		s.file = nil
		return nil
	case errors.Is(err, fs.ErrPermission) && (others || len(folders) > 0):
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; run the command as the service's user, "+
			"such as: sudo -u dailies dailies …, or name a data folder of your own with -data", err)
	case err != nil:
		return err
	}
	s.file[variable("data")] = data
	return nil
}

// folders returns the data folders that flags or the environment name.
func (s *Source) folders(f *flag.FlagSet) (named []string) {
	f.Visit(func(one *flag.Flag) {
		if one.Name == "data" || strings.HasSuffix(one.Name, "-data") {
			named = append(named, one.Value.String())
		}
	})
	if data, ok := s.Lookup(variable("data")); ok && f.Lookup("data") != nil && len(named) == 0 {
		named = append(named, data)
	}
	return named
}

func contains(folders []string, data string) bool {
	for _, one := range folders {
		if absolute, err := filepath.Abs(one); err == nil && absolute == filepath.Clean(data) {
			return true
		}
	}
	return false
}

func openEnv(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("-env: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxEnv+1))
	if err != nil {
		return nil, fmt.Errorf("-env: %w", err)
	}
	values, err := ParseEnv(string(text))
	if err != nil {
		return nil, fmt.Errorf("-env %s: %w", path, err)
	}
	return values, nil
}

// maxSecret limits the size of such a file, in bytes.
const maxSecret = 4 << 10

// secret returns the value of the environment variable, or the content of the file
// that NAME_FILE names. It returns "" if neither is set.
func (s Source) secret(name string) (string, error) {
	value, ok := s.Lookup(name)
	if ok {
		return value, nil
	}
	value, _, err := s.secretFile(name)
	return value, err
}

// secretFile returns the content of the file that NAME_FILE names, without the line break
// at its end.
func (s Source) secretFile(name string) (value string, ok bool, err error) {
	path, ok := s.Lookup(name + "_FILE")
	if !ok {
		return "", false, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", false, fmt.Errorf("%s_FILE: %w", name, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSecret+1))
	if err == nil && len(text) > maxSecret {
		err = fmt.Errorf("more than %d bytes are no secret", maxSecret)
	}
	if err != nil {
		return "", false, fmt.Errorf("%s_FILE: %w", name, err)
	}
	return strings.TrimRight(string(text), "\r\n"), true, nil
}

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
	names, secrets := unflagged(), secretFlags()
	files := slices.Clone(names)
	for _, flags := range []func(*flag.FlagSet){
		new(App).flags, new(Sandbox).flags, new(Password).flags, new(Move).flags, new(Upkeep).flags,
		new(Reseal).flags, new(User).flags, new(Inspection).flags,
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
