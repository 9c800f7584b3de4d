package config_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"dailies/handlers/config"
)

func files(content map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range content {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

func TestMemoryIsLimitedByTheSmallestGroup(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no control groups": {nil, 0},
		"no limit":          {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 0},
		"container, version 2": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "134217728\n", "sys/fs/cgroup/memory.high": "max\n",
		}, 128 << 20},
		"systemd, of the unit": {map[string]string{
			"proc/self/cgroup": "0::/system.slice/dailies.service\n",
			"sys/fs/cgroup/system.slice/dailies.service/memory.max":      "268435456\n",
			"sys/fs/cgroup/system.slice/dailies.service/memory.high":     "201326592\n",
			"sys/fs/cgroup/system.slice/other.service/memory.max":        "1048576\n",
			"sys/fs/cgroup/system.slice/dailies.service/memory.max.peak": "1\n",
		}, 192 << 20},
		"systemd, of a group around the unit": {map[string]string{
			"proc/self/cgroup": "0::/system.slice/dailies.service\n",
			"sys/fs/cgroup/system.slice/dailies.service/memory.max": "max\n", "sys/fs/cgroup/system.slice/memory.max": "100000000\n",
		}, 100000000},
		"container, version 1": {map[string]string{
			"proc/self/cgroup":                           "5:cpu,cpuacct:/docker/3f\n4:memory:/docker/3f\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "134217728\n",
		}, 128 << 20},
		"host, version 1": {map[string]string{
			"proc/self/cgroup":                                "4:memory,hugetlb:/team\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":      "9223372036854771712\n",
			"sys/fs/cgroup/memory/team/memory.limit_in_bytes": "67108864\n",
		}, 64 << 20},
		"both versions": {map[string]string{
			"proc/self/cgroup": "4:memory:/a\n0::/b\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "300\n", "sys/fs/cgroup/unified/b/memory.max": "200\n",
		}, 200},
		"colon in the name":  {map[string]string{"proc/self/cgroup": "0::/a:b\n", "sys/fs/cgroup/a:b/memory.max": "5\n"}, 5},
		"unreadable numbers": {map[string]string{"proc/self/cgroup": "0::/\n4:memory:/\n", "sys/fs/cgroup/memory.max": "-1", "sys/fs/cgroup/memory/memory.limit_in_bytes": "1e9"}, 0},
	} {
		if got := config.MemoryLimit(files(tt.files)); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

func FuzzMemoryLimit(f *testing.F) {
	f.Add("0::/a/../..\n4:memory:b", "134217728")
	f.Add(strings.Repeat("0::/"+strings.Repeat("a/", 500)+"\n", 50), "max")
	f.Fuzz(func(t *testing.T, groups, limit string) {
		got := config.MemoryLimit(files(map[string]string{"proc/self/cgroup": groups, "sys/fs/cgroup/memory.max": limit}))
		if got < 0 || got > 1<<60 {
			t.Errorf("%d", got)
		}
	})
}
