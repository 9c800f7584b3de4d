package e2e

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dailies/db/store/postgres/postgrestest"
	"dailies/web/scopetest"
)

// A composeImage is what the test runs in place of an image: programs of this machine, with
// what the image says about running them.
type composeImage struct {
	entrypoint, command []string
	environment         map[string]string
	machine             []string // variables that only this machine needs
	known               []string // variables that a compose file may set; nil if the program notices others itself
	data                string   // folder whose files must outlive the service
	paths               []string // pairs of a path in the image and one on this machine
	head                string   // goes before what the Caddyfile says
	healthCheck         *healthCheck
	stop                syscall.Signal
	// program returns the command that runs a program of the image.
	program func(ctx context.Context, name string, args ...string) (*exec.Cmd, error)
}

// A composeRun is what runs of a compose file: each service on ports of its own of
// 127.0.0.1.
type composeRun struct {
	*testing.T
	file      *composeFile
	folder    string            // of volumes
	addresses map[string]string // by the service's name and port, as in "database:5432"
	started   []*composeProcess
}

// A composeProcess is the process of a service.
type composeProcess struct {
	*composeService
	name        string
	image       composeImage
	environment []string
	inHere      func(string) string // replaces addresses and paths of the file by those of this machine
	command     *exec.Cmd
	log         *logs
	ended       chan struct{}
	stopped     bool
}

// composePatience is how long a test waits for what a service does.
const composePatience = 2 * time.Minute

// personAddress is where the person who visits the proxy comes from. The proxy's own
// connections come from 127.0.0.1.
const personAddress = "127.0.0.7"

// TestTheServicesOfComposeWorkTogether starts each service of compose.yaml as the file says,
// without containers: with its command, its environment, its volumes, and after what it
// depends on. The first person then makes a video through the proxy, while all apps but one
// stop.
func TestTheServicesOfComposeWorkTogether(t *testing.T) {
	scopetest.Whole(t)
	t.Parallel() // it mostly waits
	settings := composeSettings(t)
	file, err := parseCompose(releaseFile(t, "compose.yaml"), settings)
	if err != nil {
		t.Fatal(err)
	}
	c := newComposeRun(t, file)
	c.startAll()
	p := c.person()
	c.signsUp(p, settings["SETUP_TOKEN"])
	video := p.makeOf(t, "text-to-video", url.Values{
		"model": {"seedance-2.0"}, "prompt": {"a tram crosses the bridge"}, "duration": {"4"}, "resolution": {"480p"},
		"aspect_ratio": {"16:9"}, "generate_audio": {"true"},
	})
	if video == "" {
		t.Fatal("no video is made")
	}
	apps := c.apps()
	for _, app := range apps[:len(apps)-1] {
		c.stop(app)
	}
	c.avoidsWhatIsNotReady(p, apps[0])
	c.receives(p, video)
	for _, s := range slices.Backward(c.started) {
		c.stop(s)
	}
}

