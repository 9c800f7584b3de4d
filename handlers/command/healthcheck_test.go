package command_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dailies/handlers/command"
)

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
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	begun := time.Now()
	status, _, stderr := run(t, "healthcheck", "-addr", silent.Addr().String())
	if status != 1 || !strings.Contains(stderr, "did not answer within 3s") || time.Since(begun) > 20*time.Second {
		t.Errorf("status %d after %s: %q", status, time.Since(begun), stderr)
	}
}
