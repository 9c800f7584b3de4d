package e2e

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestUnusableSettingIsOneLineAndStatus2(t *testing.T) {
	t.Parallel()
	for _, arguments := range [][]string{
		{"-nothing"}, {"-poll", "soon"}, {"-poll", "1ns"}, {"-addr", "here"}, {"-api-url", "ftp://example.com"},
		{"-public-url", "example"}, {"-catalog", "main_test.go"}, {"-catalog", "missing.toml"}, {"-data", ""}, {"serve"},
	} {
		status, said := ask(t, append([]string{"-data", t.TempDir()}, arguments...)...)
		if status != 2 || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "dailies: ") {
			t.Errorf("%v: status %d and %q, want status 2 and one line", arguments, status, said)
		}
	}
}

func TestHelpNamesEverySetting(t *testing.T) {
	t.Parallel()
	status, said := ask(t, "-h")
	if status != 0 {
		t.Errorf("-h ends with status %d", status)
	}
	for _, name := range strings.Fields("addr data api-url public-url setup-token secret poll allow-private metrics-addr catalog") {
		if !strings.Contains(said, "-"+name) {
			t.Errorf("-h does not explain -%s", name)
		}
	}
}

// ask runs the program until it exits by itself, and returns its status and output.
func ask(t *testing.T, arguments ...string) (status int, said string) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out bytes.Buffer
	command := exec.CommandContext(ctx, path, arguments...)
	command.Env = environ()
	command.Stdout, command.Stderr, command.WaitDelay = &out, &out, time.Second
	err = command.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatalf("%v: %v", arguments, err)
	}
	return command.ProcessState.ExitCode(), out.String()
}