func newComposeRun(t *testing.T, file *composeFile) *composeRun {
	t.Helper()
	folder, err := os.MkdirTemp("", "dailies-compose-") // unlike those of t.TempDir, other accounts may enter it
	if err == nil {
		err = os.Chmod(folder, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &composeRun{T: t, file: file, folder: folder, addresses: map[string]string{}}
	t.Cleanup(func() {
		for _, s := range c.started {
			_ = s.command.Process.Kill()
			<-s.ended
			if t.Failed() {
				t.Logf("%s said:\n%s", s.name, s.log)
			}
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return c
}

// address returns where a port of a service is.
func (c *composeRun) address(service, port string) string {
	at := service + ":" + port
	if c.addresses[at] == "" {
		c.addresses[at] = freeAddress(c.T)
	}
	return c.addresses[at]
}

// startAll starts the services, those first that depend on nothing, and waits until all are
// healthy.
func (c *composeRun) startAll() {
	c.Helper()
	names := slices.Sorted(maps.Keys(c.file.Services))
	slices.SortStableFunc(names, func(a, b string) int {
		return len(c.file.Services[a].DependsOn) - len(c.file.Services[b].DependsOn)
	})
	for _, name := range names {
		c.start(name)
	}
	for _, s := range c.started {
		c.awaitHealth(s)
	}
}

// process returns the process of the service, or nil if it was not started.
func (c *composeRun) process(name string) *composeProcess {
	for _, s := range c.started {
		if s.name == name {
			return s
		}
	}
	return nil
}

// start starts the service, unless it runs, after what it depends on is ready.
func (c *composeRun) start(name string) {
	c.Helper()
	if c.process(name) != nil {
		return
	}
	s := &composeProcess{composeService: c.file.Services[name], name: name, log: &logs{}, ended: make(chan struct{})}
	for _, on := range slices.Sorted(maps.Keys(s.DependsOn)) {
		c.start(on)
		if waits := s.DependsOn[on].Condition == isHealthy; waits != (c.process(on).HealthCheck != nil) {
			c.Fatalf("%s waits until %s is healthy: %t; that has a health check: %t", name, on, waits, !waits)
		}
		c.awaitHealth(c.process(on))
	}
	c.furnish(s)
	args := slices.Concat(s.image.entrypoint, s.image.command)
	switch { // another entrypoint comes without the image's command
	case s.Entrypoint != nil:
		args = slices.Concat(s.Entrypoint, s.Command)
	case s.Command != nil:
		args = slices.Concat(s.image.entrypoint, s.Command)
	}
	s.command = c.program(c.Context(), s, args)
	s.command.Stdout, s.command.Stderr = s.log, s.log
	if err := s.command.Start(); err != nil {
		c.Fatalf("%s: %v", name, err)
	}
	c.started = append(c.started, s)
	go func() { _ = s.command.Wait(); close(s.ended) }()
}

// furnish makes what the service needs: its volumes, its files and its variables.
func (c *composeRun) furnish(s *composeProcess) {
	c.Helper()
	s.image = c.image(s)
	if s.HealthCheck == nil {
		s.HealthCheck = s.image.healthCheck
	}
	paths, volumes, files := slices.Clone(s.image.paths), map[string]string{}, map[string]string{}
	for _, v := range s.Volumes {
		m := composeMount.FindStringSubmatch(v)
		source, target := filepath.Join(c.folder, "volumes", m[1]), m[2]
		if strings.HasPrefix(m[1], "./") {
			source = filepath.Join(c.folder, s.name+"-"+filepath.Base(m[1]))
			files[source] = releaseFile(c.T, m[1])
		} else if err := os.MkdirAll(source, 0o755); err != nil {
			c.Fatal(err)
		}
		volumes[target] = source
		paths = append(paths, target, source)
	}
	if volumes[s.image.data] == "" {
		c.Fatalf("%s has no volume at %s, so what it writes there is lost when its container is made anew", s.name, s.image.data)
	}
	s.inHere = c.translator(s.name, paths)
	for name, text := range files {
		if err := os.WriteFile(name, []byte(s.image.head+s.inHere(text)), 0o600); err != nil {
			c.Fatal(err)
		}
	}
	variables := maps.Clone(s.image.environment)
	for name, value := range s.Environment {
		if s.image.known != nil && !slices.Contains(s.image.known, name) {
			c.Errorf("%s: nothing reads the variable %s", s.name, name)
		}
		variables[name] = value
	}
	s.environment = slices.Clone(s.image.machine)
	for name, value := range variables {
		s.environment = append(s.environment, name+"="+s.inHere(value))
	}
	if s.Image == postgresImage {
		c.preparePostgres(s, volumes[s.image.data])
	}
}

// translator returns a function that replaces, in what the compose file says about the
// service, addresses and paths by those of this machine.
func (c *composeRun) translator(service string, paths []string) func(string) string {
	hosts := strings.Join(slices.Sorted(maps.Keys(c.file.Services)), "|")
	// Without a host, or with one of these two, it is an address of the service itself.
	address := regexp.MustCompile(`(^|[\s/@=])(` + hosts + `|0\.0\.0\.0|127\.0\.0\.1|):(\d+)\b`)
	network := c.file.Networks.Default.IPAM.Config[0].Subnet.String()
	replacer := strings.NewReplacer(append(paths, network, "127.0.0.1/32")...)
	return func(text string) string {
		return address.ReplaceAllStringFunc(replacer.Replace(text), func(found string) string {
			m := address.FindStringSubmatch(found)
			if c.file.Services[m[2]] == nil {
				m[2] = service
			}
			return m[1] + c.address(m[2], m[3])
		})
	}
}

// program returns the command that runs a program in the service.
func (c *composeRun) program(ctx context.Context, s *composeProcess, args []string) *exec.Cmd {
	c.Helper()
	here := make([]string, len(args))
	for i, arg := range args {
		here[i] = s.inHere(arg)
	}
	command, err := s.image.program(ctx, here[0], here[1:]...)
	if err != nil {
		c.Fatalf("%s: %v", s.name, err)
	}
	command.Dir, command.Env, command.WaitDelay = c.folder, s.environment, time.Second
	return command
}

// awaitHealth waits until the health check of the service succeeds, if it has one.
func (c *composeRun) awaitHealth(s *composeProcess) {
	c.Helper()
	if s.HealthCheck == nil {
		return
	}
	for deadline := time.Now().Add(composePatience); ; {
		out, err := c.health(s)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			c.Fatalf("%s is unhealthy: %v: %s", s.name, err, out)
		}
		select {
		case <-s.ended:
			c.Fatalf("%s has ended by itself: %v", s.name, s.command.ProcessState)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (c *composeRun) health(s *composeProcess) (out []byte, err error) {
	ctx, cancel := context.WithTimeout(c.Context(), cmp.Or(s.HealthCheck.Timeout, 30*time.Second))
	defer cancel()
	return c.program(ctx, s, s.HealthCheck.Test[1:]).CombinedOutput()
}

// stop stops a service as docker compose stop does, unless that was done. It must end in
// time and with status 0.
func (c *composeRun) stop(s *composeProcess) {
	c.Helper()
	if s.stopped {
		return
	}
	s.stopped = true
	select {
	case <-s.ended:
		c.Fatalf("%s has ended by itself: %v", s.name, s.command.ProcessState)
	default:
	}
	if err := s.command.Process.Signal(s.image.stop); err != nil {
		c.Fatalf("%s: %v", s.name, err)
	}
	select {
	case <-s.ended:
	case <-time.After(cmp.Or(s.StopGracePeriod, 10*time.Second)):
		c.Fatalf("%s does not stop in time", s.name)
	}
	if status := s.command.ProcessState.ExitCode(); status != 0 {
		c.Errorf("%s: the exit status after a stop is %d", s.name, status)
	}
}

// apps returns the processes that serve the app.
func (c *composeRun) apps() []*composeProcess {
	return slices.DeleteFunc(slices.Clone(c.started), func(s *composeProcess) bool { return s.Image != "dailies" || s.Command != nil })
}

// person returns a person who comes from personAddress to the published ports of the proxy
// and trusts its certificate authority.
func (c *composeRun) person() *person {
	c.Helper()
	var authority []byte
	var err error
	for deadline := time.Now().Add(composePatience); ; time.Sleep(20 * time.Millisecond) {
		authority, err = os.ReadFile(filepath.Join(c.folder, "volumes", "proxy", "caddy", "pki", "authorities", "local", "root.crt"))
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			c.Fatal(err)
		}
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(authority) {
		c.Fatal("the proxy's certificate authority cannot be read")
	}
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(personAddress)}}
	p := newPerson(composeURL, "Kim")
	p.client.Transport = fromPages{&http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address) // the only host is the proxy
			for _, published := range c.file.Services["proxy"].Ports {
				if m := composePort.FindStringSubmatch(published); m[1] == port {
					return dialer.DialContext(ctx, network, c.address("proxy", m[2]))
				}
			}
			return nil, fmt.Errorf("the port %s is not published", port)
		},
	}}
	return p
}

// fromPages sends requests as a browser does from pages of the app.
type fromPages struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (f fromPages) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Origin", composeURL)
	return f.RoundTripper.RoundTrip(r)
}

// signsUp follows the link of the logs, makes an account and saves the sandbox's key.
func (c *composeRun) signsUp(p *person, token string) {
	c.Helper()
	link := composeURL + "/setup?token=" + token
	for _, app := range c.apps() {
		if said := app.log.String(); !strings.Contains(said, link) {
			c.Errorf("the log of %s has no link to begin with", app.name)
		} else if strings.Contains(said, "is not a setting") {
			c.Errorf("%s is given what is no setting", app.name)
		}
	}
	answer, err := p.client.Get(strings.Replace(link, "https:", "http:", 1))
	if err != nil {
		c.Fatal(err)
	}
	answer.Body.Close()
	if at := answer.Request.URL.String(); at != link || answer.StatusCode != http.StatusOK {
		c.Fatalf("without https, the link leads to %s: %s", at, answer.Status)
	}
	if _, err := p.post("/setup?token="+token, p.account()); err != nil {
		c.Fatal(err)
	}
	if !slices.ContainsFunc(c.apps(), func(s *composeProcess) bool { return strings.Contains(s.log.String(), "address="+personAddress) }) {
		c.Errorf("no app has logged that the first account was made from %s", personAddress)
	}
	key := regexp.MustCompile(`The first API key.*: (sk-\w+)`).FindStringSubmatch(c.process("sandbox").log.String())
	if key == nil {
		c.Fatal("the sandbox has logged no key")
	}
	if page, err := p.post("/settings/key", url.Values{"key": {key[1]}}); err != nil {
		c.Fatalf("%v: %s", err, page)
	}
}

// avoidsWhatIsNotReady puts a server in the place of a stopped app that says that it is not
// ready. The proxy must ask it nothing else.
func (c *composeRun) avoidsWhatIsNotReady(p *person, app *composeProcess) {
	c.Helper()
	var probes, others atomic.Int64
	unready := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			probes.Add(1)
		} else {
			others.Add(1)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	at, err := net.Listen("tcp", app.inHere("0.0.0.0:8080"))
	if err != nil {
		c.Fatal(err)
	}
	unready.Listener.Close()
	unready.Listener = at
	unready.Start()
	defer unready.Close()
	for deadline := time.Now().Add(composePatience); probes.Load() < 2; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.Fatal("the proxy does not ask whether the apps are ready")
		}
	}
	for range 20 {
		if _, err := p.get("/healthz"); err != nil {
			c.Error(err)
		}
	}
	if n := others.Load(); n > 0 {
		c.Errorf("an app that is not ready gets %d requests", n)
	}
}

