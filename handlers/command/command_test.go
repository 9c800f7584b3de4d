package command_test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/handlers/command"
)

// output is a buffer that several goroutines may write to.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// run runs a command until it ends.
func run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs output
	status = command.Run(t.Context(), args, nil, &out, &errs)
	return status, out.String(), errs.String()
}

func TestExitStatusAndOneLineSayWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	for _, c := range []struct {
		status int
		line   string
		args   []string
	}{
		{2, "-nope", []string{"-nope"}},
		{2, `"extra" is not a setting`, []string{"extra"}},
		{2, "no such file", []string{"-catalog", missing}},
		{2, "-nope", []string{"sandbox", "-nope"}},
		{2, "-queries 0 cannot be used; it takes from 1 to 100000", []string{"-queries", "0"}},
		{2, "-queries 100001 cannot be used", []string{"-queries", "100001"}},
		{2, "-session-max 1m0s cannot be used; it takes from 5m to 2160h", []string{"-session-max", "1m"}},
		{2, "-session-max 2161h0m0s cannot be used", []string{"-session-max", "2161h"}},
		{2, "-forget-sealed", []string{"-forget-sealed=perhaps"}},
		{2, "-fault:", []string{"sandbox", "-data", dir, "-fault", "x"}},
		{2, "-results:", []string{"sandbox", "-data", dir, "-results", "x"}},
		{2, "needs the name of a file", []string{"backup", "-data", dir}},
		{2, "names both", []string{"backup", "a.zip", "-into", dir, "-data", dir}},
		{2, "-keep needs -into", []string{"backup", "a.zip", "-keep", "3", "-data", dir}},
		{2, "-keep -1 cannot be used", []string{"backup", "-into", dir, "-keep", "-1", "-data", dir}},
		{1, "is no data folder", []string{"backup", "-into", filepath.Join(dir, "backups"), "-keep", "3", "-data", missing}},
		{2, "needs an e-mail address", []string{"password", "-data", dir}},
		{2, "-nope", []string{"healthcheck", "-nope"}},
		{2, "names no port", []string{"healthcheck", "-addr", "127.0.0.1:0"}},
		{2, "is not an address", []string{"healthcheck", "-addr", "127.0.0.1"}},
		{1, "", []string{"restore", missing, "-data", filepath.Join(dir, "new")}},
		{1, "", []string{"check", "-data", missing}},
		{1, "", []string{"password", "kim@example.com", "-data", missing}},
		{1, "listen", []string{"-data", filepath.Join(dir, "app"), "-addr", "192.0.2.1:1"}},
	} {
		status, stdout, stderr := run(t, c.args...)
		last := stderr[strings.LastIndex(strings.TrimSuffix(stderr, "\n"), "\n")+1:]
		if status != c.status || !strings.HasPrefix(last, "dailies: ") || !strings.Contains(last, c.line) {
			t.Errorf("%q: status %d, %q, %q", c.args, status, stdout, stderr)
		}
		if c.status == 2 && stderr != last {
			t.Errorf("%q: more than one line: %q", c.args, stderr)
		}
	}
}

func TestUnusableVariablesEndTheProgramWithStatus2(t *testing.T) {
	for variable, line := range map[string]string{
		"DAILIES_QUERIES=0": "-queries 0 cannot be used", "DAILIES_QUERIES=many": "DAILIES_QUERIES has a value that cannot be used", "DAILIES_SESSION_MAX=4m": "-session-max 4m0s cannot be used",
		"DAILIES_SESSION_MAX=12": "it takes a number with its unit", "DAILIES_FORGET_SEALED=perhaps": "DAILIES_FORGET_SEALED has a value that cannot be used: it takes true or false",
	} {
		var out, errs output
		status := command.Run(t.Context(), []string{"-data", t.TempDir()}, []string{variable}, &out, &errs)
		if said := errs.String(); status != 2 || !strings.Contains(said, line) || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: status %d, %q", variable, status, said)
		}
	}
}

func TestHelpIsNoFailure(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"sandbox", "-h"}, {"backup", "-h"}, {"password", "-h"}, {"config", "-h"}, {"config", "check", "-h"}, {"healthcheck", "-h"}, {"user", "-h"}, {"user", "add", "-h"}, {"user", "deactivate", "kim@example.com", "-h"}} {
		if status, _, stderr := run(t, args...); status != 0 || !strings.Contains(stderr, "Usage:") || strings.Contains(stderr, "dailies: ") {
			t.Errorf("%q: status %d, %q", args, status, stderr)
		}
	}
}

var address = regexp.MustCompile(`ready",?.*?address"?[=:]"?(http://[^\s"]+)`)

// start runs a command that serves. It returns the command's URL, its standard error
// output, and a function that stops it and returns its exit status.
func start(t *testing.T, args ...string) (base string, stderr *output, stop func() int) {
	t.Helper()
	return startWith(t, nil, args...)
}

// startWith is like start, with an environment.
func startWith(t *testing.T, environ []string, args ...string) (base string, stderr *output, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stderr = &output{}
	ended := make(chan int, 1)
	go func() { ended <- command.Run(ctx, args, environ, &output{}, stderr) }()
	t.Cleanup(cancel)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if found := address.FindStringSubmatch(stderr.String()); found != nil {
			if answer, err := http.Get(found[1] + "/healthz"); err == nil { // it serves only after everything is printed
				answer.Body.Close()
				return found[1], stderr, func() int { cancel(); return <-ended }
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("%q is not ready: %s", args, stderr)
		}
	}
}

