package create_test

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"dailies/handlers/handlerstest"
)

// On a full disk no video is ordered, which would be paid and could not be kept, but what
// people write is stored as long as the log of the database has space for it.
func TestAFullDiskRefusesPressesFirst(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=24m"); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skip("only root can make a small disk")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	h := handlerstest.NewAt(t, disk)
	p := h.Founder(t)
	film := h.AddKept(t, 1, "a film").ID
	filler, err := os.OpenFile(filepath.Join(disk, "filler"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer filler.Close()
	fill := func() {
		for size := 1 << 20; size > 0; size /= 2 {
			for err := error(nil); err == nil; {
				_, err = filler.Write(make([]byte, size))
			}
		}
	}
	for i := range 20 {
		fill()
		p.Post("/create/text-to-video", handlerstest.GoodForm()).Is(503).Shows("Nothing was sent or charged")
		p.Post(fmt.Sprintf("/tasks/%d/notes", film), url.Values{"at": {"0"}, "body": {fmt.Sprintf("Note %d", i)}}).Is(303)
	}
	if err := filler.Truncate(0); err != nil {
		t.Fatal(err)
	}
	p.Post("/create/text-to-video", handlerstest.GoodForm()).Is(303)
}