// receives waits until the page of the video plays it, and looks for the same bytes in the
// bucket.
func (c *composeRun) receives(p *person, video string) {
	c.Helper()
	playing := regexp.MustCompile(`<video[^>]* src="(/media/\d+)"`)
	var found []string
	for deadline := time.Now().Add(composePatience); found == nil; time.Sleep(100 * time.Millisecond) {
		page, err := p.get(video)
		if err != nil {
			c.Fatal(err)
		}
		if found = playing.FindStringSubmatch(page); found == nil && time.Now().After(deadline) {
			c.Fatalf("the page of the video plays none: %.3000s", page)
		}
	}
	answer, err := p.client.Get(composeURL + found[1])
	if err != nil {
		c.Fatal(err)
	}
	defer answer.Body.Close()
	film, err := io.ReadAll(answer.Body)
	if err != nil {
		c.Fatal(err)
	}
	// In WebM the first four bytes are those of EBML, in MP4 the next four are ftyp.
	if len(film) < 1000 || !strings.HasPrefix(string(film), "\x1a\x45\xdf\xa3") && string(film[4:8]) != "ftyp" {
		c.Fatalf("%s is no film: %.100q", found[1], film)
	}
	errFound := errors.New("found")
	err = filepath.WalkDir(filepath.Join(c.folder, "volumes", "storage", "dailies"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if content, err := os.ReadFile(name); err != nil || string(content) == string(film) {
			return cmp.Or(err, errFound)
		}
		return nil
	})
	if !errors.Is(err, errFound) {
		c.Errorf("the video is not in the bucket: %v", err)
	}
}

