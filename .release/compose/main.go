// Command compose runs compose.yaml on a machine without a container engine, and visits
// what it runs:
//
//	compose FOLDER
//
// The folder is one that .release/build has filled. The command needs root on Debian with
// the packages busybox, caddy, iproute2 and postgresql, and versitygw in the variable
// DAILIES_VERSITYGW or in PATH.
//
// Each service runs with the real program, in the files of its image as far as they are
// known (see images.go), with namespaces, volumes, addresses and rights like those of
// Docker. All of them live in namespaces of this command, so that they end with it.
// Everything that the file says is done or refused: a key, a value or a form that this
// command does not know is an error.
//
// It is stricter than Docker in one point: a service that ends by itself is not started
// again but is an error, because otherwise nobody notices wrong dependencies.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// patience is how long starting, visiting and stopping may take together.
const patience = 4 * time.Minute

func main() {
	log.SetFlags(0)
	log.SetPrefix("compose: ")
	if len(os.Args) != 2 {
		log.Fatal("it takes the folder that .release/build has filled")
	}
	if os.Args[1] == initArgument {
		log.Fatal(become())
	}
	if os.Getpid() != 1 {
		os.Exit(isolated())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, patience)
	err := run(ctx, os.Args[1])
	cancel()
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// isolated runs this command again in namespaces of its own, and returns its exit status.
func isolated() int {
	program, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	again := exec.Command("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", program, os.Args[1])
	again.Stdout, again.Stderr = os.Stdout, os.Stderr
	again.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()      // the signal is sent when the thread ends
	signal.Ignore(os.Interrupt) // reaches both from a terminal
	if err := again.Run(); again.ProcessState == nil {
		log.Fatal(err)
	}
	return again.ProcessState.ExitCode()
}

func run(ctx context.Context, folder string) (err error) {
	work, err := os.MkdirTemp("", "compose-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if err := os.Chmod(work, 0o755); err != nil { // services have users of their own
		return err
	}
	settings, err := fillIn(filepath.Join(folder, "secrets.env.example"))
	if err != nil {
		return err
	}
	file, err := readFile(filepath.Join(folder, "compose.yaml"), settings)
	if err != nil {
		return err
	}
	images, err := buildImages(folder, filepath.Join(work, "images"), file)
	if err != nil {
		return err
	}
	p, err := newProject(folder, work, file, images)
	if err != nil {
		return err
	}
	if err := p.up(ctx); err != nil {
		return fmt.Errorf("%w\n%s", err, p.logs())
	}
	if err := visit(ctx, p, settings); err != nil {
		return fmt.Errorf("%w\n%s", err, p.logs())
	}
	if err := p.down(); err != nil {
		return fmt.Errorf("%w\n%s", err, p.logs())
	}
	return p.nothingLeft()
}
