package main

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Container tells a process how to become a service.
type Container struct {
	Name, Root string
	Address    netip.Prefix
	Gateway    netip.Addr
	Mounts     []Mount
	Env        []string
	Folder     string
	UID, GID   int
	Args       []string
}

// initArgument makes this program start as the first process of a container. It then
// reads the Container from file descriptor 3.
const initArgument = "-become-a-service"

// start starts the container as a child in namespaces of its own, connects it to the
// bridge, and lets it become the service. Its output goes to the log.
func (c *Container) start(bridge string, log *os.File) (*exec.Cmd, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close()
	process := exec.Command("/proc/self/exe", initArgument)
	process.Env = []string{"PATH=" + os.Getenv("PATH")}
	process.Stdout, process.Stderr = log, log
	process.ExtraFiles = []*os.File{read}
	process.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
		Setsid:     true,
	}
	err = process.Start()
	read.Close()
	if err != nil {
		return nil, err
	}
	pid := fmt.Sprint(process.Process.Pid)
	outside := link(process)
	if err := ip("link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", pid); err != nil {
		return process, err
	}
	if err := ip("link", "set", outside, "master", bridge, "up"); err != nil {
		return process, err
	}
	return process, json.NewEncoder(write).Encode(c)
}

// link returns the name of the bridge's end of the process's connection.
func link(process *exec.Cmd) string { return fmt.Sprint("veth", process.Process.Pid) }

func ip(args ...string) error {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// become turns this process into the service that file descriptor 3 describes. It returns
// only if that fails.
func become() error {
	var c Container
	if err := json.NewDecoder(os.NewFile(3, "container")).Decode(&c); err != nil {
		return err
	}
	unix.CloseOnExec(3)
	for _, step := range []func() error{
		func() error { return ip("link", "set", "lo", "up") },
		func() error { return ip("address", "add", c.Address.String(), "dev", "eth0") },
		func() error { return ip("link", "set", "eth0", "up") },
		func() error { return ip("route", "add", "default", "via", c.Gateway.String()) },
		c.mountAll,
		func() error { return unix.Sethostname([]byte(c.Name)) },
		c.giveUpRights,
		func() error { return os.Chdir(c.Folder) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	os.Clearenv()
	for _, e := range c.Env {
		name, value, _ := strings.Cut(e, "=")
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	program, err := exec.LookPath(c.Args[0])
	if err != nil {
		return err
	}
	return syscall.Exec(program, c.Args, c.Env)
}

// mountAll makes the container's folder the root of this process, with its volumes and
// with what Docker mounts in every container.
func (c *Container) mountAll() error {
	at := func(path string) string { return filepath.Join(c.Root, path) }
	for _, folder := range []string{"proc", "dev"} {
		if err := os.MkdirAll(at(folder), 0o755); err != nil {
			return err
		}
	}
	mount := func(source, target, kind string, flags uintptr, data string) error {
		if err := unix.Mount(source, target, kind, flags, data); err != nil {
			return fmt.Errorf("mounting %s on %s: %w", source, target, err)
		}
		return nil
	}
	if err := mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := mount(c.Root, c.Root, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	for _, m := range c.Mounts {
		target := at(m.Target)
		if err := mount(m.Source, target, "", unix.MS_BIND, ""); err != nil {
			return err
		}
		if m.ReadOnly {
			if err := mount("none", target, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
				return err
			}
		}
	}
	if err := mount("proc", at("proc"), "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return err
	}
	if err := mount("tmpfs", at("dev"), "tmpfs", unix.MS_NOSUID, "mode=755"); err != nil {
		return err
	}
	for _, device := range []string{"null", "zero", "full", "random", "urandom"} {
		if err := os.WriteFile(at("dev/"+device), nil, 0o666); err != nil {
			return err
		}
		if err := mount("/dev/"+device, at("dev/"+device), "", unix.MS_BIND, ""); err != nil {
			return err
		}
	}
	if err := os.Mkdir(at("dev/shm"), 0o777); err != nil {
		return err
	}
	if err := mount("shm", at("dev/shm"), "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=1777,size=64m"); err != nil {
		return err
	}
	if err := os.Symlink("/proc/self/fd", at("dev/fd")); err != nil {
		return err
	}
	if err := os.Chdir(c.Root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return err
	}
	return unix.Unmount(".", unix.MNT_DETACH)
}

// rights are the capabilities that Docker leaves to root in a container.
var rights = map[uintptr]bool{
	unix.CAP_CHOWN: true, unix.CAP_DAC_OVERRIDE: true, unix.CAP_FSETID: true, unix.CAP_FOWNER: true, unix.CAP_MKNOD: true,
	unix.CAP_NET_RAW: true, unix.CAP_SETGID: true, unix.CAP_SETUID: true, unix.CAP_SETFCAP: true, unix.CAP_SETPCAP: true,
	unix.CAP_NET_BIND_SERVICE: true, unix.CAP_SYS_CHROOT: true, unix.CAP_KILL: true, unix.CAP_AUDIT_WRITE: true,
}

// giveUpRights leaves only Docker's capabilities and becomes the container's user.
func (c *Container) giveUpRights() error {
	runtime.LockOSThread() // this thread's capabilities are those of the service
	for right := range uintptr(unix.CAP_LAST_CAP + 1) {
		if rights[right] {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, right, 0, 0, 0); err != nil {
			return err
		}
	}
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setgid(c.GID); err != nil {
		return err
	}
	return syscall.Setuid(c.UID)
}
