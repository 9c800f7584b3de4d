package folder

import (
	"fmt"
	"os"
	"path/filepath"
)

// probeSize is how many bytes Writable writes: more than a file system keeps
// beside a file's name.
const probeSize = 16 << 10

// Writable returns an error unless a small file can be written to the folder
// and brought to the disk. It leaves nothing behind, and is not to be called
// twice at once for one folder.
func Writable(dir string) error {
	probe := filepath.Join(dir, "begun-probe") // the media folder removes such a file, should a kill leave it
	err := writeSynced(probe, make([]byte, probeSize))
	_ = os.Remove(probe)
	if err != nil {
		return fmt.Errorf("cannot write to %s: %w", dir, err)
	}
	return nil
}
