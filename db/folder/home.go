package folder

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Home identifies the folder, so that a process that starts in it can tell which one
// worked in it before. The id is the same at each start. The lock is the same as long as
// the operating system runs and the lock file stays in its place; it differs for a copy
// of the folder. It is empty if the system does not tell.
func (f *Folder) Home() (id, lock string, err error) {
	path := f.Path("home")
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	id = strings.TrimSpace(string(text))
	if !isHome(id) { // it is new, or a power cut has emptied it
		id = rand.Text()
		if err := Write(path, []byte(id+"\n")); err != nil {
			return "", "", err
		}
	}
	return id, lockID(f.Path("lock")), nil
}

// isHome reports whether the text may be the id of a folder: some letters and digits.
func isHome(id string) bool {
	return len(id) >= 20 && len(id) <= 64 && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// Boot identifies the present run of the operating system: what was written to a file in
// it, even without a sync, is there. It is empty if the system does not tell; Linux does.
func Boot() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}
