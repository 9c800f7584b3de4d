// Package command holds the commands of the program, one file for each. Only this
// package knows all the others.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"dailies/db/audit"
	"dailies/handlers/config"
	"dailies/web"
)

// program holds the arguments, environment and output of one run of a command.
type program struct {
	config.Source
	stdout, stderr io.Writer

	isAttended func() bool             // somebody has started it who sees this machine's screen
	open       func(path string) error // opens a file in that person's browser
}

// Run runs the command that args name, without the program's own name, until it
// is done or ctx ends. It returns the exit status: 0, 1 after a failure, or 2 if
// the settings cannot be used. environ has NAME=value, as from os.Environ.
func Run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	p := program{Source: config.Source{Args: args, Environ: environ, Help: stderr}, stdout: stdout, stderr: stderr, open: openInBrowser}
	p.isAttended = p.startedFrom().isAttended
	err := p.run(ctx)
	if err == nil || errors.Is(err, config.ErrHelp) {
		return 0
	}
	if !errors.As(err, &logged{}) {
		fmt.Fprintln(stderr, "dailies:", err)
	}
	if errors.As(err, &unusable{}) {
		return 2
	}
	return 1
}

func (p program) run(ctx context.Context) error {
	if len(p.Args) == 0 {
		return p.serve(ctx)
	}
	rest := p
	rest.Args = p.Args[1:]
	rest.Note = func(sentence string) { fmt.Fprintln(p.stderr, "dailies: note:", sentence) }
	if p.Args[0] != "sandbox" { // which is no part of the service
		rest.Installed = config.InstalledEnv
	}
	served, ctx := ctx, audit.Acting(ctx, audit.Actor{Name: audit.CommandLine})
	switch name := p.Args[0]; name {
	case "sandbox":
		return with(ctx, rest, config.ParseSandbox, rest.sandbox)
	case string(config.Check), string(config.Backup), string(config.Restore):
		parse := func(s config.Source) (config.Upkeep, error) { return config.ParseUpkeep(config.Command(name), s) }
		return with(ctx, rest, parse, rest.upkeep)
	case "move":
		return with(ctx, rest, config.ParseMove, rest.move)
	case "reseal":
		return with(ctx, rest, config.ParseReseal, rest.reseal)
	case "password":
		return with(ctx, rest, config.ParsePassword, rest.password)
	case "config":
		return rest.configCheck(ctx)
	case "user":
		return with(ctx, rest, config.ParseUser, rest.user)
	case "healthcheck":
		return with(ctx, rest, config.ParseHealthcheck, rest.healthcheck)
	case "man":
		return config.Manual(p.stdout)
	case "version", "-version", "--version":
		return p.version()
	}
	return p.serve(served)
}

// with parses the settings of a command, and runs it.
func with[Settings any](ctx context.Context, p program, parse func(config.Source) (Settings, error),
	command func(context.Context, Settings) error) error {
	c, err := parse(p.Source)
	if err != nil {
		return settings(err)
	}
	return command(ctx, c)
}

// An unusable error means that the settings cannot be used.
type unusable struct{ error }

// Unwrap returns the wrapped error.
func (u unusable) Unwrap() error { return u.error }

// settings marks a non-nil error as one of the settings.
func settings(err error) error {
	if err == nil {
		return nil
	}
	return unusable{err}
}

// A logged error has been written to the log.
type logged struct{ error }

// Unwrap returns the wrapped error.
func (l logged) Unwrap() error { return l.error }

// log returns a log in the format. A verbose one contains every request.
func (p program) log(format config.LogFormat, verbose bool) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if verbose {
		options.Level = slog.LevelDebug
	}
	if format != config.JSONLog {
		return slog.New(web.LimitRepeats(slog.NewTextHandler(p.stderr, options)))
	}
	options.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration {
			a.Value = slog.Float64Value(a.Value.Duration().Seconds())
		}
		return a
	}
	return slog.New(web.LimitRepeats(slog.NewJSONHandler(p.stderr, options)))
}

// inLog writes the error with which a server ends to a log that is read by programs, and
// returns it.
func inLog(log *slog.Logger, format config.LogFormat, err error) error {
	if err == nil || format != config.JSONLog {
		return err
	}
	log.Error("Dailies ends", "err", err)
	return logged{err}
}

// reachable returns addr as an address that a browser on this machine can open.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr
}

// version prints the version that the go command recorded in the binary: in a clone
// with a tag, that tag, otherwise a pseudo-version made of the commit's time and
// hash.
func (p program) version() error {
	version, commit := "(devel)", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = cmp.Or(info.Main.Version, version)
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value
			}
		}
	}
	_, err := fmt.Fprintf(p.stdout, "dailies %s\ncommit %s\n%s %s/%s\n", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// healthcheckTime limits one check, including the connection.
const healthcheckTime = 3 * time.Second

// healthcheck asks the program running on this machine whether it is alive.
func (p program) healthcheck(ctx context.Context, c config.Healthcheck) error {
	said, err := askHealth(ctx, c.Addr)
	if err == nil {
		_, err = fmt.Fprintln(p.stdout, said)
	}
	return err
}

// askHealth asks the program that serves on the address whether it is alive, and returns
// what it says as a sentence.
func askHealth(ctx context.Context, addr string) (said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, healthcheckTime)
	defer cancel()
	at := "http://" + reachable(addr) + "/healthz"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return "", err
	}
	// The address is the program's own, so proxies from the environment are ignored,
	// and redirects count as failures.
	answer, err := new(http.Transport).RoundTrip(r)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "", fmt.Errorf("%s did not answer within %s", at, healthcheckTime)
	case err != nil:
		return "", fmt.Errorf("%s does not answer: %w", at, err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answered %s", at, answer.Status)
	}
	return fmt.Sprintf("%s answered %s", at, answer.Status), nil
}
