package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// bridge is the network to which all services are connected.
const bridge = "compose0"

// person is the address of somebody who visits the published ports from outside.
var person = net.IPv4(198, 51, 100, 7)

// up starts the services, each when what it depends on is ready, and returns when all of
// them are healthy.
func (p *project) up(ctx context.Context) error {
	p.began = time.Now()
	for _, args := range [][]string{
		{"link", "set", "lo", "up"},
		// Without an address of its own, it would take one of its ports' and change it when
		// a service ends.
		{"link", "add", bridge, "address", "02:42:0a:59:00:01", "type", "bridge"},
		{"address", "add", netip.PrefixFrom(p.subnet.Addr().Next(), p.subnet.Bits()).String(), "dev", bridge},
		{"link", "set", bridge, "up"},
		{"address", "add", person.String() + "/32", "dev", "lo"},
	} {
		if err := ip(args...); err != nil {
			return err
		}
	}
	p.ctx, p.fatal = context.WithCancelCause(ctx)
	var all sync.WaitGroup
	for _, s := range p.services {
		all.Go(func() {
			if err := p.begin(p.ctx, s); err != nil {
				p.fatal(fmt.Errorf("%s: %w", s.name, err))
			}
		})
	}
	all.Wait()
	return p.failure()
}

// failure returns why the project has failed, or nil.
func (p *project) failure() error { return context.Cause(p.ctx) }

func (p *project) say(format string, args ...any) {
	fmt.Printf("%5.1f s  %s\n", time.Since(p.began).Seconds(), fmt.Sprintf(format, args...))
}

// begin starts the service when what it depends on is ready, and returns when it is
// healthy.
func (p *project) begin(ctx context.Context, s *service) error {
	for on, d := range s.DependsOn {
		ready := p.services[on].started
		if d.Condition == healthy {
			ready = p.services[on].healthy
		}
		if err := wait(ctx, ready); err != nil {
			return fmt.Errorf("waiting for %s: %w", on, err)
		}
	}
	log, err := os.Create(s.log)
	if err != nil {
		return err
	}
	defer log.Close()
	if s.process, err = s.container.start(bridge, log); err != nil {
		return err
	}
	p.say("%s has started", s.name)
	close(s.started)
	go p.follow(s)
	for _, text := range s.Ports {
		if err := publish(text, s.container.Address.Addr()); err != nil {
			return err
		}
	}
	if s.HealthCheck == nil {
		return nil
	}
	go p.check(ctx, s)
	return wait(ctx, s.healthy)
}

func wait(ctx context.Context, ready <-chan struct{}) error {
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// follow waits for the service to end, which it may not do by itself.
func (p *project) follow(s *service) {
	_ = s.process.Wait()
	// As Docker does. By itself it goes when the last connection to a service that ended
	// earlier has timed out; it may be gone already.
	_ = ip("link", "delete", link(s.process))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = s.process.ProcessState.ExitCode()
	close(s.ended)
	if !s.stopping {
		p.fatal(fmt.Errorf("%s has ended by itself: %s", s.name, s.process.ProcessState))
	}
}

// publish makes a port of a service available at a port of this machine, for the person
// outside.
func publish(text string, address netip.Addr) error {
	host, inside, err := parsePort(text)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:"+host)
	if err != nil {
		return err
	}
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: person}, Timeout: 5 * time.Second}
	pass := func(from net.Conn) {
		defer from.Close()
		to, err := dialer.Dial("tcp4", net.JoinHostPort(address.String(), inside))
		if err != nil {
			return
		}
		defer to.Close()
		go func() { _, _ = io.Copy(to, from); to.Close() }()
		_, _ = io.Copy(from, to)
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go pass(c)
		}
	}()
	return nil
}
