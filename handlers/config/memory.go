package config

import (
	"bufio"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

const (
	maxCgroupFile = 64 << 10 // bytes that are read of a file about control groups
	// unlimited is more memory than any machine has. Version 1 of control groups writes
	// such a number if there is no limit.
	unlimited = 1 << 60
)

// MemoryLimit returns how many bytes of memory the control groups (cgroups) of Linux
// allow this process, or 0 if they set no limit. Containers and systemd limit programs
// so. root is the root folder of the file system.
func MemoryLimit(root fs.FS) int64 {
	var least int64
	for _, file := range limitFiles(root) {
		if n := limitIn(root, file); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// limitFiles returns the files that may limit the memory of this process: those of its
// control group and of all groups around it, since each limits what is inside it. In a
// container, the group that the kernel names may be that of the host, while the files of
// the container's group are at the top.
func limitFiles(root fs.FS) (files []string) {
	text := readShort(root, "proc/self/cgroup")
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() { // such as "0::/user.slice" or "4:memory:/docker/3f"
		parts := strings.SplitN(lines.Text(), ":", 3)
		if len(parts) != 3 {
			continue
		}
		group := path.Clean("/" + parts[2])
		switch {
		case parts[1] == "":
			files = append(files, upward("sys/fs/cgroup", group, "memory.max", "memory.high")...)
			files = append(files, upward("sys/fs/cgroup/unified", group, "memory.max", "memory.high")...)
		case hasController(parts[1], "memory"):
			files = append(files, upward("sys/fs/cgroup/memory", group, "memory.limit_in_bytes")...)
		}
	}
	return files
}

func hasController(list, name string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if one == name {
			return true
		}
	}
	return false
}

// maxDepth limits how many groups around each other are examined.
const maxDepth = 64

// upward returns the files with the names in the group's folder below top and in the
// folders around it, up to top.
func upward(top, group string, names ...string) (files []string) {
	for range maxDepth {
		for _, name := range names {
			files = append(files, path.Join(top, group, name))
		}
		if group == "/" {
			break
		}
		group = path.Dir(group)
	}
	return files
}

// limitIn returns the number of bytes in the file, or 0 if it has none or "max".
func limitIn(root fs.FS, file string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(readShort(root, file)), 10, 64)
	if err != nil || n <= 0 || n >= unlimited {
		return 0
	}
	return n
}

// readShort returns the content of a small file, or "" if it cannot be read.
func readShort(root fs.FS, name string) string {
	if !fs.ValidPath(name) {
		return ""
	}
	file, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxCgroupFile))
	if err != nil {
		return ""
	}
	return string(text)
}
