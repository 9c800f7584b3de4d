package e2e

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

// A first start on a full disk reports it, and a later start with enough room continues
// from what the first has left. Making a small disk takes root; db/folder tests the
// same with files that cannot be written.
func TestAFirstStartOnASmallDiskIsRepeated(t *testing.T) {
	for _, size := range []string{"4k", "64k"} {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
			t.Skip("only root can make a small disk")
		} else if err != nil {
			t.Fatal(err)
		}
		s := &server{dir: dir + "/data", log: &logs{}}
		t.Cleanup(func() {
			s.stop()
			if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
		if said := refusal(t, "-addr", "127.0.0.1:0", "-data", s.dir); !strings.Contains(said, "full") && !strings.Contains(said, "no space left") {
			t.Errorf("with %s it says %q", size, said)
		}
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
			t.Fatal(err)
		}
		if err := s.start(); err != nil {
			t.Errorf("with %s first: %v", size, err)
		}
	}
}
