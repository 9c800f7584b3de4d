package e2e

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// A composeFile is a compose file, with those of its keys that these tests understand. Any
// other key is an error.
type composeFile struct {
	Name     string
	App      any `yaml:"x-app"` // it is checked where services include it
	Services map[string]*composeService
	Networks struct {
		Default struct {
			IPAM struct {
				Config []struct{ Subnet netip.Prefix }
			}
		}
	}
	Volumes map[string]*struct{}
}

// A composeService is one that a compose file describes.
type composeService struct {
	Image           string
	Entrypoint      []string
	Command         []string
	Environment     map[string]string
	DependsOn       map[string]struct{ Condition string } `yaml:"depends_on"`
	HealthCheck     *healthCheck
	Ports           []string // published port:port of the service
	Volumes         []string // source:target or source:target:ro
	Restart         string
	StopGracePeriod time.Duration `yaml:"stop_grace_period"`
}

// A healthCheck is a command that succeeds in a healthy service. The tests run it more
// often than it says.
type healthCheck struct {
	Test        []string
	Interval    time.Duration
	Timeout     time.Duration
	Retries     int
	StartPeriod time.Duration `yaml:"start_period"`
}

// Conditions of depends_on.
const (
	hasStarted = "service_started"
	isHealthy  = "service_healthy"
)

// releaseFile returns a file of the folder .release.
func releaseFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", ".release", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// composeURL is where tests visit what compose.yaml runs. Caddy gives names that end like
// this a certificate of its own and asks nobody else for one.
const composeURL = "https://dailies.localhost"

// composeSettings reads secrets.env.example and does what it asks for: each setting without
// a value gets a random one.
func composeSettings(t *testing.T) map[string]string {
	t.Helper()
	settings := map[string]string{}
	for line := range strings.Lines(releaseFile(t, "secrets.env.example")) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case name == "" || strings.HasPrefix(name, "#"):
			continue
		case !ok:
			t.Fatalf("secrets.env.example: %q has no =", name)
		case name == "PUBLIC_URL":
			value = composeURL
		case value == "":
			value = rand.Text()
		}
		settings[name] = value
	}
	return settings
}

// composeVariable is ${NAME:?}, the only form of a variable that the file may use: a
// setting that is missing is then noticed.
var composeVariable = regexp.MustCompile(`\$\{([A-Z0-9_]+):\?\}`)

// parseCompose reads a compose file in which variables have the values of the settings.
func parseCompose(text string, settings map[string]string) (*composeFile, error) {
	expanded := composeVariable.ReplaceAllStringFunc(text, func(variable string) string {
		if value := settings[composeVariable.FindStringSubmatch(variable)[1]]; value != "" {
			return value
		}
		return variable
	})
	if at := strings.Index(expanded, "$"); at >= 0 {
		return nil, fmt.Errorf("%.12q… is not ${NAME:?} with a name of secrets.env.example", expanded[at:])
	}
	var f composeFile
	d := yaml.NewDecoder(strings.NewReader(expanded))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	return &f, f.check()
}

var (
	composeMount = regexp.MustCompile(`^([\w./]+):(/[\w./]+)(:ro)?$`)
	composePort  = regexp.MustCompile(`^([0-9]+):([0-9]+)$`)
)