func TestServesUntilItIsAskedToStop(t *testing.T) {
	dir := t.TempDir()
	base, stderr, stop := start(t, "-data", dir, "-addr", "127.0.0.1:0")
	answer, err := http.Get(base + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK || !strings.Contains(stderr.String(), base+"/setup?token=") {
		t.Errorf("got %s; %s", answer.Status, stderr)
	}
	if status, _, second := run(t, "-data", dir, "-addr", "127.0.0.1:0"); status != 1 || !strings.Contains(second, "in use by another Dailies") {
		t.Errorf("a second program in the same folder: status %d, %s", status, second)
	}
	if status := stop(); status != 0 {
		t.Errorf("status %d: %s", status, stderr)
	}
	if status, _, said := run(t, "check", "-data", dir); status != 0 {
		t.Errorf("status %d: %s", status, said)
	}
}

func TestStoppedWhileItStartsIsNoFailure(t *testing.T) {
	for _, args := range [][]string{{"-data", t.TempDir(), "-addr", "127.0.0.1:0"}, {"sandbox", "-data", t.TempDir(), "-addr", "127.0.0.1:0"}} {
		ctx, stop := context.WithCancel(t.Context())
		stop()
		var errs output
		if status := command.Run(ctx, args, nil, &output{}, &errs); status != 0 {
			t.Errorf("%q: status %d: %s", args, status, errs.String())
		}
	}
}

func TestVersionIsThatOfTheBuild(t *testing.T) {
	for _, name := range []string{"version", "-version", "--version"} {
		status, stdout, stderr := run(t, name)
		want := regexp.MustCompile(`^dailies \S+\ncommit \S+\n` + runtime.Version() + ` ` + runtime.GOOS + `/` + runtime.GOARCH + `\n$`)
		if status != 0 || stderr != "" || !want.MatchString(stdout) {
			t.Errorf("%s: status %d, %q, %q", name, status, stdout, stderr)
		}
	}
}

func TestSandboxPrintsItsKeyOnce(t *testing.T) {
	dir := t.TempDir()
	for first := true; ; first = false {
		base, stderr, stop := start(t, "sandbox", "-data", dir, "-addr", "127.0.0.1:0")
		asked := &output{}
		if status := command.Run(t.Context(), []string{"healthcheck", "-addr", strings.TrimPrefix(base, "http://")}, nil, &output{}, asked); status != 0 {
			t.Errorf("its health is checked with status %d: %s", status, asked)
		}
		if status := stop(); status != 0 {
			t.Errorf("status %d: %s", status, stderr)
		}
		if printed := strings.Contains(stderr.String(), "shown only now: sk-"); printed != first {
			t.Errorf("first start %t: %s", first, stderr)
		}
		if !first {
			return
		}
	}
}

func TestHealthcheckAsksTheRunningProgram(t *testing.T) {
	base, _, stop := start(t, "-data", t.TempDir(), "-addr", "127.0.0.1:0")
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	want := base + "/healthz answered 200 OK\n"
	for _, host := range []string{"127.0.0.1", "0.0.0.0", "[::]", ""} {
		if status, stdout, stderr := run(t, "healthcheck", "-addr", host+":"+port); status != 0 || stdout != want || stderr != "" {
			t.Errorf("%q: status %d, %q, %q", host, status, stdout, stderr)
		}
	}
	environment := []string{"DAILIES_ADDR=0.0.0.0:" + port}
	var out, errs output
	if status := command.Run(t.Context(), []string{"healthcheck"}, environment, &out, &errs); status != 0 || out.String() != want {
		t.Errorf("by the environment: status %d, %q, %q", status, out.String(), errs.String())
	}
	stop()
	status, stdout, stderr := run(t, "healthcheck", "-addr", "127.0.0.1:"+port)
	if status != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "does not answer") {
		t.Errorf("after the end: status %d, %q, %q", status, stdout, stderr)
	}
}

func TestHealthcheckAcceptsNeitherARedirectNorAnErrorStatus(t *testing.T) {
	well := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer well.Close()
	answers := http.Handler(http.RedirectHandler(well.URL, http.StatusFound))
	ill := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answers.ServeHTTP(w, r) }))
	defer ill.Close()
	for _, said := range []string{"302 Found", "503 Service Unavailable"} {
		status, stdout, stderr := run(t, "healthcheck", "-addr", ill.Listener.Addr().String())
		if status != 1 || stdout != "" || !strings.Contains(stderr, "answered "+said) {
			t.Errorf("status %d, %q, %q", status, stdout, stderr)
		}
		answers = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	}
}

func TestHealthcheckDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var calls atomic.Int32
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			defer conn.Close() // without an answer
			calls.Add(1)
		}
	}()
	status, _, stderr := run(t, "healthcheck", "-addr", silent.Addr().String())
	silent.Close()
	<-accepting
	if n := calls.Load(); status != 1 || !strings.Contains(stderr, "did not answer within 3s") || n != 1 {
		t.Errorf("status %d after %d calls: %q", status, n, stderr)
	}
}
