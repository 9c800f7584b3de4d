package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stop stops a service as docker compose stop does. It must end in time and with status
// 0.
func (p *project) stop(s *service) error {
	s.mu.Lock()
	again := s.stopping
	s.stopping = true
	s.mu.Unlock()
	if again {
		return nil
	}
	select {
	case <-s.ended:
		return nil // it has been reported
	default:
	}
	if err := s.process.Process.Signal(s.image.StopSignal); err != nil {
		return err
	}
	select {
	case <-s.ended:
	case <-time.After(cmp.Or(s.StopGracePeriod, 10*time.Second)):
		return fmt.Errorf("%s does not stop", s.name)
	}
	if s.status != 0 {
		return fmt.Errorf("%s: the exit status after %s is %d", s.name, unix.SignalName(s.image.StopSignal), s.status)
	}
	p.say("%s has stopped", s.name)
	return nil
}

// down stops all services, each after those that depend on it.
func (p *project) down() error {
	var all sync.WaitGroup
	errs := make(chan error, len(p.services))
	stopped := map[string]chan struct{}{}
	for name := range p.services {
		stopped[name] = make(chan struct{})
	}
	for name, s := range p.services {
		all.Go(func() {
			defer close(stopped[name])
			for other, t := range p.services {
				if _, ok := t.DependsOn[name]; ok {
					<-stopped[other]
				}
			}
			errs <- p.stop(s)
		})
	}
	all.Wait()
	close(errs)
	var err error
	for e := range errs {
		err = errors.Join(err, e)
	}
	return err
}

// nothingLeft reports processes and mounts that the services have left. Without those,
// nothing holds their namespaces.
func (p *project) nothingLeft() error {
	var left []string
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		for pid, err := 1, error(nil); pid > 0 && err == nil; { // children of a parent that has ended
			pid, err = syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		}
		left = nil
		processes, err := filepath.Glob("/proc/[0-9]*")
		if err != nil {
			return err
		}
		for _, process := range processes {
			if process != "/proc/1" {
				command, _ := os.ReadFile(filepath.Join(process, "cmdline"))
				left = append(left, fmt.Sprintf("%s %q", process, command))
			}
		}
		mounts, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil {
			return err
		}
		if string(mounts) != p.mounts {
			left = append(left, string(mounts))
		}
		if left == nil {
			p.say("nothing is left")
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the services have left %s", strings.Join(left, ", "))
		}
	}
}