// check reports what the decoder does not find.
func (f *composeFile) check() error {
	var errs []error
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	// The network's first and last addresses and that of the machine are no service's.
	if n := f.Networks.Default.IPAM.Config; len(n) != 1 || !n[0].Subnet.Addr().Is4() || 1<<(32-n[0].Subnet.Bits())-3 < len(f.Services) {
		refuse("networks: the default network must have one subnet for IPv4 with room for all services")
	}
	for name, s := range f.Services {
		if s == nil {
			refuse("%s is empty", name)
			continue
		}
		if s.Restart != "unless-stopped" {
			refuse("%s: restart is %q, not unless-stopped", name, s.Restart)
		}
		for on, d := range s.DependsOn {
			if f.Services[on] == nil {
				refuse("%s depends on %s, which is no service", name, on)
			}
			if d.Condition != hasStarted && d.Condition != isHealthy {
				refuse("%s depends on %s with the unknown condition %q", name, on, d.Condition)
			}
		}
		if f.dependsOn(name, name, 0) {
			refuse("%s depends on itself", name)
		}
		if h := s.HealthCheck; h != nil && (len(h.Test) < 2 || h.Test[0] != "CMD") {
			refuse("%s: the test of a health check must be a list that begins with CMD", name)
		}
		for _, v := range s.Volumes {
			m := composeMount.FindStringSubmatch(v)
			if m == nil {
				refuse("%s: %q is not source:target or source:target:ro", name, v)
			} else if _, declared := f.Volumes[m[1]]; !declared && !strings.HasPrefix(m[1], "./") {
				refuse("%s: %q is neither a declared volume nor a file beside the compose file", name, m[1])
			}
		}
		for _, p := range s.Ports {
			if !composePort.MatchString(p) {
				refuse("%s: %q is not published:port", name, p)
			}
		}
	}
	return errors.Join(errs...)
}

// dependsOn reports whether the service depends on the other, by way of at most as many
// services as there are.
func (f *composeFile) dependsOn(name, other string, depth int) bool {
	if depth > len(f.Services) || f.Services[name] == nil {
		return false
	}
	for on := range f.Services[name].DependsOn {
		if on == other || f.dependsOn(on, other, depth+1) {
			return true
		}
	}
	return false
}

// The file is changed in ways that Docker refuses or the tests do not understand.
func TestOnlyAnUnderstoodComposeFileIsRun(t *testing.T) {
	t.Parallel()
	text, settings := releaseFile(t, "compose.yaml"), composeSettings(t)
	if _, err := parseCompose(text, settings); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, says string }{
		{"name: dailies", "name: dailies\nsecrets: {}", "field secrets not found"},
		{"unless-stopped\n    command", "unless-stopped\n    read_only: true\n    command", "field read_only not found"},
		{"x-app: &app\n", "x-app: &app\n  privileged: true\n", "field privileged not found"},
		{"      interval: 5s\n", "      interval: 5s\n      start_interval: 1s\n", "field start_interval not found"},
		{"condition: service_healthy}", "condition: service_healthy, required: false}", "field required not found"},
		{"    ipam: {config", "    internal: true\n    ipam: {config", "field internal not found"},
		{"storage: }", "storage: {driver: local}}", "field driver not found"},
		{"restart: unless-stopped", `restart: "no"`, "not unless-stopped"},
		{"database: {condition", "databse: {condition", "databse, which is no service"},
		{"service_healthy", "service_completed_successfully", "unknown condition"},
		{"services:\n", "services:\n  mail:\n", "mail is empty"},
		{"  sandbox:\n", "  sandbox:\n    depends_on: {app1: {condition: service_started}}\n", "depends on itself"},
		{`["CMD", "pg_isready"`, `["CMD-SHELL", "pg_isready"`, "begins with CMD"},
		{`"443:443"`, `"127.0.0.1:443:443"`, "is not published:port"},
		{`volumes: ["sandbox:/data"]`, `volumes: ["sandpit:/data"]`, "neither a declared volume"},
		{`volumes: ["sandbox:/data"]`, `volumes: ["sandbox:/data:z"]`, "is not source:target"},
		{`volumes: ["sandbox:/data"]`, `volumes: ["sandbox"]`, "is not source:target"},
		{"${SECRET:?}", "${SECRETS:?}", "with a name of secrets.env.example"},
		{"${SECRET:?}", "${SECRET:-none}", "is not ${NAME:?}"},
		{"${SECRET:?}", "$SECRET", "is not ${NAME:?}"},
		{"10.89.0.0/24}]", "10.89.0.0/29}]", "room for all"},
		{`entrypoint: ["/bin/sh"`, `entrypoint: sh #`, "cannot unmarshal"},
	} {
		changed := strings.Replace(text, c.from, c.to, 1)
		if changed == text {
			t.Errorf("compose.yaml has no %q any more", c.from)
		}
		if _, err := parseCompose(changed, settings); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q instead of %q: got %v, want %q", c.to, c.from, err, c.says)
		}
	}
}
