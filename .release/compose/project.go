package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A project runs the services of a file.
type project struct {
	volumes  string // folder
	services map[string]*service
	subnet   netip.Prefix // the first address is this machine's, the next ones are the services'
	began    time.Time
	mounts   string          // of this process, before anything was started
	ctx      context.Context // ends when a service fails
	fatal    context.CancelCauseFunc
}

// A service is one of a project.
type service struct {
	*Service
	name      string
	image     *Image
	container Container
	log       string // file

	process  *exec.Cmd
	started  chan struct{} // is closed when it has started
	healthy  chan struct{} // is closed when its health check has succeeded
	ended    chan struct{} // is closed when it has ended
	mu       sync.Mutex
	stopping bool
	status   int
}

// newProject prepares the services: what they run and see. The compose file is in the
// folder.
func newProject(folder, work string, file *File, images map[string]*Image) (*project, error) {
	subnet := file.Networks.Default.IPAM.Config[0].Subnet
	p := &project{volumes: filepath.Join(work, "volumes"), services: map[string]*service{}, subnet: subnet}
	hosts := "127.0.0.1 localhost\n"
	address := subnet.Addr().Next()
	for _, name := range slices.Sorted(maps.Keys(file.Services)) {
		s := &service{Service: file.Services[name], name: name, image: images[file.Services[name].Image], log: filepath.Join(work, name+".log"),
			started: make(chan struct{}), healthy: make(chan struct{}), ended: make(chan struct{})}
		address = address.Next()
		s.container = Container{Name: name, Root: filepath.Join(work, "containers", name), Gateway: subnet.Addr().Next(),
			Address: netip.PrefixFrom(address, subnet.Bits()), UID: s.image.UID, GID: s.image.GID, Folder: s.image.Folder}
		s.container.Args = s.args()
		if s.HealthCheck == nil {
			s.HealthCheck = s.image.HealthCheck
		}
		p.services[name] = s
		hosts += fmt.Sprintf("%s %s\n", address, name)
	}
	for _, s := range p.services {
		for on, d := range s.DependsOn {
			if d.Condition == healthy && p.services[on].HealthCheck == nil {
				return nil, fmt.Errorf("%s waits until %s is healthy, but that has no health check", s.name, on)
			}
		}
		if err := p.furnish(folder, hosts, s); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	p.mounts = string(mounts)
	return p, err
}

// args returns the entrypoint and the command of the service. Those of the file replace
// those of the image, and with another entrypoint the image's command is ignored.
func (s *service) args() []string {
	entrypoint, command := s.image.Entrypoint, s.image.Cmd
	if s.Entrypoint != nil {
		entrypoint, command = s.Entrypoint, nil
	}
	if s.Command != nil {
		command = s.Command
	}
	return slices.Concat(entrypoint, command)
}

// furnish makes the files and variables of the service.
func (p *project) furnish(folder, hosts string, s *service) error {
	c := &s.container
	if err := copyTree(s.image.Root, c.Root); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(c.Root, "etc"), 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{"hosts": hosts, "hostname": s.name + "\n", "resolv.conf": ""} {
		if err := os.WriteFile(filepath.Join(c.Root, "etc", name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, text := range s.Volumes {
		m, err := parseMount(text)
		if err != nil {
			return err
		}
		target := filepath.Join(c.Root, m.Target)
		if strings.HasPrefix(m.Source, "./") {
			m.Source = filepath.Join(folder, m.Source)
			if info, err := os.Stat(m.Source); err != nil || !info.Mode().IsRegular() {
				return errors.Join(err, fmt.Errorf("%s is not a file", m.Source))
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o755), os.WriteFile(target, nil, 0o644)); err != nil {
				return err
			}
		} else {
			m.Source = filepath.Join(p.volumes, m.Source)
			if err := os.MkdirAll(target, 0o755); err != nil {
				return err
			}
			// As with Docker, a new volume gets what the image has there, with its owner.
			if _, err := os.Stat(m.Source); errors.Is(err, os.ErrNotExist) {
				if err := copyTree(target, m.Source); err != nil {
					return err
				}
			}
		}
		c.Mounts = append(c.Mounts, m)
	}
	slices.SortStableFunc(c.Mounts, func(a, b Mount) int { return len(a.Target) - len(b.Target) })
	variables := map[string]string{"PATH": defaultPath, "HOSTNAME": s.name, "HOME": home(c.Root, c.UID)}
	for _, e := range s.image.Env {
		name, value, _ := strings.Cut(e, "=")
		variables[name] = value
	}
	maps.Copy(variables, s.Environment)
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		c.Env = append(c.Env, name+"="+variables[name])
	}
	return nil
}

func copyTree(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if out, err := exec.Command("cp", "--archive", "--no-target-directory", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// home returns the home folder of the user in the system below root.
func home(root string, uid int) string {
	users, _ := os.ReadFile(filepath.Join(root, "etc/passwd"))
	for line := range strings.Lines(string(users)) {
		if fields := strings.Split(line, ":"); len(fields) > 5 && fields[2] == strconv.Itoa(uid) {
			return fields[5]
		}
	}
	return "/"
}

// logs returns the end of each service's log.
func (p *project) logs() string {
	const most = 3000
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.services)) {
		log, _ := os.ReadFile(p.services[name].log)
		fmt.Fprintf(&all, "--- %s\n%s\n", name, log[max(0, len(log)-most):])
	}
	return all.String()
}
