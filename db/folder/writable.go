package folder

import (
	"fmt"
	"os"
	"path/filepath"
)

// probeSize is how many bytes Writable writes: more than file systems store inside
// a file's metadata.
const probeSize = 16 << 10

// Writable returns an error unless a small file can be written and synced in the
// folder. It leaves nothing behind, and must not be called twice at once for the
// same folder.
func Writable(dir string) error {
	probe := filepath.Join(dir, "begun-probe") // the media folder removes files named so, in case a kill leaves it
	err := writeSynced(probe, make([]byte, probeSize))
	_ = os.Remove(probe)
	if err != nil {
		return fmt.Errorf("cannot write to %s: %w", dir, err)
	}
	return nil
}