// Images of others are known as far as a compose file depends on them, from their sources:
//
//	caddy      https://github.com/caddyserver/caddy-docker/blob/0379cde2647584e89fa3a7e9a587b3d25845f49c/2.11/alpine/Dockerfile
//	postgres   https://github.com/docker-library/postgres/blob/6edb0a8c4d/17/trixie/Dockerfile and docker-entrypoint.sh beside it
//	versitygw  Dockerfile in its Go module; .github/workflows/docker.yml names the image and its tags
const (
	caddyImage    = "docker.io/library/caddy:2"
	postgresImage = "docker.io/library/postgres:17"
	gatewayImage  = "ghcr.io/versity/versitygw:" // followed by the version
)

// image returns what the test runs in place of the image of the service.
func (c *composeRun) image(s *composeProcess) composeImage {
	c.Helper()
	switch {
	case s.Image == "dailies":
		return c.ownImage()
	case s.Image == caddyImage:
		programs := c.programs(s.name, scopetest.Tool(c, "caddy", "caddy"))
		_, http, _ := net.SplitHostPort(c.address(s.name, "80"))
		_, https, _ := net.SplitHostPort(c.address(s.name, "443"))
		var known []string
		for _, m := range regexp.MustCompile(`\{\$(\w+)`).FindAllStringSubmatch(releaseFile(c.T, "Caddyfile"), -1) {
			known = append(known, m[1])
		}
		return composeImage{
			command: []string{"caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"}, stop: syscall.SIGTERM,
			environment: map[string]string{"XDG_CONFIG_HOME": "/config", "XDG_DATA_HOME": "/data"}, known: known,
			machine: []string{"PATH=" + programs, "HOME=" + c.folder}, program: among(programs),
			data: "/data", paths: []string{"/config", filepath.Join(c.folder, "config")},
			head: fmt.Sprintf("{\n\tadmin off\n\tskip_install_trust\n\tdefault_bind 127.0.0.1\n\thttp_port %s\n\thttps_port %s\n"+
				"\tservers {\n\t\tprotocols h1 h2\n\t}\n}\n", http, https),
		}
	case s.Image == postgresImage:
		const data = "/var/lib/postgresql/data"
		here := filepath.Join(c.folder, "volumes", "database")
		_, port, _ := net.SplitHostPort(c.address(s.name, "5432"))
		return composeImage{
			command: []string{"postgres"}, stop: syscall.SIGINT, data: data, known: []string{"POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB"},
			environment: map[string]string{"PGDATA": data}, machine: []string{"PGPORT=" + port, "PGHOST=" + here, "PATH=" + os.Getenv("PATH")},
			program: func(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
				return postgrestest.Program(ctx, here, name, args...)
			},
		}
	case strings.HasPrefix(s.Image, gatewayImage):
		gateway := scopetest.Installed("DAILIES_VERSITYGW", "versitygw")
		if gateway == "" {
			gateway = scopetest.Tool(c, "versitygw", "versitygw")
		}
		if info, err := buildinfo.ReadFile(gateway); err != nil || info.Main.Version != strings.TrimPrefix(s.Image, gatewayImage) {
			c.Errorf("%s is not the version of %s: %v", gateway, s.Image, err)
		}
		programs, notes := c.programs(s.name), filepath.Join(c.folder, "notes")
		if err := os.Mkdir(notes, 0o755); err != nil {
			c.Fatal(err)
		}
		return composeImage{
			entrypoint: []string{"/usr/local/bin/docker-entrypoint.sh"}, stop: syscall.SIGTERM,
			known: []string{"ROOT_ACCESS_KEY", "ROOT_SECRET_KEY"},
			// Not every file system has the extended attributes that it would use otherwise.
			environment: map[string]string{}, machine: []string{"PATH=" + programs, "HOME=" + c.folder, "VGW_META_SIDECAR=" + notes},
			data: "/buckets", program: among(programs),
			paths: []string{"/usr/local/bin/versitygw", gateway, "/bin/sh", filepath.Join(programs, "sh")},
		}
	}
	c.Fatalf("%s: nothing is known of the image %s", s.name, s.Image)
	return composeImage{}
}

