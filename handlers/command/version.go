package command

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version prints the version that the go command recorded in the binary: in a clone
// with a tag, that tag, otherwise a pseudo-version made of the commit's time and
// hash.
func (p program) version() error {
	version, commit := "(devel)", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = cmp.Or(info.Main.Version, version)
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value
			}
		}
	}
	_, err := fmt.Fprintf(p.stdout, "dailies %s\ncommit %s\n%s %s/%s\n", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
