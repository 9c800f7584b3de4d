// Dailies is a web app for teams that make videos with AI. README.md shows what it does,
// .github/OPERATING.md how to run it, and .github/CONTRIBUTING.md how it is built.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"dailies/handlers/command"
)

func main() {
	stops := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if term.IsTerminal(int(os.Stdin.Fd())) {
		stops = append(stops, syscall.SIGHUP) // the terminal was closed
	} else {
		signal.Ignore(syscall.SIGHUP) // asks a service to reload; a new start reads the settings
	}
	ctx, stop := signal.NotifyContext(context.Background(), stops...)
	defer stop()
	context.AfterFunc(ctx, lastResort)
	os.Exit(command.Run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// lastResort exits if the program cannot stop in time, for example because a disk hangs,
// before process managers kill it. Unfinished work is then in the same state as after a
// power failure.
func lastResort() {
	time.Sleep(9 * time.Second)
	fmt.Fprintln(os.Stderr, "dailies: it could not stop in time")
	os.Exit(1)
}