// ownImage returns what the Containerfile says.
func (c *composeRun) ownImage() composeImage {
	c.Helper()
	binary, err := binary()
	if err != nil {
		c.Fatal(err)
	}
	image := composeImage{environment: map[string]string{}, stop: syscall.SIGTERM, program: among("")}
	said := releaseFile(c.T, "Containerfile")
	words := func(instruction string) (words []string) {
		m := regexp.MustCompile(`(?m)^` + instruction + `(\S.*)$`).FindStringSubmatch(said)
		if m == nil {
			c.Fatalf("the Containerfile has no %s", instruction)
		}
		if json.Unmarshal([]byte(m[1]), &words) != nil {
			words = strings.Fields(m[1])
		}
		return words
	}
	for _, pair := range words("ENV ") {
		name, value, _ := strings.Cut(pair, "=")
		image.environment[name] = value
	}
	image.entrypoint, image.data = words("ENTRYPOINT "), words("VOLUME ")[0]
	image.healthCheck = &healthCheck{Test: append([]string{"CMD"}, words("HEALTHCHECK .* CMD ")...)}
	image.paths = []string{"/usr/bin/dailies", binary}
	return image
}

// programs makes a folder with the programs and those of busybox, which are all that an
// image of Alpine has, and returns its path.
func (c *composeRun) programs(service string, programs ...string) string {
	c.Helper()
	folder := filepath.Join(c.folder, service+"-programs")
	err := os.Mkdir(folder, 0o755)
	if err == nil {
		err = exec.CommandContext(c.Context(), scopetest.Tool(c, "busybox", "busybox"), "--install", "-s", folder).Run()
	}
	for _, program := range programs {
		err = errors.Join(err, os.Symlink(program, filepath.Join(folder, filepath.Base(program))))
	}
	if err != nil {
		c.Fatal(err)
	}
	return folder
}

