package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// smallGroup makes a control group with so many bytes of memory, which only root can do,
// and returns the command that runs a program in it.
func smallGroup(t *testing.T, bytes int) (under []string) {
	t.Helper()
	for top, file := range map[string]string{"/sys/fs/cgroup/memory": "memory.limit_in_bytes", "/sys/fs/cgroup": "memory.max"} {
		if _, err := os.Stat(filepath.Join(top, "cgroup.procs")); err != nil {
			continue
		}
		group := filepath.Join(top, fmt.Sprintf("dailies-test-%d", os.Getpid()))
		err := os.Mkdir(group, 0o755)
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			t.Skip("no control group can be made: ", err)
		}
		t.Cleanup(func() { _ = os.Remove(group) })
		if err := os.WriteFile(filepath.Join(group, file), []byte(strconv.Itoa(bytes)), 0o600); err != nil {
			t.Skip("the memory of a control group cannot be limited: ", err)
		}
		// Without this, what does not fit would be swapped out. Kernels that count swapped memory
		// otherwise have no such file.
		if err := os.WriteFile(filepath.Join(group, "memory.swap.max"), []byte("0"), 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			t.Fatal(err)
		}
		return []string{"/bin/sh", "-c", `echo $$ > "$0" && exec "$@"`, filepath.Join(group, "cgroup.procs")}
	}
	t.Skip("only root can limit the memory of a program")
	return nil
}

// peak returns the largest amount of memory that the program has had, in bytes.
func (s *server) peak(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "VmHWM:" {
			kilobytes, _ := strconv.Atoi(words[1])
			return kilobytes << 10
		}
	}
	t.Fatal("the kernel does not say how much memory the program had")
	return 0
}

// processor returns the CPU time that the program has used so far.
func (s *server) processor(t *testing.T) time.Duration {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), ") ")
	ticks := 0 // of a hundredth of a second, in the program and in the kernel for it
	for _, field := range strings.Fields(after)[11:13] {
		n, _ := strconv.Atoi(field)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// An office begins with Dailies in a container with little memory: everybody joins at
// the same moment, and everybody signs in at the same moment in another browser. The memory
// that is logged has pages of the program's file too, which count for the group that read
// them first.
func TestAnOfficeFitsIntoASmallContainer(t *testing.T) {
	const few, office, memory = 5, 49, 128 << 20
	s := startNew(t, &server{dir: t.TempDir(), log: &logs{}, plain: true, under: smallGroup(t, memory)})
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	// everybody does it at the same moment, after a few did it one after another. Each may cost
	// the program three times as much then, as long as it does not collect garbage all the time.
	everybody := func(what string, do func(i int) error) {
		t.Helper()
		try := func(i int) {
			if err := do(i); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		began := s.processor(t)
		for i := range few {
			try(office + i)
		}
		each := (s.processor(t) - began) / few
		began = s.processor(t)
		var all sync.WaitGroup
		for i := range office {
			all.Go(func() { try(i) })
		}
		all.Wait()
		cost := s.processor(t) - began
		t.Logf("%s: %s of CPU for one, %s for all, the most memory so far: %d MB", what, each, cost, s.peak(t)>>20)
		if cost > 3*office*each {
			t.Errorf("%s costs %s, for one %s", what, cost, each)
		}
	}
	links := make([]string, office+few)
	for i := range links {
		links[i] = s.invite(t)
	}
	name := func(i int) string { return fmt.Sprintf("Office%d", i) }
	everybody("joining", func(i int) error {
		p := newPerson(s.base, name(i))
		_, err := p.post(links[i], p.account())
		return err
	})
	everybody("signing in", func(i int) error {
		p := newPerson(s.base, name(i))
		_, err := p.post("/login", p.account())
		if err == nil {
			_, err = p.get("/settings")
		}
		return err
	})
	select {
	case <-s.ended: // the kernel ends a program that needs more than its group may have
		t.Error("the program has ended")
	default:
	}
}
