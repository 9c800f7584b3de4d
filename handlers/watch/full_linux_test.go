package watch_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"dailies/db"
	"dailies/db/folder"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/handlers/watch"
)

// smallDisk mounts a file system of that many bytes, which only root can do.
// TestReserveIsFreedForAnAnswer tests the same without root.
func smallDisk(t *testing.T, bytes string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+bytes); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skip("only root can make a small disk: TestReserveIsFreedForAnAnswer does without")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// fill uses up all space left on the disk.
func fill(t *testing.T, dir string) {
	t.Helper()
	filler, err := os.OpenFile(filepath.Join(dir, "filler"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	must(t, err)
	defer filler.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = filler.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Error(err)
		}
	}
}

// The disk is full when the service's answer arrives. The answer, which was charged, is stored
// in the space of the log or, if that is too little, in that reserved for such answers.
func TestAnAnswerFindsRoomOnAFullDisk(t *testing.T) {
	disk := smallDisk(t, "8m")
	b := newBench(t)
	store, err := store.Open(t.Context(), disk+"/dailies.db")
	must(t, err)
	t.Cleanup(func() { store.Close() })
	b.store, b.dir = store, disk
	must(t, sampletest.AddUser(t, store, &db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}))
	b.giveKey(t, b.key)
	reserve := folder.NewReserve(disk+"/reserve", 1<<20, func() (int64, error) { return -1, nil })
	must(t, reserve.Fill())
	b.fail(create, func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		resp, err := through()
		fill(t, disk)
		return resp, err
	})
	stop := b.start(t, func(c *watch.Config) { c.OnFull = reserve.Free })
	id := b.add(t, "a boat")
	b.until(t, id, "written down", func(t db.Task) bool { return t.RemoteID != "" })
	stop()
	must(t, os.Remove(disk+"/filler"))
	must(t, reserve.Fill())
	if n := b.line.count(create); n != 1 {
		t.Errorf("%d creates", n)
	}
}
