package main

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// check runs the health check again and again, as Docker does: in the start period every
// five seconds and without counting failures, then at the interval.
func (p *project) check(ctx context.Context, s *service) {
	h := s.HealthCheck
	interval, retries := cmp.Or(h.Interval, 30*time.Second), cmp.Or(h.Retries, 3)
	began, failures, succeeded := time.Now(), 0, false
	for {
		starting := !succeeded && time.Since(began) < h.StartPeriod
		pause := interval
		if starting {
			pause = min(5*time.Second, h.StartPeriod)
		}
		select {
		case <-s.ended:
			return
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		out, err := s.run(ctx, cmp.Or(h.Timeout, 30*time.Second), h.Test[1:]...)
		switch {
		case s.isStopping() || ctx.Err() != nil:
			return
		case err == nil && !succeeded:
			p.say("%s is healthy", s.name)
			close(s.healthy)
			succeeded, failures = true, 0
		case err == nil:
			failures = 0
		case !starting:
			if failures++; failures >= retries {
				p.fatal(fmt.Errorf("%s is unhealthy: %w: %s", s.name, err, out))
				return
			}
		}
	}
}

func (s *service) isStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopping
}

// run runs a command in the service, as docker exec does.
func (s *service) run(ctx context.Context, limit time.Duration, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	nsenter, err := exec.LookPath("nsenter")
	if err != nil {
		return "", err
	}
	c := exec.CommandContext(ctx, nsenter, append([]string{"--target", strconv.Itoa(s.process.Process.Pid), "--mount", "--net", "--pid", "--uts", "--ipc",
		"--setuid", strconv.Itoa(s.container.UID), "--setgid", strconv.Itoa(s.container.GID), "--wd", "--"}, args...)...)
	c.Env = s.container.Env
	out, err := c.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
