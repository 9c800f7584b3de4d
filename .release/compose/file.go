package main

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A File is a compose file, with those of its keys that this command understands.
type File struct {
	Name     string
	App      any `yaml:"x-app"` // it is checked where services include it
	Services map[string]*Service
	Networks struct {
		Default struct {
			IPAM struct {
				Config []struct{ Subnet netip.Prefix }
			}
		}
	}
	Volumes map[string]*struct{}
}

// A Service is one that the file describes.
type Service struct {
	Image           string
	Entrypoint      []string
	Command         []string
	Environment     map[string]string
	DependsOn       map[string]Dependency `yaml:"depends_on"`
	HealthCheck     *HealthCheck
	Ports           []string // host:container
	Volumes         []string // source:target or source:target:ro
	Restart         string
	StopGracePeriod time.Duration `yaml:"stop_grace_period"`
}

// A Dependency says when what a service depends on is ready.
type Dependency struct{ Condition string }

const (
	started = "service_started"
	healthy = "service_healthy"
)

// A HealthCheck is a command that succeeds in a healthy service. The zero values of the
// other fields stand for Docker's defaults.
type HealthCheck struct {
	Test        []string
	Interval    time.Duration
	Timeout     time.Duration
	Retries     int
	StartPeriod time.Duration `yaml:"start_period"`
}

// readFile reads a compose file in which variables have the values of the settings.
func readFile(name string, settings map[string]string) (*File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := parse(text, settings)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

func parse(text []byte, settings map[string]string) (*File, error) {
	expanded, err := expand(string(text), settings)
	if err != nil {
		return nil, err
	}
	var f File
	d := yaml.NewDecoder(strings.NewReader(expanded))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	return &f, f.check()
}

// reference is ${NAME:?}, the only form of a variable that the file may use: a setting
// that is missing is then noticed.
var reference = regexp.MustCompile(`\$\{([A-Z0-9_]+):\?\}`)

// expand puts settings, which have no characters that YAML treats differently, in place
// of variables.
func expand(text string, settings map[string]string) (string, error) {
	var unset []string
	expanded := reference.ReplaceAllStringFunc(text, func(ref string) string {
		name := reference.FindStringSubmatch(ref)[1]
		if settings[name] == "" {
			unset = append(unset, name)
		}
		return settings[name]
	})
	if strings.Contains(reference.ReplaceAllString(text, ""), "$") {
		return "", errors.New("a variable must have the form ${NAME:?}")
	}
	if unset != nil {
		return "", fmt.Errorf("secrets.env.example has no %s", strings.Join(unset, ", "))
	}
	return expanded, nil
}

// check reports what the decoder does not find.
func (f *File) check() error {
	var errs []error
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if n := f.Networks.Default.IPAM.Config; len(n) != 1 || !n[0].Subnet.Addr().Is4() || n[0].Subnet.Bits() > 24 {
		refuse("networks: the default network must have one subnet for IPv4 with room for all")
	}
	if len(f.Services) == 0 {
		refuse("there are no services")
	}
	for name, s := range f.Services {
		if s == nil {
			refuse("%s is empty", name)
			continue
		}
		if s.Restart != "unless-stopped" {
			refuse("%s: restart is %q, and only unless-stopped is known", name, s.Restart)
		}
		for on, d := range s.DependsOn {
			if f.Services[on] == nil {
				refuse("%s depends on %s, which is no service", name, on)
			}
			if d.Condition != started && d.Condition != healthy {
				refuse("%s depends on %s with the unknown condition %q", name, on, d.Condition)
			}
		}
		if f.dependsOn(name, name, nil) {
			refuse("%s depends on itself", name)
		}
		if h := s.HealthCheck; h != nil && (len(h.Test) < 2 || h.Test[0] != "CMD") {
			refuse("%s: the test of a health check must be a list that begins with CMD", name)
		}
		for _, v := range s.Volumes {
			m, err := parseMount(v)
			if _, named := f.Volumes[m.Source]; err != nil || !named && !strings.HasPrefix(m.Source, "./") {
				refuse("%s: %q is neither a declared volume nor a file beside the compose file, with where it goes", name, v)
			}
		}
		for _, p := range s.Ports {
			if _, _, err := parsePort(p); err != nil {
				refuse("%s: %w", name, err)
			}
		}
	}
	return errors.Join(errs...)
}

// dependsOn reports whether the service depends on the other, by way of others if need
// be.
func (f *File) dependsOn(name, other string, seen []string) bool {
	if len(seen) > len(f.Services) || f.Services[name] == nil {
		return false
	}
	for on := range f.Services[name].DependsOn {
		if on == other || f.dependsOn(on, other, append(seen, on)) {
			return true
		}
	}
	return false
}

// A Mount is a volume or a file and where a service sees it.
type Mount struct {
	Source, Target string
	ReadOnly       bool
}

func parseMount(text string) (Mount, error) {
	source, rest, _ := strings.Cut(text, ":")
	target, mode, more := strings.Cut(rest, ":")
	if source == "" || !strings.HasPrefix(target, "/") || more && mode != "ro" {
		return Mount{}, fmt.Errorf("%q is not source:target or source:target:ro", text)
	}
	return Mount{source, target, more}, nil
}

var published = regexp.MustCompile(`^([0-9]{1,5}):([0-9]{1,5})$`)

func parsePort(text string) (host, inside string, err error) {
	m := published.FindStringSubmatch(text)
	if m == nil {
		return "", "", fmt.Errorf("ports: %q is not host:container", text)
	}
	return m[1], m[2], nil
}

// publicURL is where the check visits the app. Caddy gives names that end like this a
// certificate of its own and asks nobody else for one.
const publicURL = "https://dailies.localhost"

// fillIn reads the example of an environment file and does what it asks for: each
// setting without a value gets a random one.
func fillIn(name string) (map[string]string, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	settings := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), "=")
		switch {
		case strings.HasPrefix(key, "#") || key == "":
			continue
		case !ok:
			return nil, fmt.Errorf("%s: %q has no =", name, key)
		case key == "PUBLIC_URL":
			value = publicURL
		case value == "":
			random := make([]byte, 24)
			_, _ = rand.Read(random) // it never fails
			value = hex.EncodeToString(random)
		}
		settings[key] = value
	}
	return settings, lines.Err()
}
