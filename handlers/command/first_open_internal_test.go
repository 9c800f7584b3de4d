package command

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/handlers/config"
)

func TestABrowserIsOpenedOnlyForSomebodyAtTheScreen(t *testing.T) {
	for name, tt := range map[string]struct {
		system string
		env    map[string]string
		file   string
		pipe   bool
		want   bool
	}{
		"Linux with X":              {system: "linux", env: map[string]string{"DISPLAY": ":0"}, want: true},
		"Linux with Wayland":        {system: "linux", env: map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, want: true},
		"Linux without a display":   {system: "linux"},
		"a Mac":                     {system: "darwin", want: true},
		"Windows":                   {system: "windows", want: true},
		"a log in a file":           {system: "darwin", pipe: true},
		"from far away":             {system: "darwin", env: map[string]string{"SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"}},
		"tests":                     {system: "linux", env: map[string]string{"DISPLAY": ":0", "CI": "true"}},
		"systemd":                   {system: "linux", env: map[string]string{"DISPLAY": ":0", "INVOCATION_ID": "x", "SYSTEMD_EXEC_PID": "7"}},
		"an older systemd":          {system: "linux", env: map[string]string{"DISPLAY": ":0", "INVOCATION_ID": "x"}},
		"systemd that is told":      {system: "linux", env: map[string]string{"DISPLAY": ":0", "NOTIFY_SOCKET": "/run/x"}},
		"a terminal of systemd":     {system: "linux", env: map[string]string{"DISPLAY": ":0", "INVOCATION_ID": "x", "SYSTEMD_EXEC_PID": "6"}, want: true},
		"a container of Docker":     {system: "linux", env: map[string]string{"DISPLAY": ":0"}, file: "/.dockerenv"},
		"a container of Podman":     {system: "linux", env: map[string]string{"DISPLAY": ":0"}, file: "/run/.containerenv"},
		"a container of systemd":    {system: "linux", env: map[string]string{"DISPLAY": ":0", "container": "systemd-nspawn"}},
		"a container of Kubernetes": {system: "linux", env: map[string]string{"DISPLAY": ":0", "KUBERNETES_SERVICE_HOST": "10.0.0.1"}},
	} {
		d := startedFrom{
			system: tt.system, process: 7, terminal: !tt.pipe,
			value:  func(name string) string { return tt.env[name] },
			exists: func(path string) bool { return path == tt.file },
		}
		if got := d.isAttended(); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// start runs the app in the folder until the function that it returns is called. opened
// gets the files that are opened in a browser.
func start(t *testing.T, dir string, opened chan string, args ...string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	log := &ready{is: make(chan struct{})}
	p := program{
		Source: config.Source{Args: append([]string{"-addr", "127.0.0.1:0", "-data", dir}, args...), Help: io.Discard}, stdout: io.Discard, stderr: log,
		isAttended: func() bool { return true },
		open:       func(path string) error { opened <- path; return nil },
	}
	ended := make(chan error, 1)
	go func() { ended <- p.run(ctx) }()
	select {
	case <-log.is:
	case err := <-ended:
		t.Fatal(err)
	case <-time.After(time.Minute):
		t.Fatal("it does not start")
	}
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// ready notices when the log says that the app is.
type ready struct {
	mu   sync.Mutex
	text strings.Builder
	once sync.Once
	is   chan struct{}
}

func (r *ready) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.Write(p)
	if strings.Contains(r.text.String(), "Dailies is ready") {
		r.once.Do(func() { close(r.is) })
	}
	return len(p), nil
}

func TestTheFirstPageOpensByItself(t *testing.T) {
	dir, opened := t.TempDir(), make(chan string, 1)
	stop := start(t, dir, opened)
	path := <-opened
	info, err := os.Stat(path)
	if err != nil || filepath.Dir(path) != dir || info.Mode().Perm() != 0o600 || strings.Contains(path, "token") {
		t.Errorf("%s, %v: %v", path, info.Mode(), err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`(?:url=|href=")([^"]+)"`).FindAllStringSubmatch(string(page), -1)
	if len(links) != 2 || links[0][1] != links[1][1] {
		t.Fatalf("%s", page)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	link := links[0][1]
	browser := &http.Client{Jar: jar, Timeout: time.Minute}
	form := map[string][]string{"name": {"Kim"}, "email": {"kim@example.com"}, "password": {"a long enough one"}}
	for _, ask := range []func() (*http.Response, error){
		func() (*http.Response, error) { return browser.Get(link) },
		func() (*http.Response, error) { return browser.PostForm(link, form) },
	} {
		r, err := ask()
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", r.Request.URL.Path, r.Status)
		}
	}
	stop()
	if _, err := os.Stat(path); err == nil {
		t.Error("the file with the link stays")
	}
	stop = start(t, dir, opened)
	stop()
	if len(opened) > 0 {
		t.Error("it is opened although there is an account")
	}
}

func TestNoPageIsOpenedAgainstTheSetting(t *testing.T) {
	opened := make(chan string, 1)
	start(t, t.TempDir(), opened, "-open=false")()
	if len(opened) > 0 {
		t.Error("it is opened")
	}
}

func TestTheAddressOfAFileIsThatOfItsPath(t *testing.T) {
	for path, want := range map[string]string{"/home/kim/data/open.html": "file:///home/kim/data/open.html", "/a b/#1/50%/open.html": "file:///a%20b/%231/50%25/open.html"} {
		if got, err := fileURL(path); got != want || err != nil {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
}

func TestAPageThatCannotBeWrittenDoesNotKeepTheAppFromStarting(t *testing.T) {
	dir, opened := t.TempDir(), make(chan string, 1)
	if err := os.MkdirAll(filepath.Join(dir, setupFile+".begun", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	start(t, dir, opened)()
	if len(opened) > 0 {
		t.Error("a page that is not there was opened")
	}
}
