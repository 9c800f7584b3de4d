package media_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dailies/db/media"
)

func copies(t *testing.T, dir string, maxBytes int64) *media.Copies {
	t.Helper()
	c, err := media.OpenCopies(dir, maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Copies survive a restart, the least recently used ones make room for others, and
// nothing but whole copies is returned.
func TestCopiesAreKeptWithinTheirLimit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "linked")
	c := copies(t, dir, 1000)
	address := func(i int) string { return fmt.Sprintf("https://pictures.example/%d.png?size=large", i) }
	if got := c.Get(address(0)); got != nil {
		t.Errorf("a copy of nothing: %q", got)
	}
	for i := range 4 {
		if err := c.Put(address(i), bytes.Repeat([]byte{byte('a' + i)}, 300)); err != nil {
			t.Fatal(err)
		}
		c.Get(address(0)) // is used all the time
	}
	for i, want := range []int{300, 0, 300, 300} {
		if got := len(c.Get(address(i))); got != want {
			t.Errorf("copy %d has %d bytes, want %d", i, got, want)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 3 {
		t.Errorf("%d files are kept: %v", len(files), err)
	}
	c = copies(t, dir, 1000)
	if got := c.Get(address(2)); !bytes.Equal(got, bytes.Repeat([]byte("c"), 300)) {
		t.Errorf("after a restart: %q", got)
	}
	for _, file := range files {
		if strings.Contains(file.Name(), "example") {
			t.Errorf("the file %s tells the address", file.Name())
		}
		if err := os.Truncate(filepath.Join(dir, file.Name()), 10); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.Get(address(2)); got != nil {
		t.Errorf("half of a copy: %q", got)
	}
	if err := c.Put(address(2), []byte("new")); err != nil {
		t.Fatal(err)
	}
	c.Drop(address(2))
	if got := c.Get(address(2)); got != nil {
		t.Errorf("a dropped copy: %q", got)
	}
}
