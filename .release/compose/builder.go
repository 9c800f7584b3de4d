package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// An Image is the files of an image and what it says about running them.
type Image struct {
	Root            string // the folder with the files
	Entrypoint, Cmd []string
	Env             []string
	Folder          string // to run in
	UID, GID        int
	HealthCheck     *HealthCheck
	StopSignal      syscall.Signal
}

// defaultPath is the PATH that Docker sets unless the image has one.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// A builder follows the instructions of an image.
type builder struct {
	Image
	base    map[string]func() error // what FROM may name
	context string                  // the folder in which ADD and COPY look
	from    map[string]string       // files that are elsewhere on this machine
	copied  []string                // libraries
	args    []string
}

// build follows the instructions. It does not know all of Docker's, and fails if there is
// another.
func (b *builder) build(instructions string) error {
	b.Folder, b.StopSignal = "/", syscall.SIGTERM
	instructions = strings.ReplaceAll(instructions, "\\\n", " ")
	for line := range strings.Lines(instructions) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		if err := b.follow(name, strings.TrimSpace(rest)); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	return nil
}

func (b *builder) follow(name, rest string) (err error) {
	expanded := os.Expand(rest, func(name string) string { return last(append(b.args, b.Env...), name) })
	fields := strings.Fields(expanded)
	switch name {
	case "FROM":
		if b.base[rest] == nil {
			return fmt.Errorf("nothing is known of %s", rest)
		}
		return b.base[rest]()
	case "ARG":
		if rest == "TARGETARCH" {
			rest += "=" + runtime.GOARCH
		}
		b.args = append(b.args, rest)
	case "ENV":
		b.Env = append(b.Env, fields...)
	case "RUN":
		return b.run(rest)
	case "ADD":
		// Docker keeps the owners that an archive names.
		out, err := exec.Command("tar", "--extract", "--preserve-permissions", "--same-owner",
			"--file", filepath.Join(b.context, fields[0]), "--directory", filepath.Join(b.Root, fields[1])).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	case "COPY":
		if fields[0] == "--from=0" {
			fields = fields[1:]
		}
		if len(fields) != 2 {
			return fmt.Errorf("it must name what is copied and where to")
		}
		from := b.from[fields[0]]
		if from == "" {
			from = filepath.Join(b.context, fields[0])
		}
		return b.program(from, fields[1])
	case "WORKDIR":
		b.Folder = rest
		return os.MkdirAll(filepath.Join(b.Root, rest), 0o755)
	case "USER":
		_, err = fmt.Sscanf(rest, "%d:%d", &b.UID, &b.GID)
	case "VOLUME", "EXPOSE":
		// The folder is there for as long as the container, and every port can be reached.
	case "ENTRYPOINT":
		return json.Unmarshal([]byte(rest), &b.Entrypoint)
	case "CMD":
		return json.Unmarshal([]byte(rest), &b.Cmd)
	case "STOPSIGNAL":
		if rest != "SIGINT" {
			return fmt.Errorf("only SIGINT is known")
		}
		b.StopSignal = syscall.SIGINT
	case "HEALTHCHECK":
		return b.healthCheck(rest)
	default:
		return fmt.Errorf("this instruction is not known")
	}
	return err
}

// run runs a command while the image is built.
func (b *builder) run(command string) error {
	before := b.Env
	b.Env = append(b.Env[:len(b.Env):len(b.Env)], b.args...)
	err := b.inside("/bin/sh", "-c", command)
	b.Env = before
	return err
}

func (b *builder) healthCheck(rest string) error {
	options, command, ok := strings.Cut(rest, " CMD ")
	if !ok {
		return fmt.Errorf("it has no CMD")
	}
	b.HealthCheck = &HealthCheck{}
	for _, option := range strings.Fields(options) {
		var err error
		h := b.HealthCheck
		switch name, value, _ := strings.Cut(option, "="); name {
		case "--interval":
			h.Interval, err = time.ParseDuration(value)
		case "--timeout":
			h.Timeout, err = time.ParseDuration(value)
		case "--start-period":
			h.StartPeriod, err = time.ParseDuration(value)
		default:
			err = fmt.Errorf("the option %s is not known", name)
		}
		if err != nil {
			return err
		}
	}
	var args []string
	err := json.Unmarshal([]byte(command), &args)
	b.HealthCheck.Test = append([]string{"CMD"}, args...)
	return err
}

// set sets a variable of the image.
func (b *builder) set(name, value string) { b.Env = append(b.Env, name+"="+value) }

// last returns the last value of the variable.
func last(env []string, name string) (value string) {
	for _, e := range env {
		if k, v, _ := strings.Cut(e, "="); k == name {
			value = v
		}
	}
	return value
}
