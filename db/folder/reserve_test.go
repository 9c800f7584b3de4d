package folder_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"dailies/db/folder"
)

// held returns the size of the reserve at the path, in bytes.
func held(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestTheReserveIsFreedAndFilledAgain(t *testing.T) {
	const size = 64 << 10
	path := filepath.Join(t.TempDir(), "reserve")
	left := int64(2 * size)
	r := folder.NewReserve(path, size, func() (int64, error) { return left, nil })
	fill := func(want int64) {
		t.Helper()
		if err := r.Fill(); err != nil || held(t, path) != want {
			t.Errorf("%d bytes are held, want %d, %v", held(t, path), want, err)
		}
	}
	fill(0) // too little is free
	left = 10 * size
	fill(size)
	left = 0
	fill(size) // it stays until Free is called
	if !r.Free() || held(t, path) != 0 {
		t.Errorf("%d bytes are held after all", held(t, path))
	}
	if r.Free() {
		t.Error("it gave what it did not have")
	}
	fill(0)
	left = 10 * size
	fill(size)
	parts := 0
	for r.FreePart() {
		parts++
	}
	if parts < 4 || held(t, path) != size/2 {
		t.Errorf("after %d parts %d bytes are held, want half", parts, held(t, path))
	}
	left = 0
	fill(size / 2)
	if !r.Free() || r.FreePart() {
		t.Error("the other half was not kept for answers")
	}
	left = -1 // unknown
	fill(size)
}