// among returns a function that runs programs of the folder, and those given by their path.
func among(folder string) func(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	return func(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(folder, name)
		}
		return exec.CommandContext(ctx, name, args...), nil
	}
}

// preparePostgres does what the image does with a new volume: it makes the files with a
// server that answers only on a socket. The health check must not succeed meanwhile.
func (c *composeRun) preparePostgres(s *composeProcess, data string) {
	c.Helper()
	run := func(args ...string) {
		if out, err := c.program(c.Context(), s, args).CombinedOutput(); err != nil {
			c.Fatalf("%s: %v: %s", args[0], err, out)
		}
	}
	if _, err := s.image.program(c.Context(), data, "postgres"); errors.Is(err, postgrestest.ErrMissing) {
		scopetest.Missing(c, "postgresql")
	}
	user, password := cmp.Or(s.Environment["POSTGRES_USER"], "postgres"), filepath.Join(c.folder, "password")
	if err := os.WriteFile(password, []byte(s.Environment["POSTGRES_PASSWORD"]), 0o644); err != nil {
		c.Fatal(err)
	}
	run("initdb", "--username", user, "--pwfile", password, "--auth-local", "trust", "--auth-host", "scram-sha-256", "--no-sync")
	settings, err := os.OpenFile(filepath.Join(data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = fmt.Fprintf(settings, "unix_socket_directories = '%s'\nfsync = off\n", data)
		err = errors.Join(err, settings.Close())
	}
	if err != nil {
		c.Fatal(err)
	}
	run("pg_ctl", "-o", "-c listen_addresses=", "-l", filepath.Join(data, "log"), "-w", "start")
	if out, err := c.health(s); err == nil {
		c.Errorf("%s counts as healthy while the image prepares its volume: %s", s.name, out)
	}
	run("createdb", "--username", user, cmp.Or(s.Environment["POSTGRES_DB"], user))
	run("pg_ctl", "-m", "fast", "-w", "stop")
}
